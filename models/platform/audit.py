"""Who changed which key: the audit of keys, as it may be asked."""

from typing import Any, Literal

from models.audit import AuditRow
from models.base import Schema
from models.fields import Id, Moment
from models.pagination import CursorQuery, Limit, Page, descending, page_of

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


def key_audit_listed(query: ListAudit) -> Page[Any]:
    """Return a page of the changes of keys, newest first."""
    rows = AuditRow.select(
        *(AuditRow.number, AuditRow.id, AuditRow.actor, AuditRow.action),
        *(AuditRow.at, AuditRow.detail),
        AuditRow.target_id.alias("target_key_id"),
        AuditRow.target_prefix.alias("target_key_prefix"),
        AuditRow.target_label.alias("target_key_name"),
    ).where(AuditRow.area == "platform")
    return page_of(rows, query, descending(AuditRow.number))
