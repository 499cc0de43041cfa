"""Days as bars and response times as a line: where what is drawn stands. Pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from markupsafe import Markup, escape

# Trouble stands taller than calm, so the row reads without its colours.
HEIGHTS = {
    "operational": 12,
    "maintenance": 12,
    "degraded": 18,
    "partial-outage": 25,
    "major-outage": 32,
}
NO_DATA = 3

# The drawing's own measure; the page stretches it to what room there is.
WIDTH, HEIGHT = 1000, 100
# Round numbers, of which the axis takes the first that holds the highest point; their
# halves, which stand in its middle, are whole.
STEPS = (10, 12, 16, 20, 24, 30, 40, 50, 60, 80, 100)

Run = list[tuple[int, int]]


def bars(days: Iterable[Mapping[str, Any]], words: Sequence[str] = ()) -> Markup:
    """
    Return a bar for each day, and in it what a reader is told of that day.

    There are ninety for each service: a template would take longer than all the rest
    of its page.
    """
    found = (
        f"{_bar(6 * place, day['state'])}{_title(words[place]) if words else ''}</rect>"
        for place, day in enumerate(days)
    )
    return Markup("\n".join(found))  # noqa: S704  nothing but our own words and numbers


# Every service has the same days, and most of them the same words.
@lru_cache(maxsize=1024)
def _bar(x: int, state: str | None) -> str:
    height = HEIGHTS.get(state or "", NO_DATA)
    return (
        f'<rect class="is-{state or "none"}" x="{x}" y="{32 - height}" width="4"'
        f' height="{height}">'
    )


@lru_cache(maxsize=4096)
def _title(words: str) -> str:
    return f"<title>{escape(words)}</title>"


def chart(values: Sequence[int | None]) -> dict[str, Any]:
    """
    Return the line over equal steps of time, None where nothing was measured.

    There the line breaks; a lone value between two gaps is a line without length,
    which its round ends make a dot.
    """
    known = [each for each in values if each is not None]
    top = axis_top(max(known, default=0))
    return {
        "low": min(known, default=None),
        "high": max(known, default=None),
        "gaps": len(values) - len(known),
        "axis": [top, top // 2, 0],
        "line": " ".join(_drawn(run, top, len(values)) for run in _runs(values)),
    }


def axis_top(highest: int) -> int:
    """Return the round number at which the axis ends."""
    power: int = 10 ** max(0, len(str(highest)) - 2)
    return next(step * power for step in STEPS if step * power >= highest)


def _runs(values: Sequence[int | None]) -> Iterator[Run]:
    run: Run = []
    for place, value in enumerate(values):
        if value is not None:
            run.append((place, value))
        elif run:
            yield run
            run = []
    if run:
        yield run


def _drawn(run: Run, top: int, count: int) -> str:
    points = [
        f"{(2 * place + 1) * WIDTH / (2 * count):g} {HEIGHT - value * HEIGHT / top:g}"
        for place, value in run
    ]
    return "M" + "L".join(points) + ("h0" if len(points) == 1 else "")
