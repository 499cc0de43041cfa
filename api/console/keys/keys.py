"""List keys, and issue, change, rotate and revoke them."""

from typing import Any, get_args

from werkzeug.wrappers import Response

from api.console.console_page import page
from api.console.console_request import ConsoleRequest, OperationResult
from api.console.forms.fields import Option
from api.console.forms.form import Form
from api.console.keys.scope_choices import (
    EVERYTHING,
    SCOPE_SETS,
    SPECIAL,
    all_scopes,
    scope_areas,
    scope_set,
)
from models.errors import ScopeNotGrantable
from models.platform.key_inventory import FindKeys, find_keys, inventoried_key
from models.platform.keys import KeyStatus
from models.platform.scopes import ASSERT_ACTORS, not_grantable
from models.storage.database import reading

LIST = "GET /platform/v1/keys/list"
GET = "GET /platform/v1/keys/get"
ADD = "POST /platform/v1/keys/add"
UPDATE = "POST /platform/v1/keys/update"
ROTATE = "POST /platform/v1/keys/rotate"
REMOVE = "POST /platform/v1/keys/remove"

ADD_FIELDS = ("name", "scopes", "expiresInDays", "rateCapacity", "rateRefill")
CHANGE_FIELDS = ("name", "scopes", "rateCapacity", "rateRefill")
PER_PAGE = 50
# The buttons that choose the scopes of a set, and keep what else was entered.
USE_SET = "_set"
# For how many seconds the former key still works.
GRACES = (86_400, 3600, 604_800, 0)


@page("GET keys/", opened_by=(LIST,))
def list_keys(request: ConsoleRequest) -> Response:
    """List keys with their last use, newest first; the API's list has no search."""
    request.read(LIST, limit=1)
    status = request.query.get("status", "")
    q = request.search_text("q")
    filters = {"q": q, "status": status if status in get_args(KeyStatus) else ""}
    sent = {name: value for name, value in filters.items() if value}
    page = {"cursor": request.cursor, "limit": PER_PAGE}
    query = FindKeys.model_validate(sent | page)
    with reading():
        found = find_keys(query, request.now)
    return request.page(
        "console/keys/list.html",
        keys=[key.to_json() for key in found.items],
        cursor=found.meta["cursor"],
        filters=filters,
        may_issue=request.may(ADD),
    )


@page("GET keys/issue/")
def issue_key_form(request: ConsoleRequest) -> Response:
    """Show the form; a set of scopes can be named in the address."""
    chosen = scope_set(request.query.get("set", ""))
    form = _issue_form(request, list(chosen.scopes) if chosen else [])
    return _issue_page(request, form, chosen.name if chosen else "")


@page("POST keys/issue/")
def issue_key(request: ConsoleRequest) -> Response:
    form = _issue_form(request, [])
    if chosen := scope_set(request.sent.get(USE_SET, "")):
        sent = request.sent.copy()
        sent.setlist("scopes", list(chosen.scopes))
        return _issue_page(request, form.fill(sent), chosen.name)
    result = _submit(request, form)
    if result is None:
        return _issue_page(request, form)
    return _secret_page(request, result.data, request.text("keys.key-issued"))


@page("GET keys/<id>/")
def show_key(request: ConsoleRequest, id: str) -> Response:
    return _key_page(request, _key(request, id))


@page("POST keys/<id>/change/")
def change_key(request: ConsoleRequest, id: str) -> Response:
    key = _key(request, id)
    form = _change_form(request, key)
    if _submit(request, form, id=id) is None:
        return _key_page(request, key, change=form)
    return request.go(f"keys/{id}/", done="key-changed")


@page("POST keys/<id>/rotate/")
def rotate_key(request: ConsoleRequest, id: str) -> Response:
    form = _rotate_form(request)
    result = request.submit(form, id=id)
    if result is None:
        return _key_page(request, _key(request, id), rotate=form)
    return _secret_page(request, result.data, request.text("keys.key-rotated"))


@page("POST keys/<id>/revoke/")
def revoke_key(request: ConsoleRequest, id: str) -> Response:
    form = request.form(REMOVE, "id")
    if request.submit(form, id=id) is None:
        return _key_page(request, _key(request, id), revoke=form)
    return request.go(f"keys/{id}/", done="key-revoked")


