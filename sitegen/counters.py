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
Lines = Callable[[Past], list[str]]
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
    hours = lru_cache(maxsize=1)(partial(_hours, _Times()))
    for slug, measured in edition.once(facts_at).measured.items():
        key = [FORMAT, *measured.past.key()]
        for ending, told in (("json", partial(_json, slug)), ("csv", _csv)):
            data = partial(told, measured, hours)
            yield Page(data_path(slug, ending), data, key=key)


def _json(slug: str, measured: Measured, hours: Lines) -> str:
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


def _rows(lines: list[str]) -> str:
    """Say lines as JSON: in each all but the time, which ends in Z, are numbers."""
    return '["' + '],\n["'.join(lines).replace("Z,", 'Z",') + "]" if lines else ""


def _csv(measured: Measured, hours: Lines) -> str:
    named = ("\nday,", _days(measured)), ("\nhour,", hours(measured.past))
    texts = [name + name.join(lines) for name, lines in named if lines]
    return "".join([",".join(("per", *COLUMNS)), *texts, "\n"])


class _Times(dict[str, str]):
    """Milliseconds in the words of the files; hundreds of services have the same."""

    def __missing__(self, at: str) -> str:
        self[at] = told = told_moment(moment(int(at)))
        return told


def _days(measured: Measured) -> list[str]:
    """Return a line for each day that is over."""
    last = measured.last_hour_ends.date()
    return [
        f"{day}T00:00:00.000Z,{','.join(map(str, counts))}"
        for day, counts in sorted(measured.shown.days.items())
        if day < last
    ]


def _hours(times: _Times, past: Past) -> list[str]:
    """Return a line for each hour: its time and its counts."""
    found = (line.partition(",") for line in past.lines())
    return [f"{times[at]},{counts}" for at, _, counts in found]
