"""Plan, shift, shorten, end and cancel maintenance windows."""

from datetime import datetime, timedelta
from typing import Any

from werkzeug.wrappers import Response

from api.console.console_page import page
from api.console.console_request import ConsoleRequest, Refused
from api.console.forms.form import Form
from api.console.incidents import service_options
from models.fields import format_moment, parse_moment
from models.site_addresses import maintenance_address

ADD = "POST /status/v1/admin/maintenance/add"
UPDATE = "POST /status/v1/admin/maintenance/update"
REMOVE = "POST /status/v1/admin/maintenance/remove"
LIST = "GET /status/v1/maintenance/list"
GET = "GET /status/v1/maintenance/get"

FIELDS = ("title", "services", "startsAt", "endsAt", "description", "notify")
# What the buttons send.
BUTTONS = ("status", "endsAt")
# By how much one button makes a window longer, or moves it.
STEPS = (timedelta(minutes=30), timedelta(hours=1))
HOUR = timedelta(hours=1)


@page("GET maintenance/", opened_by=(LIST,))
def list_maintenance(request: ConsoleRequest) -> Response:
    """List maintenance windows, newest first."""
    filters = request.form(LIST, "status", "slug")
    options = service_options(request)
    if options:
        filters.offer("slug", options)
    found = request.find(filters)
    return request.page(
        "console/maintenance/list.html",
        filters.status,
        filters=filters,
        windows=found.data,
        cursor=found.meta.get("cursor"),
        may_plan=request.may(ADD),
    )


@page("GET maintenance/plan/")
def plan_maintenance_form(request: ConsoleRequest) -> Response:
    return _plan_page(request, _plan_form(request))


@page("POST maintenance/plan/")
def plan_maintenance(request: ConsoleRequest) -> Response:
    form = _plan_form(request)
    result = request.submit(form)
    if result is None:
        return _plan_page(request, form)
    return request.go(f"maintenance/{result.data['id']}/", done="maintenance-planned")


@page("GET maintenance/<id>/")
def show_maintenance(request: ConsoleRequest, id: str) -> Response:
    return _window_page(request, request.read(GET, id=id))


@page("POST maintenance/<id>/change/")
def change_maintenance(request: ConsoleRequest, id: str) -> Response:
    window = request.read(GET, id=id)
    form = _change_form(request, window)
    if request.submit(form, id=id) is None:
        return _window_page(request, window, change=form)
    return request.go(f"maintenance/{id}/", done="maintenance-changed")


@page("POST maintenance/<id>/end/")
def end_maintenance(request: ConsoleRequest, id: str) -> Response:
    """
    Do what the button says: start the window, end, move or cancel it, or plan it again.

    A window that is started now is moved as a whole. One that is ended keeps the time
    at which it did as its end, so that later measurements count.
    """
    window = request.read(GET, id=id)
    is_cancelled = request.sent.get("_status") == "cancelled"
    button = "cancel" if is_cancelled else "end"
    form = _end_form(request, button).fill(request.sent)
    changed = {"id": id} | form.request
    changed |= {n: request.sent[f"_{n}"] for n in BUTTONS if f"_{n}" in request.sent}
    if times := request.sent.get("_times"):
        changed["startsAt"], _, changed["endsAt"] = times.partition(" ")
    status = changed.get("status", "changed")
    if request.sent.get("_start"):
        status = "started"
        # A repeat finds the window started, and does not move it again.
        if window["status"] == "scheduled":
            changed |= _times_from(request.now, window)
    if status == "completed" and window["status"] == "active":
        changed["endsAt"] = format_moment(request.now)
    try:
        # Without an Idempotency-Key: a repeat finds the window ended, and has no end.
        request.call(UPDATE, changed)
    except Refused as refused:
        form.refuse(refused.refusal)
        return _window_page(request, window, **{button: form})
    return request.go(f"maintenance/{id}/", done=f"maintenance-{status}")


@page("POST maintenance/<id>/remove/")
def remove_maintenance(request: ConsoleRequest, id: str) -> Response:
    form = _remove_form(request)
    if request.submit(form, id=id) is None:
        return _window_page(request, request.read(GET, id=id), remove=form)
    return request.go("maintenance/", done="maintenance-removed")


def _plan_form(request: ConsoleRequest) -> Form:
    """Return the form for a window of the next full hour."""
    starts_at = request.now.replace(minute=0, second=0, microsecond=0) + HOUR
    times = {"startsAt": starts_at, "endsAt": starts_at + HOUR}
    values = {name: format_moment(at) for name, at in times.items()}
    form = request.form(ADD, *FIELDS, values=values | {"notify": True})
    return form.offer("services", service_options(request))


def _change_form(request: ConsoleRequest, window: dict[str, Any]) -> Form:
    chosen = window["services"]
    slugs = [service["slug"] for service in chosen]
    values = window | {"services": slugs, "notify": True}
    form = request.form(UPDATE, *FIELDS, values=values, is_prefilled=True)
    return form.offer("services", service_options(request, chosen))


def _end_form(request: ConsoleRequest, button: str) -> Form:
    return request.form(UPDATE, "notify", values={"notify": True}, id_prefix=button)


def _remove_form(request: ConsoleRequest) -> Form:
    return request.form(REMOVE, "id", id_prefix="remove")


def _times_from(starts_at: datetime, window: dict[str, Any]) -> dict[str, str]:
    """Return the times of a window that is as long and starts at another time."""
    length = parse_moment(window["endsAt"]) - parse_moment(window["startsAt"])
    times = {"startsAt": starts_at, "endsAt": starts_at + length}
    return {name: format_moment(at) for name, at in times.items()}


def _delays(starts_at: datetime, ends_at: datetime) -> list[tuple[float, str]]:
    """Return by how many seconds buttons move it, and the times that each gives."""
    return [
        (
            s.total_seconds(),
            f"{format_moment(starts_at + s)} {format_moment(ends_at + s)}",
        )
        for s in STEPS
    ]


def _plan_page(request: ConsoleRequest, form: Form) -> Response:
    may_plan = request.may(ADD)
    template = "console/maintenance/plan.html"
    return request.page(template, form.status, form=form, may_plan=may_plan)


def _window_page(
    request: ConsoleRequest,
    window: dict[str, Any],
    *,
    change: Form | None = None,
    end: Form | None = None,
    cancel: Form | None = None,
    remove: Form | None = None,
) -> Response:
    failed = change or end or cancel or remove
    starts_at = parse_moment(window["startsAt"])
    ends_at = parse_moment(window["endsAt"])
    return request.page(
        "console/maintenance/window.html",
        failed.status if failed else 200,
        window=window,
        has_started=starts_at <= request.now,
        may_restart=window["status"] == "cancelled" and ends_at > request.now,
        # By how many seconds buttons extend it, and the end that each gives.
        extensions=[(s.total_seconds(), format_moment(ends_at + s)) for s in STEPS],
        delays=_delays(starts_at, ends_at),
        change=change or _change_form(request, window),
        end=end or _end_form(request, "end"),
        cancel=cancel or _end_form(request, "cancel"),
        is_cancelling=cancel is not None,
        remove=remove or _remove_form(request),
        may_change=request.may(UPDATE),
        may_remove=request.may(REMOVE),
        public=request.settings.site_url + maintenance_address(window["id"]),
    )
