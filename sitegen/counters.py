"""The counters behind the percentages, for anyone who wants to count again."""

import json
from collections.abc import Iterable, Iterator
from functools import lru_cache, partial
from itertools import groupby

from models.base import moment
from models.status.hours import DAY_MS
from models.status.past import Hour, Past
from models.status.periods import told_counts
from models.status.uptime import Counts
from models.words import told_moment
from sitegen.board import facts_at
from sitegen.links import data_path
from sitegen.page import Edition, Page, pages

COLUMNS = ("start", *told_counts(Counts()))
# Raised when equal hours would give another file.
FORMAT = 1


@pages("status")
def counters(edition: Edition) -> Iterator[Page]:
    """
    The whole hours and days of each service.

    They are made anew when the past changes, and not with every measurement: what
    the periods have beside whole hours stands in the service's own JSON.
    """
    for slug, measured in edition.once(facts_at).measured.items():
        past = measured.past
        key = [FORMAT, *past.key()]
        yield Page(data_path(slug, "json"), partial(_json, slug, past), key=key)
        yield Page(data_path(slug, "csv"), partial(_csv, past), key=key)


def _json(slug: str, past: Past) -> str:
    start, end = past.span
    days, hours = _lines(past)
    told = {
        "slug": slug,
        "from": told_moment(start),
        "to": told_moment(end),
        "columns": COLUMNS,
    }
    rows = "".join(
        f',"{name}":[' + ",".join(map(_row, lines)) + "]"
        for name, lines in (("days", days), ("hours", hours))
    )
    return f'{{"data":{json.dumps(told)[:-1]}{rows}}}}}\n'


def _csv(past: Past) -> str:
    days, hours = _lines(past)
    header = ",".join(("per", *COLUMNS))
    lines = [*(f"day,{each}" for each in days), *(f"hour,{each}" for each in hours)]
    return "\n".join([header, *lines]) + "\n"


def _row(line: str) -> str:
    """Say a line as JSON: all but the time are numbers."""
    start, _, numbers = line.partition(",")
    return f'["{start}",{numbers}]'


def _lines(past: Past) -> tuple[list[str], list[str]]:
    """Return the days that are over and the hours, each as its time and its counts."""
    hours = past.hours()
    return [_line(each) for each in _days(hours, past)], [_line(each) for each in hours]


def _line(row: Hour) -> str:
    return f"{_told(row[0])},%d,%d,%d,%d,%d,%d" % row[1:]


@lru_cache(maxsize=4096)
def _told(at: int) -> str:
    """Hundreds of services have the same hours."""
    return told_moment(moment(at))


def _days(hours: Iterable[Hour], past: Past) -> Iterator[Hour]:
    for day, found in groupby(hours, lambda row: row[0] // DAY_MS):
        if moment((day + 1) * DAY_MS) <= past.span[1]:
            _, *columns = zip(*found, strict=True)
            yield day * DAY_MS, *map(sum, columns)
