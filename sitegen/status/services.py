"""Yield a page for each service: state, uptime, response times, incidents."""

from collections.abc import Iterator
from typing import Any

from models.display_text import isolate
from models.response_headers import url_path
from models.status.incidents.incidents import shown_severity
from models.status.snapshot.snapshot import StatusServiceDetail
from models.status.uptime.periods import ServiceUptime
from sitegen.page import BuildContext, Page, pages
from sitegen.status.charts import line_chart
from sitegen.status.status_data import StatusData, read_status_data, reason_to_data
from sitegen.status.upcoming_changes import UpcomingChanges
from sitegen.urls import data_path, incident_path, maintenance_path, service_path, twin


@pages("status")
def services(context: BuildContext) -> Iterator[Page]:
    """Yield the page of each service, and the API's response as JSON."""
    status_data = context.once_per_build(read_status_data)
    text = context.theme.locale.text
    changes = context.once_per_build(UpcomingChanges).by_service
    for slug, detail in status_data.details.items():
        path, name, json = service_path(slug), detail.service.name, detail.to_json()
        coverage = _coverage(status_data.uptimes[slug], detail)
        counters = f"{context.settings.site_path}/{data_path(slug, 'json')}"
        meta = _meta(status_data, slug, coverage) | {"counters": counters}
        yield Page(twin(path)[1:], {"data": json, "meta": meta})
        yield Page(
            path,
            _page_data(status_data, slug, json, coverage)
            | {"upcomingChange": changes.get(slug)},
            template="status/service.html",
            title=text("feed.title", name=isolate(name)),
            description=detail.service.description
            or text("status.of", name=isolate(name)),
            twin=twin(path),
        )


def _meta(
    status_data: StatusData, slug: str, coverage: list[dict[str, Any]]
) -> dict[str, Any]:
    """
    Return what the JSON file has beside the API's response.

    The edges are the counts of each period outside its whole hours, which the files
    of counters do not contain.
    """
    return {
        "reason": str(status_data.reasons[slug]),
        "coverage": coverage,
        "edges": status_data.uptimes[slug].edges(),
    }


def _coverage(
    service_uptime: ServiceUptime, detail: StatusServiceDetail
) -> list[dict[str, Any]]:
    """Return the coverage of each period, and its samples excluded by maintenance."""
    return [
        {
            "period": uptime.period,
            "coveragePct": service_uptime.coverage_pct(
                uptime.period, uptime.interval_seconds
            ),
            "excluded": service_uptime.counts[uptime.period].excluded,
        }
        for uptime in detail.uptime
    ]


def _uptime(
    status_data: StatusData, slug: str, coverage: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Return the uptime of each period with its coverage, as the page shows it."""
    summaries = status_data.details[slug].uptime
    return [
        summary.to_json()
        | period_coverage
        | {"measured": status_data.measured_part(slug, summary)}
        for summary, period_coverage in zip(summaries, coverage, strict=True)
    ]


def _page_data(
    status_data: StatusData,
    slug: str,
    detail: dict[str, Any],
    coverage: list[dict[str, Any]],
) -> dict[str, Any]:
    return {
        "service": detail["service"],
        "reason": reason_to_data(status_data.reasons[slug]),
        "uptime": _uptime(status_data, slug, coverage),
        "days": status_data.days[slug],
        "charts": _charts(status_data, slug),
        "incidents": [
            {
                "incident": incident.to_json()
                | {
                    "severity": shown_severity(
                        incident, status_data.severities[incident.id]
                    )
                },
                "href": url_path(incident_path(incident.id)),
            }
            for incident in status_data.details[slug].incidents
        ],
        "maintenance": [
            {"maintenance": window, "href": url_path(maintenance_path(window["id"]))}
            for window in detail["maintenance"]
        ],
        "links": links(url_path(service_path(slug)), slug),
        "staleAt": status_data.stale_at(slug),
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


def _charts(status_data: StatusData, slug: str) -> list[dict[str, Any]]:
    """Return charts of the response times by hour and by day, without empty ones."""
    hours = status_data.latest_hours(slug)
    days = [(day["date"], day["averageMs"]) for day in status_data.days[slug]]
    return [
        {"unit": unit, "points": [{"at": at, "ms": ms} for at, ms in points]}
        | line_chart([ms for _, ms in points])
        for unit, points in (("hour", hours), ("day", days))
        if any(ms is not None for _, ms in points)
    ]
