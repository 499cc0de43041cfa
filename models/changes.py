"""
What the site has yet to show.

A write raises the number of its area in its own transaction. The builder notes
the number it has built. An area whose mark is above its note is behind,
whatever happened to the process in between.
"""

from collections.abc import Iterable
from datetime import datetime

from peewee import IntegerField, TextField, chunked

from models.base import MomentField, Row
from models.storage.database import database, writing

AREAS = ("docs", "status")
# No engine takes any number of values in one statement; every page may have failed.
AT_ONCE = 1000


class AreaRow(Row):
    name = TextField(primary_key=True)
    marked = IntegerField(default=0)
    built = IntegerField(default=0)


class FailedPageRow(Row):
    """A page that could not be made: its file is yesterday's until it can."""

    path = TextField(primary_key=True)
    area = TextField()
    reason = TextField()
    at = MomentField()


# Every write marks, and Peewee would need longer to say it than SQLite to do it.
_MARK = (
    "INSERT INTO area (name, marked, built)"
    " VALUES (?, (SELECT COALESCE(MAX(marked), 0) + 1 FROM area), 0)"
    " ON CONFLICT (name) DO UPDATE SET marked = excluded.marked RETURNING marked"
)


def mark(area: str) -> int:
    """
    Say, inside the transaction of a change, that the area must be built.

    Return the generation of the site that will show it: one number for all
    areas, higher with each change.
    """
    (generation,) = database.execute_sql(_MARK, (area,)).fetchone()
    return int(generation)


def generation_with(numbers: dict[str, int]) -> int:
    """Return the generation that is live once these areas are built to these marks."""
    rows = list(AreaRow.select())
    built = {row.name: max(row.built, numbers.get(row.name, 0)) for row in rows}
    behind = [built[row.name] for row in rows if row.marked > built[row.name]]
    return min(behind) if behind else max(built.values(), default=0)


def marks() -> dict[str, int]:
    """Return the number of each area, 0 where nothing has been written yet."""
    found = {row.name: row.marked for row in AreaRow.select()}
    return {area: found.get(area, 0) for area in AREAS}


def behind() -> set[str]:
    """Return the areas that were written to after their last build."""
    rows = AreaRow.select().where(AreaRow.marked > AreaRow.built)
    return {row.name for row in rows}


def note_built(
    marked: dict[str, int], failures: Iterable[tuple[str, str, str]], now: datetime
) -> None:
    """
    Note what has been built: the numbers read before it, and what failed.

    An area with a failed page stays behind, so that the next build tries again.
    A page of no area is made in every build, and its failure holds all back.
    """
    failed = {
        path: {"path": path, "area": area, "reason": reason, "at": now}
        for path, area, reason in failures
    }
    failed_areas = {row["area"] for row in failed.values()}
    made_now = FailedPageRow.area.in_(list(marked)) | FailedPageRow.area.not_in(AREAS)
    with writing():
        FailedPageRow.delete().where(made_now).execute()
        for some in chunked(failed.values(), AT_ONCE):
            row = FailedPageRow
            row.insert_many(some).on_conflict(
                conflict_target=[row.path], preserve=[row.area, row.reason, row.at]
            ).execute()
        for area, number in marked.items():
            if failed_areas <= set(AREAS) - {area}:
                AreaRow.update(built=number).where(
                    AreaRow.name == area, AreaRow.built < number
                ).execute()


def failed_pages() -> list[FailedPageRow]:
    return list(FailedPageRow.select().order_by(FailedPageRow.path))
