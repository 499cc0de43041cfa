"""Draw the uptime bars, and the charts of response times as SVG."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from markupsafe import Markup, escape

from models.display_text import balance_directions

# The chart's coordinates; the page stretches it to the available space.
WIDTH, HEIGHT = 1000, 100
SPARK_STEP, SPARK_HEIGHT = 4, 20
# The axis ends at the first of these, times a power of ten, that is high enough. Half
# of each is a whole number, which labels the middle.
AXIS_STEPS = (10, 12, 16, 20, 24, 30, 40, 50, 60, 80, 100)

# Neighbouring values, each with its index.
Run = list[tuple[int, int]]


def draw_bars(name: str, label: str, bars: Iterable[str]) -> Markup:
    """
    Return the bars of days as one choice of the page, called `name`.

    Radio buttons are one stop for the keyboard, with the arrows from day to day, and
    the chosen one shows its day without a script. It is not a template, because there
    are ninety bars for each service: rendering them with Jinja would take longer than
    the rest of the page.
    """
    start = f'<input type="radio" name="{escape(name)}"'
    rows = "\n".join([start + bar for bar in bars])
    # The strip is wider than its box on a phone, where it begins with the latest days.
    return Markup(  # noqa: S704  texts are escaped
        '<div class="days"><div class="strip">'
        f'<div class="bars" role="radiogroup" aria-label="{escape(label)}">\n'
        f"{rows}\n</div></div></div>"
    )


def draw_bar(
    date: str, state: str | None, label: str, events: Iterable[tuple[str, str]]
) -> str:
    """
    Return what follows the name of a bar: its day, and links to the day's events.

    Events are addresses with their titles. Without events, the styles show the label.
    """
    text = escape(label)
    bar = f' value="{date}" class="is-{state or "none"}" aria-label="{text}">'
    titles = [(href, escape(balance_directions(title))) for href, title in events]
    links = [
        f'<li><a href="{escape(href)}"><bdi>{title}</bdi></a></li>'
        for href, title in titles
    ]
    if not links:
        return bar
    return f'{bar}<div data-key="{date}"><p>{text}</p><ul>{"".join(links)}</ul></div>'


def draw_sparkline(line: str, label: str, figure: str) -> Markup:
    """Return a small chart, beside the figure that its label has too."""
    box = f"0 0 {23 * SPARK_STEP} {SPARK_HEIGHT}"
    return Markup(  # noqa: S704  texts are escaped
        f'<p class="spark"><svg role="img" viewBox="{box}" preserveAspectRatio="none"'
        f' aria-label="{escape(label)}"><path d="{line}"/></svg>'
        f' <span aria-hidden="true">{escape(figure)}</span></p>'
    )


def sparkline(values: Sequence[int | None]) -> str | None:
    """
    Return the line of a small chart, None without two neighbours.

    The chart is as high as the range of the values, or half of the highest value if
    that is more, so that small differences look small.
    """
    runs = [run for run in _runs(values) if len(run) > 1]
    if not runs:
        return None
    known = [value for value in values if value is not None]
    low, high = min(known), max(known)
    span = max(high - low, high / 2, 1)
    start = (low + high - span) / 2
    return "".join(
        "M"
        + "L".join(
            f"{index * SPARK_STEP} {round(SPARK_HEIGHT * (1 - (value - start) / span))}"
            for index, value in run
        )
        for run in runs
    )


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
