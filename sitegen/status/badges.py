"""Yield badges, embeds and the status as plain text."""

from collections.abc import Iterator
from datetime import datetime
from functools import partial
from typing import Any
from unicodedata import category, east_asian_width
from xml.sax.saxutils import escape

from models.display_text import balance_directions, isolate, plain_line
from models.fields import format_moment
from models.locales import FALLBACK, Locale, load_locale
from models.site_addresses import url_path
from models.status.snapshot.snapshot import (
    StatusService,
    StatusServiceList,
    StatusSnapshot,
)
from sitegen.page import BuildContext, KeyedPages, Page, Stage, pages
from sitegen.status.missing_data import missing_data_text
from sitegen.status.service_data import ServiceFacts, read_service_facts
from sitegen.status.status_data import (
    read_service_list,
    read_snapshot,
    reason_to_data,
    stale_at,
)
from sitegen.urls import service_path

# White text is readable on each of them (WCAG AA).
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
# Estimated pixels per character at 11 px; `textLength` fits the text into the estimate.
CHARACTER_WIDTH, PADDING = 6.6, 6
# Of Unicode: wide and full-width characters, which take the place of two.
WIDE = ("W", "F")
# Marks above and below letters, and characters that are not shown.
WITHOUT_WIDTH = ("Mn", "Me", "Cf")


@pages("status", Stage.LISTS)
def badges(context: BuildContext) -> Iterator[Page | KeyedPages]:
    """Yield a badge with its timestamp for the site and for each service."""
    service_list = context.once_per_build(read_service_list)
    locale = context.theme.locale
    site_badge = _badge(
        locale,
        context.settings.site_name,
        service_list.overall,
        locale.text(f"overall.{service_list.overall}"),
        _format(service_list.checked_at),
    )
    yield Page("status/badge.svg", site_badge)
    for slug, facts in context.once_per_build(read_service_facts).items():
        make = partial(_badge_files, locale, facts.status)
        yield KeyedPages(f"badge {slug}", (facts.status,), make)


def _badge_files(locale: Locale, service: StatusService) -> Iterator[Page]:
    badge = _badge(
        locale,
        service.name,
        service.state,
        locale.text(f"state.{service.state}"),
        _format(service.observed_at),
    )
    path = f"status/badges/{service.slug}"
    yield Page(f"{path}.svg", badge)
    yield Page(f"{path}.json", _shields_endpoint(service))


@pages("status", Stage.LISTS)
def embeds(context: BuildContext) -> Iterator[Page | KeyedPages]:
    """Yield pages without scripts, for frames on other sites."""
    locale, snapshot = context.theme.locale, context.once_per_build(read_snapshot)
    site_name, site_url = context.settings.site_name, context.settings.site_url
    service_list = context.once_per_build(read_service_list)
    data: dict[str, Any] = {
        "name": site_name,
        "href": site_url + "/status/",
        "state": service_list.overall,
        "label": locale.text(f"overall.{service_list.overall}"),
        "reason": None,
        "checkedAt": _format(service_list.checked_at),
        "staleAt": stale_at(snapshot, snapshot.services),
    }
    yield _embed(locale, "status/embed/index.html", data)
    for slug, facts in context.once_per_build(read_service_facts).items():
        yield KeyedPages(
            f"embed {slug}", facts, partial(_service_embed, locale, site_url, facts)
        )


def _service_embed(
    locale: Locale, site_url: str, facts: ServiceFacts
) -> Iterator[Page]:
    service = facts.status
    data = {
        "name": service.name,
        "href": site_url + url_path(service_path(service.slug)),
        "state": service.state,
        "label": locale.text(f"state.{service.state}"),
        "reason": reason_to_data(facts.reason),
        "checkedAt": _format(service.observed_at),
        "staleAt": facts.stale_at,
    }
    yield _embed(locale, f"status/embed/{service.slug}/index.html", data)


@pages("status", Stage.LISTS)
def plain_text(context: BuildContext) -> Iterator[Page]:
    """
    Yield /status.txt, for terminals: the overall status, then the services.

    It is in English in every language, since programs read it too.
    """
    locale = load_locale(FALLBACK)
    service_list = context.once_per_build(read_service_list)
    blocks = [
        _plain_overall(locale, context.settings.site_name, service_list),
        _plain_services(locale, service_list.services),
        _plain_events(locale, context.once_per_build(read_snapshot)),
        [f"{context.settings.site_url}/status/"],
    ]
    text = "\n\n".join("\n".join(block) for block in blocks if block)
    yield Page("status.txt", text + "\n")


