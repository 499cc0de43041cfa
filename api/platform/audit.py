"""Declare the operation on the audit log of keys."""

from typing import Any

from api.operation import Call, operation
from models.pagination import Page
from models.platform import audit
from models.platform.audit import AuditRecord, ListAudit


@operation("GET /platform/v1/audit/list", response=list[AuditRecord])
def list_key_audit(call: Call, query: ListAudit) -> Page[Any]:
    """List the changes to API keys, newest first."""
    return audit.list_key_audit(query)
