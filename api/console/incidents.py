"""Open, follow and resolve incidents."""

from collections.abc import Mapping
from typing import Any

from werkzeug.datastructures import MultiDict
from werkzeug.wrappers import Response

from api.console.console_page import page
from api.console.console_request import PREVIEW, ConsoleRequest, Refused
from api.console.forms.fields import Option, form_fields
from api.console.forms.form import Form
from models.site_addresses import incident_address

ADD = "POST /status/v1/admin/incidents/add"
UPDATE = "POST /status/v1/admin/incidents/update"
ADD_UPDATE = "POST /status/v1/admin/incident-updates/add"
LIST = "GET /status/v1/incidents/list"
GET = "GET /status/v1/incidents/get"
REMOVE = "POST /status/v1/admin/incidents/remove"
CORRECT = "POST /status/v1/admin/incident-updates/update"
REMOVE_UPDATE = "POST /status/v1/admin/incident-updates/remove"
HISTORY = "GET /status/v1/admin/incident-updates/history"
LIST_TEMPLATES = "GET /status/v1/admin/incident-templates/list"
LIST_SERVICES = "GET /status/v1/services/list"

ADD_FIELDS = ("title", "services", "severity", "body", "status", "startedAt", "notify")
UPDATE_FIELDS = ("status", "body", "notify")
CHANGE_FIELDS = ("title", "severity", "services", "startedAt", "notify")
# Of an incident that is over.
CHANGE_FIELDS_AT_END = (*CHANGE_FIELDS[:-1], "resolvedAt", "notify")
PER_PAGE = 20
# The button that fills in the words of a template or an earlier incident.
USE_WORDS = "_use_words"


@page("GET incidents/", opened_by=(LIST,))
def list_incidents(request: ConsoleRequest) -> Response:
    """List incidents, newest first."""
    filters = request.form(LIST, "status", "slug")
    if options := service_options(request):
        filters.offer_one("slug", options)
    found = request.find(filters, limit=PER_PAGE)
    return request.page(
        "console/incidents/list.html",
        filters.status,
        filters=filters,
        incidents=found.data,
        cursor=found.meta.get("cursor"),
        may_open=request.may(ADD),
        may_list_templates=request.may(LIST_TEMPLATES),
    )


@page("GET incidents/open/")
def open_incident_form(request: ConsoleRequest) -> Response:
    """Show the form; `words` names an incident or a template whose words it uses."""
    id = request.query.get("words", "")
    return _open_page(request, _open_form(request, _words_of(request, id)))


@page("POST incidents/open/")
def open_incident(request: ConsoleRequest) -> Response:
    form = _open_form(request)
    if USE_WORDS in request.sent:
        words = _words_of(request, request.sent.get("words", ""))
        return _open_page(request, form.fill(_with_words(request.sent, words)))
    result = request.submit(form)
    if result is None:
        return _open_page(request, form)
    path = f"incidents/{result.data['id']}/"
    if result.data["status"] == "resolved":
        # The operation takes no end, so the page asks for it.
        return request.go(path, done="incident-recorded", change="1")
    return request.go(path, done="incident-opened")


@page("GET incidents/<id>/")
def show_incident(request: ConsoleRequest, id: str) -> Response:
    """Show an incident with its timeline, and forms to go on with it."""
    return _incident_page(request, request.read(GET, id=id))


@page("POST incidents/<id>/update/")
def post_update(request: ConsoleRequest, id: str) -> Response:
    """Post an update; the button Resolve gives the status with it."""
    detail = request.read(GET, id=id)
    form = update_form(request, detail["incident"]).fill(request.sent)
    more = {"incidentId": id}
    if request.sent.get("_resolve"):
        more["status"] = "resolved"
    is_ready = _change_severity(request, form, detail["incident"], more)
    if not is_ready or request.submit(form, **more) is None:
        return _incident_page(request, detail, update=form)
    is_resolved = (form.request | more).get("status") == "resolved"
    done = "incident-resolved" if is_resolved else "incident-updated"
    return request.go(f"incidents/{id}/", done=done)


