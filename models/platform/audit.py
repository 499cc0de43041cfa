"""List the audit records of changes to API keys."""

from typing import Any, Literal

from models.audit import AuditRow
from models.base import Schema
from models.fields import Id, Moment
from models.pagination import CursorQuery, Limit, Page, cursor_page, descending

KeyAction = Literal["add", "update", "remove", "rotate"]


class AuditRecord(Schema):
    id: Id
    actor: str
    action: KeyAction
    target_key_id: Id
    target_key_prefix: str | None
    target_key_name: str | None
    at: Moment
    detail: str | None


class ListAudit(CursorQuery):
    limit: Limit = 50


def list_key_audit(query: ListAudit) -> Page[Any]:
    """Return a page of the changes to keys, newest first."""
    rows = AuditRow.select(
        *(AuditRow.number, AuditRow.id, AuditRow.actor, AuditRow.action),
        *(AuditRow.at, AuditRow.detail),
        AuditRow.target_id.alias("target_key_id"),
        AuditRow.target_prefix.alias("target_key_prefix"),
        AuditRow.target_label.alias("target_key_name"),
    ).where(AuditRow.area == "platform")
    return cursor_page(rows, query, descending(AuditRow.number))
