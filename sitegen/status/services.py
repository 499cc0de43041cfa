"""The page of each service, with all that is known of its last 90 days."""

from collections.abc import Iterator
from typing import Any

from models.fields import format_moment
from models.response_headers import url_path
from models.status.snapshot.snapshot import StatusServiceDetail
from models.status.uptime.periods import ServiceUptime
from sitegen.page import BuildContext, Page, pages
from sitegen.status.charts import chart
from sitegen.status.status_data import StatusFacts, facts_at
from sitegen.status.upcoming_changes import Turns
from sitegen.urls import data_path, incident_path, maintenance_path, service_path, twin


@pages("status")
def services(context: BuildContext) -> Iterator[Page]:
    """For people and for programs, as the API tells it."""
    facts = context.once(facts_at)
    for slug, detail in facts.details.items():
        path, name, data = service_path(slug), detail.service.name, detail.to_json()
        coverage = _coverage(facts.measured[slug], detail)
        yield Page(twin(path)[1:], {"data": data, "meta": _meta(facts, slug, coverage)})
        yield Page(
            path,
            _shown(facts, slug, data, coverage)
            | {"turn": context.once(Turns).services.get(slug)},
            template="status/service.html",
            title=f"{name} status",
            description=detail.service.description or f"The present state of {name}.",
            twin=twin(path),
        )


def _meta(
    facts: StatusFacts, slug: str, coverage: list[dict[str, Any]]
) -> dict[str, Any]:
    """
    What stands beside the API's answer.

    The edges are what each period has beside the whole hours of the counters.
    """
    return {
        "reason": facts.reasons[slug],
        "coverage": coverage,
        "edges": facts.measured[slug].edges(),
        "counters": "/" + data_path(slug, "json"),
    }


def _coverage(
    measured: ServiceUptime, detail: StatusServiceDetail
) -> list[dict[str, Any]]:
    """Return how much each percentage stands on, and what maintenance left out."""
    return [
        {
            "period": each.period,
            "coveragePct": measured.coverage_pct(each.period, each.interval_seconds),
            "excluded": measured.counts[each.period].excluded,
        }
        for each in detail.uptime
    ]


def _shown(
    facts: StatusFacts, slug: str, data: dict[str, Any], coverage: list[dict[str, Any]]
) -> dict[str, Any]:
    return {
        "service": data["service"],
        "reason": facts.reasons[slug],
        "uptime": [
            uptime | more for uptime, more in zip(data["uptime"], coverage, strict=True)
        ],
        "days": facts.days[slug],
        "charts": _charts(facts, slug),
        "incidents": [
            {"incident": each, "href": url_path(incident_path(each["id"]))}
            for each in data["incidents"]
        ],
        "maintenance": [
            {"maintenance": each, "href": url_path(maintenance_path(each["id"]))}
            for each in data["maintenance"]
        ],
        "links": links(url_path(service_path(slug)), slug),
        "staleAt": facts.stale_at(slug),
    }


def links(page: str, slug: str) -> dict[str, str]:
    """Return the other ways to follow a service, by what they are."""
    return {
        "atom": f"{page}feed.atom",
        "rss": f"{page}feed.rss",
        "json": f"{page}feed.json",
        "calendar": f"{page}maintenance.ics",
        "badge": f"/status/badges/{slug}.svg",
        "shields": f"/status/badges/{slug}.json",
        "embed": f"/status/embed/{slug}/",
        "counters": "/" + data_path(slug, "json"),
        "csv": "/" + data_path(slug, "csv"),
    }


def _charts(facts: StatusFacts, slug: str) -> list[dict[str, Any]]:
    """Return the response times of the latest hours and of the days; none, no chart."""
    hours = [
        (format_moment(at), counts.average_ms)
        for at, counts in facts.measured[slug].hours()
    ]
    days = [(day["date"], day["averageMs"]) for day in facts.days[slug]]
    return [
        {"unit": unit, "points": [{"at": at, "ms": ms} for at, ms in points]}
        | chart([ms for _, ms in points])
        for unit, points in (("hour", hours), ("day", days))
        if any(ms is not None for _, ms in points)
    ]
