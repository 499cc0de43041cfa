"""Draw the uptime bars and the charts of response times as SVG."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from markupsafe import Markup, escape

# Worse states are taller, so that the bars are readable without colours.
BAR_HEIGHTS = {
    "operational": 12,
    "maintenance": 12,
    "degraded": 18,
    "partial-outage": 25,
    "major-outage": 32,
}
NO_DATA_HEIGHT = 3

# The chart's coordinates; the page stretches it to the available space.
WIDTH, HEIGHT = 1000, 100
# The axis ends at the first of these, times a power of ten, that is high enough. Half
# of each is a whole number, which labels the middle.
AXIS_STEPS = (10, 12, 16, 20, 24, 30, 40, 50, 60, 80, 100)

# Neighbouring values, each with its index.
Run = list[tuple[int, int]]


def draw_uptime_bars(
    days: Iterable[Mapping[str, Any]], titles: Sequence[str] = ()
) -> Markup:
    """
    Return a bar for each day, with the day's text as its title.

    It is not a template, because there are ninety bars for each service: rendering
    them with Jinja would take longer than the rest of the page.
    """
    bars = (
        f"{_bar(6 * index, day['state'])}{_title(titles[index]) if titles else ''}"
        "</rect>"
        for index, day in enumerate(days)
    )
    return Markup("\n".join(bars))  # noqa: S704  texts are escaped


# All services have the same days, and most of them the same titles.
@lru_cache(maxsize=1024)
def _bar(x: int, state: str | None) -> str:
    height = BAR_HEIGHTS.get(state or "", NO_DATA_HEIGHT)
    return (
        f'<rect class="is-{state or "none"}" x="{x}" y="{32 - height}" width="4"'
        f' height="{height}">'
    )


@lru_cache(maxsize=4096)
def _title(text: str) -> str:
    return f"<title>{escape(text)}</title>"


def line_chart(values: Sequence[int | None]) -> dict[str, Any]:
    """
    Return the range, the axis and the line of values at equal intervals.

    None is a gap, where the line breaks. A value between two gaps is a line of length
    zero, which round line ends show as a dot.
    """
    known = [value for value in values if value is not None]
    axis_end = axis_maximum(max(known, default=0))
    return {
        "low": min(known, default=None),
        "high": max(known, default=None),
        "gaps": len(values) - len(known),
        "axis": [axis_end, axis_end // 2, 0],
        "line": " ".join(_path(run, axis_end, len(values)) for run in _runs(values)),
    }


def axis_maximum(highest: int) -> int:
    """Return the round number at which the axis ends."""
    power: int = 10 ** max(0, len(str(highest)) - 2)
    return next(step * power for step in AXIS_STEPS if step * power >= highest)


def _runs(values: Sequence[int | None]) -> Iterator[Run]:
    run: Run = []
    for index, value in enumerate(values):
        if value is not None:
            run.append((index, value))
        elif run:
            yield run
            run = []
    if run:
        yield run


def _path(run: Run, axis_end: int, count: int) -> str:
    points = [
        f"{(2 * index + 1) * WIDTH / (2 * count):g} "
        f"{HEIGHT - value * HEIGHT / axis_end:g}"
        for index, value in run
    ]
    return "M" + "L".join(points) + ("h0" if len(points) == 1 else "")
