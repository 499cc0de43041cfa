"""The counters behind the percentages, for anyone who wants to count again."""

import json
from collections.abc import Callable, Iterator
from functools import lru_cache, partial

from models.base import moment
from models.status.past import Past
from models.status.periods import Measured, told_counts
from models.status.uptime import Counts
from models.words import told_moment
from sitegen.board import facts_at
from sitegen.links import data_path
from sitegen.page import Edition, Page, pages

COLUMNS = ("start", *told_counts(Counts()))
# The words of times, and beside each the counts of what began there.
Lines = tuple[tuple[str, ...], list[str]]
Hours = Callable[[Past], Lines]
# Raised when equal hours would give another file.
FORMAT = 2


@pages("status")
def counters(edition: Edition) -> Iterator[Page]:
    """
    The whole hours and days of each service.

    They are made anew when the past changes, and not with every measurement: what
    the periods have beside whole hours stands in the service's own JSON.
    """
    # The two files of a service are made one after the other.
    hours = lru_cache(maxsize=1)(_hours)
    for slug, measured in edition.once(facts_at).measured.items():
        key = [FORMAT, *measured.past.key()]
        for ending, told in (("json", partial(_json, slug)), ("csv", _csv)):
            data = partial(told, measured, hours)
            yield Page(data_path(slug, ending), data, key=key)


def _json(slug: str, measured: Measured, hours: Hours) -> str:
    start, end = measured.past.span
    told = {
        "slug": slug,
        "from": told_moment(start),
        "to": told_moment(end),
        "columns": COLUMNS,
    }
    days, each_hour = _rows(_days(measured)), _rows(hours(measured.past))
    rows = f'"days":[{days}],\n"hours":[{each_hour}]'
    return f'{{"data":{json.dumps(told)[:-1]}, {rows}}}}}\n'


def _rows(lines: Lines) -> str:
    told = list(map(str.__add__, _before('["', lines[0], '",'), lines[1]))
    return "],\n".join(told) + "]" if told else ""


def _csv(measured: Measured, hours: Hours) -> str:
    days, each_hour = _days(measured), hours(measured.past)
    texts: list[str] = [
        *map(str.__add__, _before("\nday,", days[0], ","), days[1]),
        *map(str.__add__, _before("\nhour,", each_hour[0], ","), each_hour[1]),
    ]
    return "".join([",".join(("per", *COLUMNS)), *texts, "\n"])


@lru_cache(maxsize=8)
def _before(start: str, times: tuple[str, ...], end: str) -> list[str]:
    """Return what stands before the counts: hundreds of services have the same."""
    return [f"{start}{time}{end}" for time in times]


@lru_cache(maxsize=2)
def _told(times: str) -> tuple[str, ...]:
    """Return the words of times, which are told as milliseconds with commas."""
    return tuple(told_moment(moment(int(at))) for at in times.split(",") if at)


def _days(measured: Measured) -> Lines:
    """Return the counts of each day that is over."""
    last = measured.last_hour_ends.date()
    days = [each for each in sorted(measured.shown.days.items()) if each[0] < last]
    times = tuple(f"{day}T00:00:00.000Z" for day, _ in days)
    return times, [",".join(map(str, counts)) for _, counts in days]


def _hours(past: Past) -> Lines:
    times, counts = past.lines()
    return _told(times), counts