def _key(request: ConsoleRequest, id: str) -> dict[str, Any]:
    """Return a key with its last use, which the operation does not tell."""
    request.read(GET, id=id)
    with reading():
        return inventoried_key(id, request.now).to_json()


def _submit(request: ConsoleRequest, form: Form, **more: Any) -> OperationResult | None:
    """Send a form with scopes: those ticked, and those of other products."""
    others = [line.strip() for line in request.sent.get("_other", "").splitlines()]
    scopes = request.sent.getlist("scopes") + [scope for scope in others if scope]
    request.sent = request.sent.copy()
    request.sent.setlist("scopes", scopes)
    # Without any, the operation says what it lacks.
    kept = form.fill(request.sent).request.get("scopes", [])
    result = request.submit(form, scopes=kept, **more)
    if isinstance(form.refusal, ScopeNotGrantable):
        missing: Any = form.refusal.members["scopes"]
        names = request.locale.join_list(missing)
        form.errors["scopes"] = [request.text("keys.not-to-grant", scopes=names)]
    return result


def _issue_form(request: ConsoleRequest, scopes: list[str]) -> Form:
    return _with_scopes(
        request, request.form(ADD, *ADD_FIELDS, values={"scopes": scopes})
    )


def _change_form(request: ConsoleRequest, key: dict[str, Any]) -> Form:
    form = request.form(UPDATE, *CHANGE_FIELDS, values=key, is_prefilled=True)
    return _with_scopes(request, form)


def _rotate_form(request: ConsoleRequest) -> Form:
    return request.form(ROTATE, "graceSeconds")


def _with_scopes(request: ConsoleRequest, form: Form) -> Form:
    areas = scope_areas(request.operations.values())
    return form.offer("scopes", [Option(scope, scope) for scope in all_scopes(areas)])


def _choices(request: ConsoleRequest, form: Form, present: list[str]) -> dict[str, Any]:
    """
    Return what the list of scopes shows, with what the form has chosen.

    Scopes that the key cannot grant are left out; the operation decides.
    """
    areas = scope_areas(request.operations.values())
    known = [*all_scopes(areas), *SPECIAL]
    hidden: set[str] = set()
    if request.settings.grant_policy != "open":
        caller, public = request.caller.scopes, request.settings.public_scopes
        hidden = {*not_grantable(known, caller, public)} - {*present}
    sent = request.sent.get("_other")
    others = [scope for scope in present if scope not in known]
    return {
        "everything": [] if EVERYTHING.scope in hidden else [EVERYTHING],
        "areas": scope_areas(request.operations.values(), hidden),
        "is_limited": bool(hidden - {ASSERT_ACTORS}),
        "other": "\n".join(others) if sent is None else sent,
    }


def _issue_page(request: ConsoleRequest, form: Form, chosen: str = "") -> Response:
    return request.page(
        "console/keys/issue.html",
        form.status,
        form=form,
        sets=SCOPE_SETS,
        chosen=chosen,
        choices=_choices(request, form, []),
        may_issue=request.may(ADD),
    )


def _key_page(
    request: ConsoleRequest,
    key: dict[str, Any],
    *,
    change: Form | None = None,
    rotate: Form | None = None,
    revoke: Form | None = None,
) -> Response:
    failed = change or rotate or revoke
    form = change or _change_form(request, key)
    return request.page(
        "console/keys/key.html",
        failed.status if failed else 200,
        key=key,
        change=form,
        choices=_choices(request, form, key["scopes"]),
        rotate=rotate or _rotate_form(request),
        graces=GRACES,
        revoke=revoke or request.form(REMOVE, "id"),
        is_own=key["id"] == request.caller.key_id,
        is_changing=change is not None,
        is_rotating=rotate is not None,
        is_revoking=revoke is not None,
        may_change=request.may(UPDATE),
        may_rotate=request.may(ROTATE),
        may_revoke=request.may(REMOVE),
    )


def _secret_page(request: ConsoleRequest, key: dict[str, Any], title: str) -> Response:
    """Show the secret; sending the same form again shows it again for a day."""
    return request.page("console/keys/secret.html", key=key, title=title)