@page("POST incidents/<id>/change/")
def change_incident(request: ConsoleRequest, id: str) -> Response:
    detail = request.read(GET, id=id)
    form = _change_form(request, detail["incident"])
    if request.submit(form, id=id) is None:
        return _incident_page(request, detail, change=form)
    return request.go(f"incidents/{id}/", done="incident-changed")


@page("POST incidents/<id>/remove/")
def remove_incident(request: ConsoleRequest, id: str) -> Response:
    """Remove an incident that was opened by mistake."""
    form = _remove_form(request)
    if request.submit(form, id=id) is None:
        return _incident_page(request, request.read(GET, id=id), remove=form)
    return request.go("incidents/", done="incident-removed")


@page("POST incidents/<id>/updates/<update_id>/correct/")
def correct_update(request: ConsoleRequest, id: str, update_id: str) -> Response:
    """Correct an entry of the timeline, which keeps its time."""
    detail = request.read(GET, id=id)
    updates = {update["id"]: update for update in detail["updates"]}
    update = updates.get(update_id, {})
    present = _with_version(update, _histories(request, id).get(update_id))
    form = _correction_form(request, update_id, present)
    if request.submit_change(form, present, id=update_id) is None:
        return _incident_page(request, detail, corrections={update_id: form})
    return request.go(f"incidents/{id}/", done="update-corrected")


@page("POST incidents/<id>/updates/<update_id>/remove/")
def remove_update(request: ConsoleRequest, id: str, update_id: str) -> Response:
    """Remove the words of an entry; the timeline says that it was removed."""
    request.call(REMOVE_UPDATE, {"id": update_id})
    return request.go(f"incidents/{id}/", done="update-removed")


def _change_severity(
    request: ConsoleRequest, form: Form, incident: dict[str, Any], more: dict[str, str]
) -> bool:
    """
    Change the severity before the update is posted, which then tells of both.

    Return whether the update can be posted: nothing is changed if it would be refused.
    """
    change = {**form.request_beside, "id": incident["id"], "notify": False}
    is_same = change.get("severity") in (None, incident["severity"])
    if is_same or PREVIEW in request.sent or form.is_contested:
        return True
    try:
        key = form.idempotency_key
        update = form.request | more
        request.call(ADD_UPDATE, update, idempotency_key=key, dry_run=True)
        request.call(UPDATE, change)
    except Refused as refused:
        form.refuse(refused.refusal)
        return False
    return True


def update_form(request: ConsoleRequest, incident: dict[str, Any]) -> Form:
    """Return the form for an update, which shows the present status and severity."""
    names = ("severity",) if request.may(UPDATE) else ()
    return request.form(
        ADD_UPDATE,
        *UPDATE_FIELDS,
        values=incident | {"notify": True},
        is_prefilled=True,
        id_prefix=incident["id"],
        beside={n: form_fields(request.operations[UPDATE])[n] for n in names},
    )


def _open_form(request: ConsoleRequest, values: dict[str, Any] | None = None) -> Form:
    form = request.form(ADD, *ADD_FIELDS, values=values or {})
    return form.offer("services", service_options(request))


def _with_words(
    sent: MultiDict[str, str], words: dict[str, Any]
) -> MultiDict[str, str]:
    """Return what was sent, with the words where nothing was entered."""
    filled = sent.copy()
    for name, value in words.items():
        if not any(sent.getlist(name)):
            filled.setlist(name, value if isinstance(value, list) else [value])
    return filled


def _correction_form(request: ConsoleRequest, id: str, update: dict[str, Any]) -> Form:
    return request.form(
        CORRECT,
        *UPDATE_FIELDS,
        values=update,
        is_prefilled=True,
        id_prefix=f"correct.{id}",
    )


def _remove_form(request: ConsoleRequest) -> Form:
    return request.form(REMOVE, "id", id_prefix="remove")


def _histories(request: ConsoleRequest, id: str) -> dict[str, dict[str, Any]]:
    """Return the history of each update, by id; none if the key does not open them."""
    histories = request.read_if_allowed(HISTORY, incidentId=id) or []
    return {history["id"]: history for history in histories}


