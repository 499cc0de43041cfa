"""The counters behind the percentages, for anyone who wants to count again."""

import json
from collections.abc import Callable, Iterable, Iterator
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
Lines = Callable[[Past], tuple[str, str]]
# Raised when equal hours would give another file.
FORMAT = 1


@pages("status")
def counters(edition: Edition) -> Iterator[Page]:
    """
    The whole hours and days of each service.

    They are made anew when the past changes, and not with every measurement: what
    the periods have beside whole hours stands in the service's own JSON.
    """
    # The two files of a service are made one after the other.
    lines = lru_cache(maxsize=1)(_lines)
    for slug, measured in edition.once(facts_at).measured.items():
        past = measured.past
        key = [FORMAT, *past.key()]
        yield Page(data_path(slug, "json"), partial(_json, slug, past, lines), key=key)
        yield Page(data_path(slug, "csv"), partial(_csv, past, lines), key=key)


def _json(slug: str, past: Past, lines: Lines) -> str:
    start, end = past.span
    told = {
        "slug": slug,
        "from": told_moment(start),
        "to": told_moment(end),
        "columns": COLUMNS,
    }
    days, hours = map(_rows, lines(past))
    return (
        f'{{"data":{json.dumps(told)[:-1]}, "days":[{days}],\n"hours":[{hours}]}}}}\n'
    )


def _rows(text: str) -> str:
    """Say lines as JSON: in each all but the time, which ends in Z, are numbers."""
    if not text:
        return ""
    return '["' + text.replace("Z,", 'Z",').replace("\n", '],\n["') + "]"


def _csv(past: Past, lines: Lines) -> str:
    named = zip(("day,", "hour,"), lines(past), strict=True)
    texts = [name + text.replace("\n", "\n" + name) for name, text in named if text]
    return "\n".join([",".join(("per", *COLUMNS)), *texts]) + "\n"


def _lines(past: Past) -> tuple[str, str]:
    """Return the days that are over and the hours: a line has the time and counts."""
    hours = past.hours()
    days, each_hour = (
        "\n".join([f"{_told(row[0])},%d,%d,%d,%d,%d,%d" % row[1:] for row in rows])
        for rows in (_days(hours, past), hours)
    )
    return days, each_hour


@lru_cache(maxsize=4096)
def _told(at: int) -> str:
    """Hundreds of services have the same hours."""
    return told_moment(moment(at))


def _days(hours: Iterable[Hour], past: Past) -> Iterator[Hour]:
    for day, found in groupby(hours, lambda row: row[0] // DAY_MS):
        if moment((day + 1) * DAY_MS) <= past.span[1]:
            _, *columns = zip(*found, strict=True)
            yield day * DAY_MS, *map(sum, columns)
