"""The counters behind the percentages, for anyone who wants to count again."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial

from models.base import from_epoch_ms
from models.fields import format_moment
from models.status.uptime.hourly_history import HourlyHistory
from models.status.uptime.periods import counts_to_json
from models.status.uptime.uptime import Counts
from sitegen.page import BuildContext, Page, PageBatch, pages
from sitegen.status.status_data import pasts_at
from sitegen.urls import data_path

COLUMNS = ("start", *counts_to_json(Counts()))
# The words of times, and beside each the counts of what began there.
Lines = tuple[tuple[str, ...], list[str]]
# The days that are over, and the hours.
Told = tuple[Lines, Lines]
# Raised when equal hours would give another file.
FORMAT = 2


@dataclass(frozen=True)
class Counters:
    """The two files of a service, which are made one after the other."""

    slug: str
    past: HourlyHistory
    told_of: Callable[[HourlyHistory], Told]

    @cached_property
    def pages(self) -> list[Page]:
        key, facts = [FORMAT, *self.past.key()], (self.past, self.told_of)
        return [
            Page(data_path(self.slug, ending), partial(made, *facts), key=key)
            for ending, made in (("json", partial(_json, self.slug)), ("csv", _csv))
        ]


@pages("status", apart=True)
def counters(context: BuildContext) -> Iterator[PageBatch]:
    """
    The whole hours and days of each service.

    They are made anew when the past changes, and not with every measurement: what
    the periods have beside whole hours stands in the service's own JSON.
    """
    # Of all services only the last is kept.
    told = lru_cache(maxsize=1)(_told)
    pasts = context.once(pasts_at).items()
    yield PageBatch(Counters(slug, past, told) for slug, past in pasts)


def _json(
    slug: str, past: HourlyHistory, told_of: Callable[[HourlyHistory], Told]
) -> str:
    start, end = past.span
    told = {
        "slug": slug,
        "from": format_moment(start),
        "to": format_moment(end),
        "columns": COLUMNS,
    }
    days, hours = map(_rows, told_of(past))
    rows = f'"days":[{days}],\n"hours":[{hours}]'
    return f'{{"data":{json.dumps(told)[:-1]}, {rows}}}}}\n'


def _rows(lines: Lines) -> str:
    told = list(map(str.__add__, _before('["', lines[0], '",'), lines[1]))
    return "],\n".join(told) + "]" if told else ""


def _csv(past: HourlyHistory, told_of: Callable[[HourlyHistory], Told]) -> str:
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


def _told(past: HourlyHistory) -> Told:
    return _days(past), _hours(past)


def _days(past: HourlyHistory) -> Lines:
    last = past.span[1].date()
    days = [each for each in sorted(past.days().items()) if each[0] < last]
    times = tuple(f"{day}T00:00:00.000Z" for day, _ in days)
    return times, [",".join(map(str, counts)) for _, counts in days]


def _hours(past: HourlyHistory) -> Lines:
    times, counts = past.hours_as_text()
    return _words(times), counts


@lru_cache(maxsize=2)
def _words(times: str) -> tuple[str, ...]:
    """Return the words of times, which are told as milliseconds with commas."""
    return tuple(format_moment(from_epoch_ms(int(at))) for at in times.split(",") if at)