def _with_version(
    update: dict[str, Any], history: dict[str, Any] | None
) -> dict[str, Any]:
    """Return the update with its version, if its history is known."""
    return update | ({"version": len(history["versions"])} if history else {})


def _words_of(request: ConsoleRequest, id: str) -> dict[str, Any]:
    """Return the words of a template, or those an earlier incident was opened with."""
    for template in request.read_if_allowed(LIST_TEMPLATES) or []:
        if template["id"] == id:
            return {name: template[name] for name in ("title", "severity", "body")}
    if not id or not request.may(GET):
        return {}
    detail = request.read(GET, id=id)
    incident, first = detail["incident"], detail["updates"][:1]
    return {
        "title": incident["title"],
        "severity": incident["severity"],
        "services": [service["slug"] for service in incident["services"]],
        **({"body": first[0]["body"]} if first else {}),
    }


def _change_form(request: ConsoleRequest, incident: dict[str, Any]) -> Form:
    chosen = incident["services"]
    slugs = [service["slug"] for service in chosen]
    is_over = incident["status"] == "resolved"
    form = request.form(
        UPDATE,
        *(CHANGE_FIELDS_AT_END if is_over else CHANGE_FIELDS),
        values=incident | {"services": slugs, "notify": False},
        is_prefilled=True,
    )
    return form.offer("services", service_options(request, chosen))


def service_options(
    request: ConsoleRequest, chosen: list[dict[str, Any]] | None = None
) -> list[Option]:
    """Return the services of the page, and those chosen that are gone from it."""
    listed = request.read_if_allowed(LIST_SERVICES)
    services = listed["services"] if listed else []
    options = [
        Option(service["slug"], service["name"], service["group"] or "")
        for service in services
    ]
    known = {option.value for option in options}
    gone = [service for service in chosen or [] if service["slug"] not in known]
    return options + [Option(service["slug"], service["name"]) for service in gone]


def _entries(
    request: ConsoleRequest, detail: dict[str, Any], failed: Mapping[str, Form]
) -> list[dict[str, Any]]:
    """Return the updates, newest first, each with its versions and its form."""
    histories = _histories(request, detail["incident"]["id"])
    entries = []
    for update in reversed(detail["updates"]):
        id, history = update["id"], histories.get(update["id"])
        present = _with_version(update, history)
        form = failed.get(id) or _correction_form(request, id, present)
        entry = {"update": update, "history": history, "form": form}
        entries.append(entry | {"is_correcting": id in failed})
    return entries


def _open_page(request: ConsoleRequest, form: Form) -> Response:
    return request.page(
        "console/incidents/open.html",
        form.status,
        form=form,
        may_open=request.may(ADD),
        earlier=request.read_if_allowed(LIST, limit=PER_PAGE) or [],
        templates=request.read_if_allowed(LIST_TEMPLATES) or [],
        words=request.query.get("words", ""),
    )


def _incident_page(
    request: ConsoleRequest,
    detail: dict[str, Any],
    *,
    update: Form | None = None,
    change: Form | None = None,
    corrections: Mapping[str, Form] | None = None,
    remove: Form | None = None,
) -> Response:
    incident, failed_corrections = detail["incident"], corrections or {}
    failed = update or change or remove or next(iter(failed_corrections.values()), None)
    return request.page(
        "console/incidents/incident.html",
        failed.status if failed else 200,
        incident=incident,
        entries=_entries(request, detail, failed_corrections),
        update=update or update_form(request, incident),
        change=change or _change_form(request, incident),
        is_changing=change is not None or "change" in request.query,
        remove=remove or _remove_form(request),
        is_removing=remove is not None,
        may_update=request.may(ADD_UPDATE),
        may_change=request.may(UPDATE),
        may_remove=request.may(REMOVE),
        may_correct=request.may(CORRECT),
        may_remove_updates=request.may(REMOVE_UPDATE),
        public=request.settings.site_url + incident_address(incident["id"]),
    )
