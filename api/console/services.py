"""Add, order, change and take off services; see what measures them."""

import re
from typing import Any

from werkzeug.wrappers import Response

from api.console.console_page import page
from api.console.console_request import ConsoleRequest
from api.console.forms.form import Form
from models.errors import ServiceNotFound
from models.fields import SLUG_LENGTH, slugify
from models.status.measurements.sources import list_sources
from models.status.reasons import reason_facts
from models.status.services.catalogue import (
    StatusAdminService,
    service_with_slug,
    services_in_display_order,
)
from models.status.services.rows import ServiceRow
from models.status.snapshot.service_list_cache import service_list
from models.status.snapshot.snapshot import status_snapshot
from models.storage.database import reading

LIST = "GET /status/v1/admin/services/list"
LIST_SOURCES = "GET /status/v1/admin/sources/list"
LIST_STATES = "GET /status/v1/services/list"
GET_STATE = "GET /status/v1/services/get"
GET_INCIDENT = "GET /status/v1/incidents/get"
GET_WINDOW = "GET /status/v1/maintenance/get"
ADD = "POST /status/v1/admin/services/add"
UPDATE = "POST /status/v1/admin/services/update"
REMOVE = "POST /status/v1/admin/services/remove"

CHANGE_FIELDS = ("name", "group", "displayOrder", "hostname", "description")
# No slug begins with an underscore.
ADD_PATH = "services/_add/"
PER_PAGE = 50
# The orders that are proposed leave room for services in between.
ORDER_STEP, MAX_ORDER = 10, 10_000
_NUMBER = re.compile(r"[1-9][0-9]{0,5}", re.ASCII)


