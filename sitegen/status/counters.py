"""Yield the counters behind the uptime percentages, as JSON and CSV."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial

from models.base import from_epoch_ms
from models.fields import format_moment
from models.status.uptime.hourly_history import HourlyHistory
from models.status.uptime.periods import counts_to_json
from models.status.uptime.uptime import Counts
from sitegen.page import BuildContext, Page, pages
from sitegen.status.status_data import read_hourly_histories
from sitegen.urls import data_path

COLUMNS = ("start", *counts_to_json(Counts()))
# Formatted start times, and the comma-separated counts of each.
Lines = tuple[tuple[str, ...], list[str]]
# The completed days, and the completed hours.
DaysAndHours = tuple[Lines, Lines]
# Increase it when equal histories give different files.
FORMAT_VERSION = 2


@dataclass(frozen=True)
class CounterFiles:
    """The two files of a service, made one after the other."""

    slug: str
    history: HourlyHistory

    @cached_property
    def pages(self) -> list[Page]:
        key = [FORMAT_VERSION, *self.history.key()]
        return [
            Page(
                data_path(self.slug, extension),
                partial(render, self.history),
                key=key,
            )
            for extension, render in (
                ("json", partial(_json, self.slug)),
                ("csv", _csv),
            )
        ]


@pages("status")
def counters(context: BuildContext) -> Iterator[Page]:
    """
    Yield the completed hours and days of each service.

    They change once an hour and not with every measurement: the counts outside whole
    hours are in the JSON of the service's page.
    """
    memory = context.once_per_process(_Memory)
    known = memory.files
    memory.files = {
        slug: known[slug]
        if slug in known and known[slug].history == history
        else CounterFiles(slug, history)
        for slug, history in context.once_per_build(read_hourly_histories).items()
    }
    for files in memory.files.values():
        yield from files.pages


class _Memory:
    """The files of the last build, whose digests need not be computed again."""

    def __init__(self) -> None:
        self.files: dict[str, CounterFiles] = {}


def _json(slug: str, history: HourlyHistory) -> str:
    start, end = history.span
    header = {
        "slug": slug,
        "from": format_moment(start),
        "to": format_moment(end),
        "columns": COLUMNS,
    }
    days, hours = map(_json_rows, _days_and_hours(history))
    rows = f'"days":[{days}],\n"hours":[{hours}]'
    return f'{{"data":{json.dumps(header)[:-1]}, {rows}}}}}\n'


def _json_rows(lines: Lines) -> str:
    starts, counts = lines
    rows = list(map(str.__add__, _prefixes('["', starts, '",'), counts))
    return "],\n".join(rows) + "]" if rows else ""


def _csv(history: HourlyHistory) -> str:
    days, hours = _days_and_hours(history)
    rows: list[str] = [
        *map(str.__add__, _prefixes("\nday,", days[0], ","), days[1]),
        *map(str.__add__, _prefixes("\nhour,", hours[0], ","), hours[1]),
    ]
    return "".join([",".join(("per", *COLUMNS)), *rows, "\n"])


# Days and hours, of both files: with less room, each service would make all again.
@lru_cache(maxsize=4)
def _prefixes(before: str, starts: tuple[str, ...], after: str) -> list[str]:
    """Return what precedes the counts; hundreds of services have the same."""
    return [f"{before}{start}{after}" for start in starts]


# Both files of a service use the same lines; those of the last service suffice.
@lru_cache(maxsize=1)
def _days_and_hours(history: HourlyHistory) -> DaysAndHours:
    return _days(history), _hours(history)


def _days(history: HourlyHistory) -> Lines:
    today = history.span[1].date()
    days = [
        (day, counts) for day, counts in sorted(history.days().items()) if day < today
    ]
    starts = tuple(f"{day}T00:00:00.000Z" for day, _ in days)
    return starts, [",".join(map(str, counts)) for _, counts in days]


def _hours(history: HourlyHistory) -> Lines:
    milliseconds, counts = history.hours_as_text()
    return _format_starts(milliseconds), counts


@lru_cache(maxsize=2)
def _format_starts(milliseconds: str) -> tuple[str, ...]:
    """Format times given as milliseconds since 1970, separated by commas."""
    return tuple(
        format_moment(from_epoch_ms(int(ms))) for ms in milliseconds.split(",") if ms
    )
