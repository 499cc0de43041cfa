"""What may be asked about the changes of keys."""

from typing import Any

from api.operation import Call, operation
from models.pagination import Page
from models.platform.audit import AuditRecord, ListAudit, key_audit_listed


@operation(
    "GET /platform/v1/audit/list",
    scope="platform:audit:list",
    request=ListAudit,
    response=list[AuditRecord],
)
def list_key_audit(call: Call, query: ListAudit) -> Page[Any]:
    """List the changes of keys, newest first."""
    return key_audit_listed(query)
