"""What may be asked about the operators' writes."""

from typing import Any

from api.operation import Call, operation
from models.pagination import Page
from models.status.audit import ListStatusAudit, StatusAuditEvent, status_audit_listed


@operation(
    "GET /status/v1/admin/audit/list",
    scope="status:admin:audit:list",
    request=ListStatusAudit,
    response=list[StatusAuditEvent],
)
def list_status_audit(call: Call, query: ListStatusAudit) -> Page[Any]:
    """List the operators' writes, newest first; measurements are not among them."""
    return status_audit_listed(query)
