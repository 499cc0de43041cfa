"""
Know which API keys send measurements for a source, and decide which of them may.

A key counts by the lineage of its rotations, so a replacement speaks for the same
sources as the key that it replaced.
"""

import logging
from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Annotated, NamedTuple

from peewee import CompositeKey, TextField
from pydantic import Field

from models.audit import AuditTarget
from models.base import MomentField, Row, Schema, epoch_ms, from_epoch_ms
from models.errors import LimitExceeded, SourceTaken
from models.fields import EXAMPLE_ID, Id, Moment, StatusSlug
from models.logs import LogLine
from models.runtime.faults import Fault
from models.status import descriptions
from models.status.measurements.measurements import ReadingRow, StatusRecordMeasurements
from models.status.services.rows import ServiceRow
from models.storage.database import database, reading

log = logging.getLogger("masthead")

MAX_SOURCES = 64
# Of these, so that one leaked key cannot take the room of all others.
MAX_SOURCES_OF_KEY = 16
# A source that has not measured a service for so long does not count for the maximum.
SOURCE_LIFETIME = timedelta(days=7)
# A source that several keys use within this time is reported.
SHARED_WITHIN = timedelta(hours=1)
# The last use is written at most once in this time, since batches come every second.
USE_INTERVAL = timedelta(minutes=5)

# The lineage and the prefix of a key, and when it was last used.
_KeyUse = tuple[str, str, int | None]


class SourceKeyRow(Row):
    """A key, by its lineage, that sends measurements for a source."""

    source = TextField()
    lineage = TextField()
    # The newest key of the lineage that was used.
    key_id = TextField()
    key_prefix = TextField()
    first_used_at = MomentField()
    # Null while the source was only handed over to the key.
    last_used_at = MomentField(null=True)

    class Meta:
        primary_key = CompositeKey("source", "lineage")

    @property
    def audited(self) -> AuditTarget:
        return AuditTarget("source", self.source, self.source)


class MeasuringKey(NamedTuple):
    """The key that sends measurements, or shall send them."""

    lineage: str
    id: str
    prefix: str


class StatusSourceKey(Schema):
    id: Id = Field(description="The ID of the key.", examples=[EXAMPLE_ID])
    prefix: str = Field(
        description="The part of the key that is not secret.", examples=["mh_3kT9sQ2x"]
    )
    first_used_at: Moment = Field(
        description="When the key first used the source, or got it."
    )
    last_used_at: Moment | None = Field(
        description="When the key last used the source, to five minutes; or null."
    )


class StatusMeasuredService(Schema):
    slug: Annotated[str, descriptions.SERVICE_SLUG]
    observed_at: Moment = Field(description="When its newest measurement was made.")


class StatusSource(Schema):
    """A source and its keys; the first one owns it."""

    source: Annotated[str, descriptions.SOURCE]
    keys: list[StatusSourceKey] = Field(
        description="The keys that use the source. The first one owns it."
    )


class StatusListedSource(StatusSource):
    services: list[StatusMeasuredService] = Field(
        description="The services that the source measures."
    )


class StatusListSources(Schema):
    slug: StatusSlug | None = Field(
        default=None, description="Only the sources of this service.", examples=["api"]
    )


class StatusTransferSource(Schema):
    source: Annotated[StatusSlug, descriptions.SOURCE]
    key_id: Id = Field(
        description="The ID of the key that shall own the source.",
        examples=[EXAMPLE_ID],
    )


# Fixed SQL, because every batch runs it. The first row is that of the owner.
_SELECT_KEYS = (
    "SELECT lineage, key_prefix, last_used_at FROM source_key WHERE source = ?"
    " ORDER BY first_used_at, lineage"
)
_UPSERT_KEY = (
    "INSERT INTO source_key"
    " (source, lineage, key_id, key_prefix, first_used_at, last_used_at)"
    " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (source, lineage) DO UPDATE SET"
    " key_id = excluded.key_id, key_prefix = excluded.key_prefix,"
    " last_used_at = excluded.last_used_at"
)
# The number of recent sources of each service to which this one is new, and how many
# of them the key used first.
_COUNT_SOURCES = (
    "SELECT slug,"
    " (SELECT COUNT(*) FROM reading WHERE service_id = number AND observed_at >= ?),"
    " (SELECT COUNT(*) FROM reading WHERE service_id = number AND observed_at >= ?"
    " AND (SELECT lineage FROM source_key WHERE source_key.source = reading.source"
    " ORDER BY first_used_at, lineage LIMIT 1) = ?)"
    " FROM service WHERE slug IN ({slugs})"
    " AND NOT EXISTS (SELECT 1 FROM reading WHERE service_id = number AND source = ?)"
    " ORDER BY slug"
)


def admit_batch(
    request: StatusRecordMeasurements,
    fresh_statuses: Mapping[str, str | None],
    key: MeasuringKey,
    now: datetime,
    *,
    is_owned: bool,
) -> None:
    """
    Record that the key uses the source, before its batch is stored.

    Raise SourceTaken if sources are owned and another lineage owns this one, and
    LimitExceeded if a service has too many sources, of all keys or of this lineage, to
    get another. A batch that measures no service uses no source.
    """
    slugs = {m.slug for m in request.measurements if m.slug in fresh_statuses}
    if not slugs:
        return
    _use_source(request.source, key, now, is_owned)
    without_fresh = [slug for slug in slugs if fresh_statuses[slug] is None]
    if without_fresh:
        _require_room(request.source, key.lineage, without_fresh, now)


