"""
Track which areas of the site have changed since they were last built.

A write increases the number of its area in its own transaction. The builder records
the number that it has built. An area whose `marked` is above its `built` is behind,
whatever happened to the process in between.
"""

import json
from collections.abc import Iterable, Mapping
from datetime import datetime

from peewee import IntegerField, TextField, chunked

from models.base import MomentField, Row
from models.instance import InstanceRow, set_instance_value
from models.storage.database import database, reading, writing
from models.storage.write_locks import WriteLock

AREAS = ("docs", "status")
# Engines limit the number of values in one statement, and every page may have failed.
BATCH_SIZE = 1000
# The name under which the instance has what is published, and where.
PUBLISHED = "published"


# Every write runs this, and Peewee takes longer to build it than the engine to run it.
_MARK = (
    "INSERT INTO area (name, marked, built)"
    " VALUES (?, (SELECT COALESCE(MAX(marked), 0) + 1 FROM area), 0)"
    " ON CONFLICT (name) DO UPDATE SET marked = excluded.marked RETURNING marked"
)


class AreaRow(Row):
    name = TextField(primary_key=True)
    marked = IntegerField(default=0)
    built = IntegerField(default=0)


class FailedPageRow(Row):
    """A page that could not be rendered: its old file stays until it can be."""

    path = TextField(primary_key=True)
    area = TextField()
    reason = TextField()
    at = MomentField()


def mark(area: str) -> int:
    """
    Mark the area as changed, inside the transaction of the change.

    Return the generation of the site that will show the change: one number for all
    areas, which increases with each commit. Other writes that mark an area wait until
    this transaction ends, so it should be the last that a transaction does.
    """
    database.lock(WriteLock.BUILDS)
    (generation,) = database.connection().execute(_MARK, (area,)).fetchone()
    return int(generation)


def generation_with(numbers: dict[str, int]) -> int:
    """Return the generation that is live once the areas are built to these numbers."""
    rows = list(AreaRow.select())
    built = {row.name: max(row.built, numbers.get(row.name, 0)) for row in rows}
    behind = [built[row.name] for row in rows if row.marked > built[row.name]]
    return min(behind) if behind else max(built.values(), default=0)


def marks() -> dict[str, int]:
    """Return the number of each area, 0 if nothing has been written to it yet."""
    marked = {row.name: row.marked for row in AreaRow.select()}
    return {area: marked.get(area, 0) for area in AREAS}


def built_generations() -> dict[str, int]:
    """Return the generation up to which the pages of each area are built."""
    with reading():
        return {row.name: row.built for row in AreaRow.select()}


def note_published(target: str, generations: Mapping[str, int]) -> None:
    """Record up to which generation the pages of each area are at the target."""
    with writing(WriteLock.BUILDS):
        # Another server may have published later ones meanwhile.
        known = _published_at(target)
        newest = {
            area: max(number, known.get(area, 0))
            for area, number in generations.items()
        }
        if newest != known:
            value = {"target": target, "generations": newest}
            set_instance_value(PUBLISHED, json.dumps(value))


def published_generations(target: str) -> dict[str, int]:
    """Return what was recorded of this target, nothing if the last was another one."""
    with reading():
        return _published_at(target)


def _published_at(target: str) -> dict[str, int]:
    row = InstanceRow.get_or_none(InstanceRow.name == PUBLISHED)
    value = json.loads(row.value) if row else {}
    generations: dict[str, int] = value.get("generations", {})
    return generations if value.get("target") == target else {}


def behind() -> set[str]:
    """Return the areas that have changed since their last build."""
    rows = AreaRow.select().where(AreaRow.marked > AreaRow.built)
    return {row.name for row in rows}


def note_built(
    marked: dict[str, int], failures: Iterable[tuple[str, str, str]], now: datetime
) -> None:
    """
    Record what was built: the numbers read before the build, and the failed pages.

    An area with a failed page stays behind, so that the next build tries again. A
    page of no area is rendered in every build, and its failure keeps all areas behind.
    """
    failed = {
        path: {"path": path, "area": area, "reason": reason, "at": now}
        for path, area, reason in failures
    }
    failed_areas = {row["area"] for row in failed.values()}
    is_rebuilt = FailedPageRow.area.in_(list(marked))
    is_in_every_build = FailedPageRow.area.not_in(AREAS)
    with writing(WriteLock.BUILDS):
        FailedPageRow.delete().where(is_rebuilt | is_in_every_build).execute()
        for batch in chunked(failed.values(), BATCH_SIZE):
            row = FailedPageRow
            row.insert_many(batch).on_conflict(
                conflict_target=[row.path], preserve=[row.area, row.reason, row.at]
            ).execute()
        for area, number in marked.items():
            if failed_areas <= set(AREAS) - {area}:
                AreaRow.update(built=number).where(
                    AreaRow.name == area, AreaRow.built < number
                ).execute()


def failed_pages() -> list[FailedPageRow]:
    return list(FailedPageRow.select().order_by(FailedPageRow.path))
