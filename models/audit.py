"""
Who changed what: an append-only chain of records for each area.

Each record carries SHA-256 over the link before it and its own content, so a
record that is altered or taken out breaks every link after it.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from peewee import AutoField, TextField, fn
from pydantic.alias_generators import to_camel

from models.base import MomentField, Row, Schema, canonical, milliseconds, new_id
from models.fields import Moment, format_moment

# The areas that keep a chain.
AUDITED = ("platform", "projects", "status")


@dataclass(frozen=True)
class Target:
    """What a record is about; a key is told by its prefix as well."""

    type: str
    id: str
    label: str | None
    prefix: str | None = None


class KeptRecord(Schema):
    """A record as it is kept, with its link."""

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
    target: Target,
    now: datetime,
    detail: str | None = None,
) -> None:
    """Add a record to the area's chain, inside the transaction of its change."""
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
    row.link = _link(newest_link(area), row)
    row.save(force_insert=True)


def newest_link(area: str) -> str:
    """Return the last link of the area's chain, "" while it has none."""
    newest = (
        AuditRow.select(AuditRow.link)
        .where(AuditRow.area == area)
        .order_by(AuditRow.number.desc())
        .first()
    )
    return newest.link if newest else ""


def newest_number(area: str) -> int:
    """Return the number of the area's last record, 0 while it has none."""
    newest = AuditRow.select(fn.MAX(AuditRow.number)).where(AuditRow.area == area)
    return int(newest.scalar() or 0)


def records_kept(area: str) -> Iterator[KeptRecord]:
    """Yield the area's records, oldest first."""
    return map(KeptRecord.model_validate, _chain(area).iterator())


def broken_links(area: str) -> list[str]:
    """Return the ids of the records whose link does not fit what stands before."""
    before, broken = "", []
    for row in _chain(area).iterator():
        if _link(before, row) != row.link:
            broken.append(row.id)
        before = row.link
    return broken


def _chain(area: str) -> Any:
    return AuditRow.select().where(AuditRow.area == area).order_by(AuditRow.number)


def _link(before: str, row: AuditRow) -> str:
    content = [
        row.area,
        row.id,
        row.actor,
        row.action,
        row.target_type,
        row.target_id,
        row.target_label,
        milliseconds(row.at),
        row.detail,
    ]
    # Records from before there were prefixes keep the links that they have.
    if row.target_prefix is not None:
        content.append(row.target_prefix)
    return hashlib.sha256(before.encode() + canonical(content)).hexdigest()


def told(changes: dict[str, tuple[object, object]]) -> str:
    """Return changed members, as callers name them; long values are cut short."""
    return "; ".join(
        f"{to_camel(name)}: {_short(old)} -> {_short(new)}"
        for name, (old, new) in sorted(changes.items())
    )


def _short(value: object) -> str:
    if isinstance(value, datetime):
        return format_moment(value)
    if isinstance(value, list):
        return ", ".join(value) or "none"
    if isinstance(value, bool):
        return str(value).lower()
    text = "none" if value is None else str(value)
    return text if len(text) <= 80 else text[:79] + "…"
