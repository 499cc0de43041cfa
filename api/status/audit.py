"""The operation that lists the audit log of the status page."""

from typing import Any

from api.operation import Call, operation
from models.pagination import Page
from models.status import audit
from models.status.audit import ListStatusAudit, StatusAuditEvent


@operation("GET /status/v1/admin/audit/list", response=list[StatusAuditEvent])
def list_status_audit(call: Call, query: ListStatusAudit) -> Page[Any]:
    """List the writes of operators, newest first; measurements are not audited."""
    return audit.list_status_audit(query)
