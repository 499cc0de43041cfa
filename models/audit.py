"""
Keep the audit log: for each area an append-only, tamper-evident chain of records.

The link of each record is SHA-256 over the previous link and the record's content, so
a record that is changed or removed breaks the chain.
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from peewee import AutoField, TextField, fn
from pydantic.alias_generators import to_camel

from models.base import MomentField, Row, Schema, canonical_json, epoch_ms, new_id
from models.fields import Moment, format_moment
from models.pagination import CursorQuery, Page, cursor_page, descending

# The areas that have an audit log.
AUDITED_AREAS = ("platform", "projects", "status")


@dataclass(frozen=True)
class AuditTarget:
    """What a record is about; a key also has its prefix."""

    type: str
    id: str
    label: str | None
    prefix: str | None = None


class StoredAuditRecord(Schema):
    """A record with all its fields, as it is stored and exported."""

    number: int
    area: str
    id: str
    actor: str
    action: str
    target_type: str
    target_id: str
    target_label: str | None
    target_prefix: str | None
    at: Moment
    detail: str | None
    link: str


class AuditRow(Row):
    number = AutoField()
    area = TextField()
    id = TextField(unique=True)
    actor = TextField()
    action = TextField()
    target_type = TextField()
    target_id = TextField()
    target_label = TextField(null=True)
    at = MomentField()
    detail = TextField(null=True)
    link = TextField()
    target_prefix = TextField(null=True)

    class Meta:
        indexes = ((("area", "number"), True),)


def append(
    area: str,
    *,
    actor: str,
    action: str,
    target: AuditTarget,
    now: datetime,
    detail: str | None = None,
) -> None:
    """
    Append a record to the area's log, inside the transaction of the change.

    The transaction has the lock of the area, so that the chain has one end.
    """
    row = AuditRow(
        area=area,
        id=new_id(now),
        actor=actor,
        action=action,
        target_type=target.type,
        target_id=target.id,
        target_label=target.label,
        target_prefix=target.prefix,
        at=now,
        detail=detail,
    )
    row.link = _link(last_link(area), row)
    row.save(force_insert=True)


def last_link(area: str) -> str:
    """Return the last link of the area's chain, "" if it has no records."""
    newest = (
        AuditRow.select(AuditRow.link)
        .where(AuditRow.area == area)
        .order_by(AuditRow.number.desc())
        .first()
    )
    return newest.link if newest else ""


def first_record(area: str) -> AuditRow | None:
    """Return the area's oldest record, None if it has none."""
    row: AuditRow | None = _chain(area).first()
    return row


def last_number(area: str) -> int:
    """Return the number of the area's last record, 0 if it has none."""
    newest = AuditRow.select(fn.MAX(AuditRow.number)).where(AuditRow.area == area)
    return int(newest.scalar() or 0)


class FindAuditRecords(CursorQuery):
    """Which records of several areas; texts are parts of the action and the actor."""

    areas: list[str]
    action: str | None = None
    actor: str | None = None
    since: Moment | None = None
    until: Moment | None = None


def find_records(query: FindAuditRecords) -> Page[StoredAuditRecord]:
    """Return a page of the records, newest first."""
    rows = AuditRow.select().where(AuditRow.area.in_(query.areas))
    if query.action:
        rows = rows.where(AuditRow.action.contains(query.action))
    if query.actor:
        rows = rows.where(AuditRow.actor.contains(query.actor))
    if query.since is not None:
        rows = rows.where(AuditRow.at >= query.since)
    if query.until is not None:
        rows = rows.where(AuditRow.at < query.until)
    page = cursor_page(rows, query, descending(AuditRow.number))
    records = [StoredAuditRecord.model_validate(row) for row in page.items]
    return Page(records, page.meta)


@dataclass(frozen=True)
class NewestLinks:
    """How many of an area's newest records were checked, and which links are broken."""

    checked: int
    is_all: bool
    broken: list[str]


def check_newest_links(area: str, limit: int) -> NewestLinks:
    """Check the chain of an area's newest records, as `broken_links` does for all."""
    newest = AuditRow.select().where(AuditRow.area == area)
    rows = list(newest.order_by(AuditRow.number.desc()).limit(limit + 1))
    checked, is_all = rows[:limit], len(rows) <= limit
    # The link before the oldest record is empty.
    links = [*(row.link for row in rows), ""]
    broken = [
        row.id
        for row, previous in zip(checked, links[1:], strict=False)
        if _link(previous, row) != row.link
    ]
    return NewestLinks(len(checked), is_all, broken)


def stored_records(area: str) -> Iterator[StoredAuditRecord]:
    """Yield the area's records, oldest first."""
    return map(StoredAuditRecord.model_validate, _chain(area).iterator())


def broken_links(area: str) -> list[str]:
    """Return the ids of the records whose link does not match the chain before them."""
    previous, broken = "", []
    for row in _chain(area).iterator():
        if _link(previous, row) != row.link:
            broken.append(row.id)
        previous = row.link
    return broken


def _chain(area: str) -> Any:
    return AuditRow.select().where(AuditRow.area == area).order_by(AuditRow.number)


def _link(previous: str, row: AuditRow) -> str:
    content = [
        row.area,
        row.id,
        row.actor,
        row.action,
        row.target_type,
        row.target_id,
        row.target_label,
        epoch_ms(row.at),
        row.detail,
    ]
    # Only keys have a prefix.
    if row.target_prefix is not None:
        content.append(row.target_prefix)
    return hashlib.sha256(previous.encode() + canonical_json(content)).hexdigest()


def describe_key(prefix: str, name: str) -> str:
    """
    Return the key with which a change was made.

    The quoted name cannot pass for the end of the detail, whatever it contains.
    """
    return f"via key {prefix} {json.dumps(name, ensure_ascii=False)}"


def describe_changes(changes: dict[str, tuple[object, object]]) -> str:
    """Return the changed fields, by their JSON names; long values are shortened."""
    return "; ".join(
        f"{to_camel(name)}: {_shorten(old)} -> {_shorten(new)}"
        for name, (old, new) in sorted(changes.items())
    )


def _shorten(value: object) -> str:
    if isinstance(value, datetime):
        return format_moment(value)
    if isinstance(value, list):
        return ", ".join(value) or "none"
    if isinstance(value, bool):
        return str(value).lower()
    text = "none" if value is None else str(value)
    return text if len(text) <= 80 else text[:79] + "…"
