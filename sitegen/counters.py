"""The counters behind the percentages, for anyone who wants to count again."""

import json
from collections.abc import Callable, Iterator
from functools import lru_cache, partial

from models.base import moment
from models.status.past import Past
from models.status.periods import told_counts
from models.status.uptime import Counts
from models.words import told_moment
from sitegen.board import pasts_at
from sitegen.links import data_path
from sitegen.page import Edition, Page, pages

COLUMNS = ("start", *told_counts(Counts()))
# The words of times, and beside each the counts of what began there.
Lines = tuple[tuple[str, ...], list[str]]
# The days that are over, and the hours.
Told = tuple[Lines, Lines]
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
    told = lru_cache(maxsize=1)(_told)
    for slug, past in edition.once(pasts_at).items():
        key = [FORMAT, *past.key()]
        for ending, made in (("json", partial(_json, slug)), ("csv", _csv)):
            yield Page(data_path(slug, ending), partial(made, past, told), key=key)


def _json(slug: str, past: Past, told_of: Callable[[Past], Told]) -> str:
    start, end = past.span
    told = {
        "slug": slug,
        "from": told_moment(start),
        "to": told_moment(end),
        "columns": COLUMNS,
    }
    days, hours = map(_rows, told_of(past))
    rows = f'"days":[{days}],\n"hours":[{hours}]'
    return f'{{"data":{json.dumps(told)[:-1]}, {rows}}}}}\n'


def _rows(lines: Lines) -> str:
    told = list(map(str.__add__, _before('["', lines[0], '",'), lines[1]))
    return "],\n".join(told) + "]" if told else ""


def _csv(past: Past, told_of: Callable[[Past], Told]) -> str:
    days, hours = told_of(past)
    texts: list[str] = [
        *map(str.__add__, _before("\nday,", days[0], ","), days[1]),
        *map(str.__add__, _before("\nhour,", hours[0], ","), hours[1]),
    ]
    return "".join([",".join(("per", *COLUMNS)), *texts, "\n"])


@lru_cache(maxsize=8)
def _before(start: str, times: tuple[str, ...], end: str) -> list[str]:
    """Return what stands before the counts: hundreds of services have the same."""
    return [f"{start}{time}{end}" for time in times]


def _told(past: Past) -> Told:
    return _days(past), _hours(past)


def _days(past: Past) -> Lines:
    last = past.span[1].date()
    days = [each for each in sorted(past.days().items()) if each[0] < last]
    times = tuple(f"{day}T00:00:00.000Z" for day, _ in days)
    return times, [",".join(map(str, counts)) for _, counts in days]


def _hours(past: Past) -> Lines:
    times, counts = past.lines()
    return _words(times), counts


@lru_cache(maxsize=2)
def _words(times: str) -> tuple[str, ...]:
    """Return the words of times, which are told as milliseconds with commas."""
    return tuple(told_moment(moment(int(at))) for at in times.split(",") if at)
