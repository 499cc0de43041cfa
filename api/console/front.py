"""The console's front page: what is wrong, and what is about to happen."""

from datetime import timedelta
from typing import Any

from werkzeug.wrappers import Response

from api.console.console_page import address, page
from api.console.console_request import ConsoleRequest
from api.console.deliveries import with_recipients
from api.console.incidents import ADD_UPDATE, update_form
from models.fields import format_moment
from models.status.reasons import reason_facts
from models.status.services.catalogue import services_in_display_order
from models.status.services.rows import ServiceRow
from models.status.snapshot.service_list_cache import service_list
from models.status.snapshot.snapshot import StatusSnapshot, status_snapshot
from models.status.state import STATES, Reason, worst_first
from models.storage.database import reading

WINDOWS_WITHIN = timedelta(days=7)
FAILED_DELIVERIES = ("failed", "given-up")
MOST = 20
# The worst of the incidents are shown, which need not be the newest.
MANY = 100

LIST_SERVICES = "GET /status/v1/services/list"
LIST_INCIDENTS = "GET /status/v1/incidents/list"
LIST_MAINTENANCE = "GET /status/v1/maintenance/list"
LIST_DELIVERIES = "GET /status/v1/admin/deliveries/list"
LIST_DOCUMENTS = "GET /projects/v1/documents/list"

# The operation without which the page of the subject cannot be read, and its path.
_SUBJECTS = {
    "incident": ("GET /status/v1/incidents/get", "incidents"),
    "maintenance": ("GET /status/v1/maintenance/get", "maintenance"),
}


@page("GET ")
def front(request: ConsoleRequest) -> Response:
    """Show the overall status, incidents, maintenance, faults, and unfinished work."""
    incidents = request.read_if_allowed(LIST_INCIDENTS, status="active", limit=MANY)
    shown = worst_first(incidents or [], lambda incident: str(incident["severity"]))
    can_update = request.may(ADD_UPDATE)
    return request.page(
        "console/front.html",
        status_now=_status_now(request),
        incidents=[
            {"incident": incident, "form": update_form(request, incident)}
            for incident in shown[:MOST]
        ],
        may_read_incidents=incidents is not None,
        can_update=can_update,
        windows=_upcoming_windows(request),
        faults=request.list_faults(),
        deliveries=_failed_deliveries(request),
        documents=request.read_if_allowed(
            LIST_DOCUMENTS, stale=True, content="omit", limit=MOST
        ),
    )


def _status_now(request: ConsoleRequest) -> dict[str, Any] | None:
    """Return the overall status, and each service that is not operational, and why."""
    if not request.may(LIST_SERVICES):
        return None
    now, freshness = request.now, request.settings.freshness
    with reading():
        listed = service_list(now, freshness)
        states = {service.slug: service.state for service in listed.services}
        affected = {slug for slug, state in states.items() if state != "operational"}
        rows = [row for row in services_in_display_order() if row.slug in affected]
        rows.sort(key=lambda row: STATES.index(states[row.slug]), reverse=True)
        # The reasons are not in the list, and take long for hundreds of services.
        snapshot = status_snapshot(now, freshness, rows[:MOST])
        shown = [_service(request, snapshot, row) for row in snapshot.services]
    return {
        "overall": listed.overall,
        "affected": shown,
        "affected_count": len(affected),
        "count": len(states),
    }


def _service(
    request: ConsoleRequest, snapshot: StatusSnapshot, row: ServiceRow
) -> dict[str, Any]:
    current = snapshot.state_of(row)
    return {
        "name": row.name,
        "slug": row.slug,
        "state": current.state,
        "reason": _shown_reason(request, current.reason),
    }


def _upcoming_windows(request: ConsoleRequest) -> list[dict[str, Any]] | None:
    """Return the windows that are active, or start within a week."""
    if not request.may(LIST_MAINTENANCE):
        return None
    until = format_moment(request.now + WINDOWS_WITHIN)
    since = format_moment(request.now)
    windows = request.read(
        LIST_MAINTENANCE, **{"from": since, "to": until, "limit": MOST}
    )
    shown = [
        window for window in windows if window["status"] in ("scheduled", "active")
    ]
    return sorted(shown, key=lambda window: str(window["startsAt"]))


def _failed_deliveries(request: ConsoleRequest) -> list[dict[str, Any]] | None:
    if not request.may(LIST_DELIVERIES):
        return None
    failed = [
        delivery
        for status in FAILED_DELIVERIES
        for delivery in request.read(LIST_DELIVERIES, status=status, limit=MOST)
    ]
    return with_recipients(request, failed)


def _shown_reason(request: ConsoleRequest, reason: Reason) -> dict[str, Any]:
    """Return the reason as the templates show it."""
    href = None
    if reason.subject:
        route, path = _SUBJECTS[reason.kind]
        if request.may(route):
            href = address(f"{path}/{reason.subject.id}/")
    return reason_facts(reason) | {"href": href}