def _plain_overall(
    locale: Locale, site_name: str, service_list: StatusServiceList
) -> list[str]:
    overall = locale.text(f"overall.{service_list.overall}")
    lines = [f"{site_name}: {overall}"]
    if service_list.checked_at:
        prefix = "Last measured" if service_list.stale else "As of"
        lines.append(
            f"{prefix} {locale.date_time(format_moment(service_list.checked_at))}"
        )
    if missing := missing_data_text(service_list):
        lines.append(missing)
    if not service_list.services:
        lines.append("There are no services yet.")
    return lines


def _plain_services(locale: Locale, services: list[StatusService]) -> list[str]:
    names = [plain_line(service.name) for service in services]
    width = max(map(len, names), default=0)
    return [
        f"{name:<{width}}  {locale.text(f'state.{service.state}')}"
        for name, service in zip(names, services, strict=True)
    ]


def _plain_events(locale: Locale, snapshot: StatusSnapshot) -> list[str]:
    """Return the active incidents, then the maintenance in progress."""
    incidents = [
        f"Incident: {plain_line(incident.title)}"
        f" ({locale.text(f'state.{incident.status}')})"
        for incident in snapshot.incidents
        if incident.is_active(snapshot.now)
    ]
    windows = [
        f"Maintenance: {plain_line(window.title)}"
        for window in snapshot.windows
        if window.status == "active"
    ]
    return incidents + windows


def _format(moment: datetime | None) -> str | None:
    return format_moment(moment) if moment else None


def _embed(locale: Locale, path: str, data: dict[str, Any]) -> Page:
    return Page(
        path,
        data,
        template="status/embed.html",
        title=locale.text("feed.title", name=isolate(data["name"])),
        description=locale.text("status.of", name=isolate(data["name"])),
    )


def _shields_endpoint(service: StatusService) -> dict[str, Any]:
    """Return the badge in the schema of shields.io's endpoint badges."""
    return {
        "schemaVersion": 1,
        "label": service.name,
        "message": service.state.replace("-", " "),
        "color": COLOURS[service.state].removeprefix("#"),
        "labelColor": LABEL_COLOUR.removeprefix("#"),
        "isError": service.state in ("unknown", "major-outage"),
        "cacheSeconds": 60,
    }


def _badge(
    locale: Locale, name: str, state: str, label: str, measured_at: str | None
) -> str:
    # A picture cannot notice that it is old, so it shows its timestamp.
    timestamp = (
        locale.date_time(measured_at) if measured_at else locale.text("badge.no-data")
    )
    message = locale.text("badge.message", state=label, time=timestamp)
    title = locale.text("badge.title", name=isolate(name), state=label, time=timestamp)
    parts = [(name, LABEL_COLOUR), (message, COLOURS[state])]
    is_mirrored = locale.direction == "rtl"
    boxes, texts, x = "", "", 0
    for text, colour in reversed(parts) if is_mirrored else parts:
        width = _text_length(text) + 2 * PADDING
        boxes += f'<rect x="{x}" width="{width}" height="20" fill="{colour}"/>\n'
        texts += _text(text, x + (width - PADDING if is_mirrored else PADDING))
        x += width
    direction = ' direction="rtl"' if is_mirrored else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{x}" height="20"'
        f' xml:lang="{locale.tag}" role="img" aria-labelledby="t">'
        f'<title id="t">{escape(title)}</title>\n{boxes}'
        '<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11"'
        f'{direction} aria-hidden="true">\n{texts}</g>\n</svg>\n'
    )


def _text_length(text: str) -> int:
    characters = [char for char in text if category(char) not in WITHOUT_WIDTH]
    wide = sum(east_asian_width(char) in WIDE for char in characters)
    return round((len(characters) + wide) * CHARACTER_WIDTH)


def _text(text: str, x: int) -> str:
    """Return a text that starts at x, which is its right side in a mirrored badge."""
    return (
        f'<text x="{x}" y="14" textLength="{_text_length(text)}"'
        f' lengthAdjust="spacingAndGlyphs">{escape(balance_directions(text))}</text>\n'
    )
