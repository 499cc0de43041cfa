"""Generate the front page of the site and its 404 page."""

from collections.abc import Iterator
from typing import Any

from models.fields import format_moment
from models.site_addresses import url_path
from sitegen.docs.outline import docs_outline
from sitegen.output.manifest import SHARED
from sitegen.page import BuildContext, Page, Stage, pages
from sitegen.status.missing_data import missing_data
from sitegen.status.status_data import read_service_list, read_snapshot, stale_at
from sitegen.status.upcoming_changes import UpcomingChanges
from sitegen.urls import incident_path

MAX_INCIDENTS = 3


@pages(SHARED, Stage.ENTRY_POINTS)
def front_page(context: BuildContext) -> Iterator[Page]:
    """Show the overall status, active incidents, collections and new documents."""
    if context.settings.front == "status":
        return
    outline = docs_outline(context)
    name = context.settings.site_name
    yield Page(
        "index.html",
        _overall_status(context)
        | {
            "collections": [
                collection.model_dump(exclude={"sitemaps"})
                for collection in outline.collections
            ],
            "newest": outline.newest,
        },
        template="index.html",
        title=name,
        description=context.settings.tagline
        or context.theme.locale.text("front.description", site=name),
        requires=_incident_paths(context),
    )


def _overall_status(context: BuildContext) -> dict[str, Any]:
    """Return the overall status, what decides it, and when it becomes stale."""
    snapshot = context.once_per_build(read_snapshot)
    service_list = context.once_per_build(read_service_list)
    json = service_list.to_json()
    status = {name: json[name] for name in ("overall", "checkedAt", "stale")}
    upcoming = context.once_per_build(UpcomingChanges).overall
    incidents = _active_incidents(context)
    return status | {
        "hasServices": bool(service_list.services),
        "staleAt": stale_at(snapshot, snapshot.services),
        "upcomingChange": upcoming,
        "missing": missing_data(service_list),
        "incidents": incidents[:MAX_INCIDENTS],
        "otherIncidents": len(incidents[MAX_INCIDENTS:]),
    }


def _incident_paths(context: BuildContext) -> list[str]:
    snapshot = context.once_per_build(read_snapshot)
    shown = snapshot.all_active_incidents[:MAX_INCIDENTS]
    return [incident_path(row.id) for row in shown]


def _active_incidents(context: BuildContext) -> list[dict[str, str]]:
    """Return the active incidents, in the order of the status page."""
    snapshot = context.once_per_build(read_snapshot)
    return [
        {
            "title": row.title,
            "severity": row.severity,
            "startedAt": format_moment(row.started_at),
            "href": url_path(incident_path(row.id)),
        }
        for row in snapshot.all_active_incidents
    ]


@pages(SHARED)
def not_found(context: BuildContext) -> Iterator[Page]:
    locale = context.theme.locale
    yield Page(
        "404.html",
        {},
        template="404.html",
        title=locale.text("site.not-found"),
        description=locale.text("site.not-found-description"),
    )