@page("GET services/", opened_by=(LIST,))
def list_services(request: ConsoleRequest) -> Response:
    """List the services in groups and in their order, with their newest samples."""
    q, number = request.search_text("q"), request.search_text("page")
    start = (int(number) - 1) * PER_PAGE if _NUMBER.fullmatch(number) else 0
    services = [service for service in _services(request) if _matches(service, q)]
    shown = services[start : start + PER_PAGE]
    return request.page(
        "console/services/list.html",
        groups=_groups(shown),
        sources=_sources(request, [service.slug for service in shown]),
        count=len(services),
        page_count=-(-len(services) // PER_PAGE),
        page_number=start // PER_PAGE + 1,
        states=_states(request),
        q=q,
        may_add=request.may(ADD),
    )


@page(f"GET {ADD_PATH}")
def add_service_form(request: ConsoleRequest) -> Response:
    return _add_page(request, _add_form(request))


@page(f"POST {ADD_PATH}")
def add_service(request: ConsoleRequest) -> Response:
    form = _add_form(request)
    if not request.sent.get("slug", "").strip():
        request.sent = request.sent.copy()
        slug = slugify(request.sent.get("name", ""))
        request.sent["slug"] = slug[:SLUG_LENGTH].rstrip("-")
    result = request.submit(form)
    if result is None:
        return _add_page(request, form)
    return request.go(f"services/{result.data['slug']}/", done="service-added")


@page("GET services/<slug>/")
def show_service(request: ConsoleRequest, slug: str) -> Response:
    return _service_page(request, _service(request, slug))


@page("POST services/<slug>/change/")
def change_service(request: ConsoleRequest, slug: str) -> Response:
    service = _service(request, slug)
    form = _change_form(request, service)
    if request.submit(form, slug=slug) is None:
        return _service_page(request, service, change=form)
    return request.go(f"services/{slug}/", done="service-changed")


@page("POST services/<slug>/enable/")
def enable_service(request: ConsoleRequest, slug: str) -> Response:
    """Put a service on the page again."""
    form = request.form(UPDATE, "slug", id_prefix="enable")
    if request.submit(form, slug=slug, enabled=True) is None:
        return _service_page(request, _service(request, slug), enable=form)
    return request.go(f"services/{slug}/", done="service-enabled")


@page("POST services/<slug>/remove/")
def remove_service(request: ConsoleRequest, slug: str) -> Response:
    """Take a service off the page, or purge it, as the button says."""
    is_purge = bool(request.sent.get("_purge"))
    form = request.form(REMOVE, "slug", id_prefix="purge" if is_purge else "remove")
    if request.submit(form, slug=slug, purge=is_purge) is None:
        return _service_page(request, _service(request, slug), remove=form)
    if is_purge:
        return request.go("services/", done="service-purged")
    return request.go(f"services/{slug}/", done="service-removed")


def _states(request: ConsoleRequest) -> dict[str, str]:
    """Return the state of each service, without the JSON of all, which takes long."""
    if not request.may(LIST_STATES):
        return {}
    with reading():
        listed = service_list(request.now, request.settings.freshness)
    return {service.slug: service.state for service in listed.services}


def _services(request: ConsoleRequest) -> list[ServiceRow]:
    """Return all services, for those that may list them."""
    if not request.may(LIST):
        request.read(LIST)
    with reading():
        return services_in_display_order(include_disabled=True)


def _sources(
    request: ConsoleRequest, slugs: list[str]
) -> dict[str, list[dict[str, Any]]] | None:
    """
    Return the sources of each of these services, None if the key may not see them.

    The operation returns those of one service, or of all, which takes too long.
    """
    if not request.may(LIST_SOURCES):
        return None
    with reading():
        listed = list_sources(slugs)
    sources: dict[str, list[dict[str, Any]]] = {slug: [] for slug in slugs}
    for source in listed:
        shown = source.to_json()
        for service in shown.pop("services"):
            sources[service["slug"]].append(
                shown | {"observedAt": service["observedAt"]}
            )
    return sources


def _matches(service: ServiceRow, q: str) -> bool:
    texts = (service.name, service.slug, service.group or "")
    return any(q.casefold() in text.casefold() for text in texts)


def _groups(services: list[ServiceRow]) -> dict[str, list[dict[str, Any]]]:
    """Return the services by group, each group where its first service is."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for service in services:
        groups.setdefault(service.group or "", []).append(_to_json(service))
    return groups


def _to_json(service: ServiceRow) -> dict[str, Any]:
    return StatusAdminService.model_validate(service).to_json()


def _service(request: ConsoleRequest, slug: str) -> dict[str, Any]:
    found = [service for service in _services(request) if service.slug == slug]
    if found:
        return _to_json(found[0])
    raise ServiceNotFound(f"No service has the slug '{slug}'.")


def _current_state(request: ConsoleRequest, slug: str) -> dict[str, Any] | None:
    """
    Return the state of a service with its reason, and what it follows from.

    The operation also computes the uptime and the history, which are not shown here.
    """
    if not request.may(GET_STATE):
        return None
    with reading():
        service = service_with_slug(slug)
        if not service.enabled:
            return None
        snapshot = status_snapshot(request.now, request.settings.freshness, [service])
    current = snapshot.state_of(service)
    return {
        "state": current.state,
        "reason": reason_facts(current.reason),
        "incidents": snapshot.active_incidents(service),
        "windows": snapshot.active_windows(service),
        "samples": {
            newest.source: {
                "status": newest.status,
                "milliseconds": newest.response_time_ms,
            }
            for newest in snapshot.readings[service.number]
        },
    }


def _known_groups(request: ConsoleRequest) -> list[str]:
    if not request.may(LIST):
        return []
    return sorted({service.group for service in _services(request) if service.group})


def _next_order(request: ConsoleRequest) -> int:
    """Return the order that makes a service the last one of the page and its group."""
    orders = [s.display_order for s in _services(request)] if request.may(LIST) else []
    return min(max(orders) + ORDER_STEP, MAX_ORDER) if orders else 0


def _add_form(request: ConsoleRequest) -> Form:
    values = {"displayOrder": _next_order(request)}
    return request.form(ADD, "name", "slug", *CHANGE_FIELDS[1:], values=values)


def _change_form(request: ConsoleRequest, service: dict[str, Any]) -> Form:
    return request.form(UPDATE, *CHANGE_FIELDS, values=service, is_prefilled=True)


def _add_page(request: ConsoleRequest, form: Form) -> Response:
    return request.page(
        "console/services/add.html",
        form.status,
        form=form,
        path=ADD_PATH,
        known_groups=_known_groups(request),
        may_add=request.may(ADD),
    )


def _service_page(
    request: ConsoleRequest,
    service: dict[str, Any],
    *,
    change: Form | None = None,
    enable: Form | None = None,
    remove: Form | None = None,
) -> Response:
    failed = change or enable or remove
    sources = _sources(request, [service["slug"]])
    return request.page(
        "console/services/service.html",
        failed.status if failed else 200,
        service=service,
        sources=None if sources is None else sources[service["slug"]],
        sources_scope=request.operations[LIST_SOURCES].scope,
        known_groups=_known_groups(request),
        now=_current_state(request, service["slug"]),
        state_scope=request.operations[GET_STATE].scope,
        may_read_incidents=request.may(GET_INCIDENT),
        may_read_windows=request.may(GET_WINDOW),
        change=change or _change_form(request, service),
        enable=enable or request.form(UPDATE, "slug", id_prefix="enable"),
        remove=remove or request.form(REMOVE, "slug", id_prefix="remove"),
        purge=remove or request.form(REMOVE, "slug", id_prefix="purge"),
        is_removing=remove is not None,
        may_change=request.may(UPDATE),
        may_remove=request.may(REMOVE),
    )
