"""Who changed which key: the audit of keys, as it may be asked."""

from typing import Any, Literal

from models.audit import AuditRow
from models.base import Shape
from models.pagination import CursorQuery, Limit, Page, descending, page_of
from models.words import Id, Moment

KeyAction = Literal["add", "update", "remove", "rotate"]


class AuditRecord(Shape):
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


def key_audit_listed(asked: ListAudit) -> Page[Any]:
    """Return a page of the changes of keys, newest first."""
    query = AuditRow.select(
        *(AuditRow.number, AuditRow.id, AuditRow.actor, AuditRow.action),
        *(AuditRow.at, AuditRow.detail),
        AuditRow.target_id.alias("target_key_id"),
        AuditRow.target_prefix.alias("target_key_prefix"),
        AuditRow.target_label.alias("target_key_name"),
    ).where(AuditRow.area == "platform")
    return page_of(query, asked, descending(AuditRow.number))