def transfer_source(
    source: str, key: MeasuringKey, now: datetime
) -> tuple[SourceKeyRow, list[str], bool]:
    """
    Make the key the only one of the source.

    Return its row, the prefixes of the earlier keys, and whether anything changed.
    """
    rows = _keys_of(source)
    if [row.lineage for row in rows] == [key.lineage]:
        return rows[0], [], False
    SourceKeyRow.delete().where(SourceKeyRow.source == source).execute()
    row = SourceKeyRow.create(
        source=source,
        lineage=key.lineage,
        key_id=key.id,
        key_prefix=key.prefix,
        first_used_at=now,
    )
    return row, [row.key_prefix for row in rows], True


def source_with_keys(source: str) -> StatusSource:
    return StatusSource(source=source, keys=[_key(row) for row in _keys_of(source)])


def list_sources(slugs: Iterable[str] | None = None) -> list[StatusListedSource]:
    """Return the sources by name; with slugs, those that measure these services."""
    readings = ReadingRow.select(ReadingRow, ServiceRow.slug).join(ServiceRow)
    if slugs is not None:
        readings = readings.where(ServiceRow.slug.in_(list(slugs)))
    services: dict[str, list[StatusMeasuredService]] = defaultdict(list)
    for row in readings.order_by(ServiceRow.slug):
        measured = StatusMeasuredService(
            slug=row.service.slug, observed_at=row.observed_at
        )
        services[row.source].append(measured)
    keys: dict[str, list[StatusSourceKey]] = defaultdict(list)
    order = (SourceKeyRow.first_used_at, SourceKeyRow.lineage)
    for owner in SourceKeyRow.select().order_by(*order):
        keys[owner.source].append(_key(owner))
    names = services.keys() if slugs is not None else services.keys() | keys.keys()
    return [
        StatusListedSource(source=name, keys=keys[name], services=services[name])
        for name in sorted(names)
    ]


def shared_source_faults(now: datetime) -> list[Fault]:
    """Return a fault for each source that several keys used within an hour."""
    prefixes: dict[str, list[str]] = defaultdict(list)
    is_recent = SourceKeyRow.last_used_at > now - SHARED_WITHIN
    with reading():
        for row in SourceKeyRow.select().where(is_recent).order_by(SourceKeyRow.source):
            prefixes[row.source].append(row.key_prefix)
    return [
        Fault(
            "source-shared",
            f"Several keys sent measurements for the source '{source}' within an hour:"
            f" {', '.join(sorted(keys))}.",
        )
        for source, keys in prefixes.items()
        if len(keys) > 1
    ]


def _use_source(source: str, key: MeasuringKey, now: datetime, is_owned: bool) -> None:
    rows = _admitted_rows(source, key, is_owned)
    if _is_noted(rows, key, now):
        return
    others = {prefix: at for lineage, prefix, at in rows if lineage != key.lineage}
    used_at = epoch_ms(now)
    values = (source, key.lineage, key.id, key.prefix, used_at, used_at)
    database.connection().execute(_UPSERT_KEY, values)
    recent = [p for p, at in others.items() if _is_within(at, now, SHARED_WITHIN)]
    if recent:
        prefixes = " ".join(sorted([key.prefix, *recent]))
        log.warning(LogLine(state="source-shared", source=source, keys=prefixes))


def _admitted_rows(source: str, key: MeasuringKey, is_owned: bool) -> list[_KeyUse]:
    """Return the uses of the source; SourceTaken if another lineage owns it."""
    rows = database.connection().execute(_SELECT_KEYS, (source,)).fetchall()
    if is_owned and rows and rows[0][0] != key.lineage:
        raise SourceTaken(
            f"The source '{source}' belongs to another API key. Use another source, or"
            " let an administrator transfer this one to your key."
        )
    return list(rows)


def _is_noted(rows: list[_KeyUse], key: MeasuringKey, now: datetime) -> bool:
    """Return whether a recent use of the source by this key is stored."""
    return any(
        (lineage, prefix) == (key.lineage, key.prefix)
        and _is_within(used_at, now, USE_INTERVAL)
        for lineage, prefix, used_at in rows
    )


def _is_within(at: int | None, now: datetime, interval: timedelta) -> bool:
    return at is not None and abs(now - from_epoch_ms(at)) < interval


def _require_room(source: str, lineage: str, slugs: list[str], now: datetime) -> None:
    """Raise LimitExceeded if a service that the source is new to has no room."""
    query = _COUNT_SOURCES.format(slugs=", ".join("?" * len(slugs)))
    since = epoch_ms(now - SOURCE_LIFETIME)
    values = (since, since, lineage, *slugs, source)
    for slug, of_all, of_key in database.connection().execute(query, values):
        if of_all >= MAX_SOURCES:
            raise _full(f"A service has at most {MAX_SOURCES} sources", slug)
        if of_key >= MAX_SOURCES_OF_KEY:
            raise _full(
                f"A service has at most {MAX_SOURCES_OF_KEY} sources of one API key",
                slug,
            )


def _full(limit: str, slug: str) -> LimitExceeded:
    return LimitExceeded(
        f"{limit} in {SOURCE_LIFETIME.days} days, and '{slug}' already has that many."
        " Use a source of this service that your key may use, or let an administrator"
        " transfer one to your key."
    )


def _keys_of(source: str) -> list[SourceKeyRow]:
    query = SourceKeyRow.select().where(SourceKeyRow.source == source)
    return list(query.order_by(SourceKeyRow.first_used_at, SourceKeyRow.lineage))


def _key(row: SourceKeyRow) -> StatusSourceKey:
    return StatusSourceKey(
        id=row.key_id,
        prefix=row.key_prefix,
        first_used_at=row.first_used_at,
        last_used_at=row.last_used_at,
    )
