"""The state in little: badges for other pages, pages for frames, text for terminals."""

from collections.abc import Iterator
from typing import Any
from xml.sax.saxutils import escape

from models.fields import format_moment
from models.response_headers import url_path
from models.status.snapshot.snapshot import StatusService
from sitegen.page import BuildContext, Page, Rank, pages
from sitegen.status.status_data import board_of, facts_at
from sitegen.theme.filters import moment, overall_words, state_words
from sitegen.urls import service_path

# White words are readable on each (WCAG AA); a test holds that.
COLOURS = {
    "operational": "#1a7f37",
    "maintenance": "#0a62c2",
    "degraded": "#8a5a00",
    "partial-outage": "#b34700",
    "major-outage": "#c21f2c",
    "unknown": "#57606a",
    "unavailable": "#57606a",
}
LABEL_COLOUR = "#32383f"
# Pixels of a character at 11 px; the text is then fitted into what was counted.
CHARACTER, PADDING = 6.6, 6


@pages("status")
def badges(context: BuildContext) -> Iterator[Page]:
    """A badge says of when it is, since no picture can know that it is old."""
    seen, name = context.once(board_of), context.settings.site_name
    listed = seen.service_list()
    at = format_moment(listed.checked_at) if listed.checked_at else None
    svg = _badge(name, listed.overall, overall_words(listed.overall), at)
    yield Page("status/badge.svg", svg, rank=Rank.LIST)
    for each in listed.services:
        at = format_moment(each.observed_at) if each.observed_at else None
        svg = _badge(each.name, each.state, state_words(each.state), at)
        yield Page(f"status/badges/{each.slug}.svg", svg, rank=Rank.LIST)
        yield Page(f"status/badges/{each.slug}.json", _endpoint(each), rank=Rank.LIST)


@pages("status")
def embeds(context: BuildContext) -> Iterator[Page]:
    """Pages without scripts for frames on other sites."""
    facts = context.once(facts_at)
    name, listed = context.settings.site_name, facts.listed
    whole = {
        "name": name,
        "href": context.settings.site_url + "/status/",
        "state": listed.overall,
        "words": overall_words(listed.overall),
        "reason": None,
        "at": format_moment(listed.checked_at) if listed.checked_at else None,
        "staleAt": facts.stale_at(),
    }
    yield _embed("status/embed/index.html", whole)
    for each in listed.services:
        own = {
            "name": each.name,
            "href": context.settings.site_url + url_path(service_path(each.slug)),
            "state": each.state,
            "words": state_words(each.state),
            "reason": facts.reasons[each.slug],
            "at": format_moment(each.observed_at) if each.observed_at else None,
            "staleAt": facts.stale_at(each.slug),
        }
        yield _embed(f"status/embed/{each.slug}/index.html", own)


@pages("status")
def text(context: BuildContext) -> Iterator[Page]:
    """The status for a terminal: the whole, then each service on a line."""
    seen = context.once(board_of)
    listed = seen.service_list()
    lines = [f"{context.settings.site_name}: {overall_words(listed.overall)}"]
    if listed.checked_at:
        said = "Last measured" if listed.stale else "As of"
        lines.append(f"{said} {moment(format_moment(listed.checked_at))}")
    lines.append("")
    width = max((len(each.name) for each in listed.services), default=0)
    lines += [f"{e.name:<{width}}  {state_words(e.state)}" for e in listed.services]
    active = [each for each in seen.incidents if each.is_active(seen.now)]
    active_windows = [each for each in seen.windows if each.status == "active"]
    told = [f"Incident: {each.title} ({state_words(each.status)})" for each in active]
    told += [f"Maintenance: {each.title}" for each in active_windows]
    lines += ["", *told] if told else []
    lines += ["", f"{context.settings.site_url}/status/"]
    yield Page("status.txt", "\n".join(lines) + "\n", rank=Rank.LIST)


def _embed(path: str, data: dict[str, Any]) -> Page:
    return Page(
        path,
        data,
        template="status/embed.html",
        title=f"{data['name']} status",
        description=f"The present state of {data['name']}.",
        rank=Rank.LIST,
    )


def _endpoint(service: StatusService) -> dict[str, Any]:
    """What shields.io asks of an endpoint."""
    return {
        "schemaVersion": 1,
        "label": service.name,
        "message": state_words(service.state).lower(),
        "color": COLOURS[service.state].removeprefix("#"),
        "labelColor": LABEL_COLOUR.removeprefix("#"),
        "isError": service.state in ("unknown", "major-outage"),
        "cacheSeconds": 60,
    }


def _badge(label: str, state: str, words: str, at: str | None) -> str:
    when = moment(at) if at else "never measured"
    message = f"{words} · {when}"
    left, right = _width(label), _width(message)
    title = escape(f"{label}: {words}, {when}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20"'
        f' role="img" aria-labelledby="t"><title id="t">{title}</title>\n'
        f'<rect width="{left}" height="20" fill="{LABEL_COLOUR}"/>\n'
        f'<rect x="{left}" width="{right}" height="20" fill="{COLOURS[state]}"/>\n'
        '<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11"'
        f' aria-hidden="true">\n{_text(label, 0, left)}{_text(message, left, right)}'
        "</g>\n</svg>\n"
    )


def _width(words: str) -> int:
    return round(len(words) * CHARACTER) + 2 * PADDING


def _text(words: str, x: int, width: int) -> str:
    inner = width - 2 * PADDING
    return (
        f'<text x="{x + PADDING}" y="14" textLength="{inner}"'
        f' lengthAdjust="spacingAndGlyphs">{escape(words)}</text>\n'
    )
