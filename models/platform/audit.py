"""List the audit records of changes to API keys."""

from typing import Annotated, Any, Literal

from pydantic import Field

from models.audit import AuditRow
from models.base import Schema
from models.fields import ACTION, ACTOR, LIMIT, ChangedAt, ChangeDetail, Id
from models.pagination import CursorQuery, Limit, Page, cursor_page, descending
from models.platform import descriptions

KeyAction = Literal["add", "update", "remove", "rotate"]


class AuditRecord(Schema):
    id: Annotated[Id, descriptions.KEY_ID]
    actor: Annotated[str, ACTOR]
    action: Annotated[KeyAction, ACTION]
    target_key_id: Id = Field(description="The ID of the key that was changed.")
    target_key_prefix: str | None = Field(
        description="The first characters of the key's secret.",
        examples=["mh_7Gk2pQ9x"],
    )
    target_key_name: str | None = Field(
        description="The name of the key at that time.", examples=["Probe in Frankfurt"]
    )
    at: ChangedAt
    detail: ChangeDetail | None


class ListAudit(CursorQuery):
    limit: Annotated[Limit, LIMIT] = 50


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
