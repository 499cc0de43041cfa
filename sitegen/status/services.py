"""Yield a page for each service: state, uptime, response times, incidents."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from models.display_text import isolate
from models.site_addresses import file_for, url_path
from sitegen.page import BuildContext, KeyedPages, Page, pages
from sitegen.status.charts import line_chart
from sitegen.status.service_data import ServiceData, ServiceReader, read_service_facts
from sitegen.status.status_data import reason_to_data
from sitegen.urls import (
    data_path,
    incident_path,
    json_path,
    maintenance_path,
    service_path,
)


@pages("status")
def services(context: BuildContext) -> Iterator[KeyedPages]:
    """Yield the page of each service, and the API's response as JSON."""
    for slug, facts in context.once_per_build(read_service_facts).items():
        make = partial(_service_pages, context, slug)
        # Incidents link to their services, too, so neither can wait for the other.
        yield KeyedPages(
            f"service {slug}", facts, make, requires=partial(_linked_files, slug)
        )


def _linked_files(slug: str) -> Iterator[str]:
    return map(file_for, links(url_path(service_path(slug)), slug).values())


def _service_pages(context: BuildContext, slug: str) -> Iterator[Page]:
    data = context.once_per_build(ServiceReader).data_of(slug)
    text, path = context.theme.locale.text, service_path(slug)
    name, json = data.detail.service.name, data.detail.to_json()
    coverage = _coverage(data)
    counters = f"{context.settings.site_path}/{data_path(slug, 'json')}"
    meta = {
        "reason": str(data.facts.reason),
        "coverage": coverage,
        # The counts of each period outside its whole hours, which the files of
        # counters do not contain.
        "edges": data.uptime.edges(),
        "counters": counters,
    }
    yield Page(json_path(path), {"data": json, "meta": meta})
    yield Page(
        path,
        _page_data(context, data, json, coverage),
        template="status/service.html",
        title=text("feed.title", name=isolate(name)),
        description=data.detail.service.description
        or text("status.of", name=isolate(name)),
        json_href=f"/{json_path(path)}",
    )


def _coverage(data: ServiceData) -> list[dict[str, Any]]:
    """Return the coverage of each period, and its samples excluded by maintenance."""
    return [
        {
            "period": uptime.period,
            "coveragePct": data.uptime.coverage_pct(
                uptime.period, uptime.interval_seconds
            ),
            "excluded": data.uptime.counts[uptime.period].excluded,
        }
        for uptime in data.detail.uptime
    ]


def _page_data(
    context: BuildContext,
    data: ServiceData,
    json: dict[str, Any],
    coverage: list[dict[str, Any]],
) -> dict[str, Any]:
    facts, slug = data.facts, data.detail.service.slug
    return {
        "service": json["service"],
        "reason": reason_to_data(facts.reason),
        "uptime": [
            summary.to_json()
            | period_coverage
            | {"measured": data.measured_part(context, summary)}
            for summary, period_coverage in zip(
                data.detail.uptime, coverage, strict=True
            )
        ],
        "days": data.days,
        "charts": _charts(data),
        "incidents": [
            {"incident": each.shown, "href": url_path(incident_path(each.row.id))}
            for each in data.incidents
        ],
        "maintenance": [
            {"maintenance": window, "href": url_path(maintenance_path(window["id"]))}
            for window in json["maintenance"]
        ],
        "links": links(url_path(service_path(slug)), slug),
        "staleAt": facts.stale_at,
        "upcomingChange": facts.upcoming_change,
    }


def links(href: str, slug: str) -> dict[str, str]:
    """Return the feeds, badges, embeds and data files of the service."""
    return {
        "atom": f"{href}feed.atom",
        "rss": f"{href}feed.rss",
        "json": f"{href}feed.json",
        "calendar": f"{href}maintenance.ics",
        "badge": f"/status/badges/{slug}.svg",
        "shields": f"/status/badges/{slug}.json",
        "embed": f"/status/embed/{slug}/",
        "counters": "/" + data_path(slug, "json"),
        "csv": "/" + data_path(slug, "csv"),
    }


def _charts(data: ServiceData) -> list[dict[str, Any]]:
    """Return charts of the response times by hour and by day, without empty ones."""
    hours = data.latest_hours()
    days = [(day["date"], day["averageMs"]) for day in data.days]
    return [
        {"unit": unit, "points": [{"at": at, "ms": ms} for at, ms in points]}
        | line_chart([ms for _, ms in points])
        for unit, points in (("hour", hours), ("day", days))
        if any(ms is not None for _, ms in points)
    ]
