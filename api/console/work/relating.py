"""Relate work items to each other, to specifications, and to other systems."""

from werkzeug.wrappers import Response

from api.console.console_page import page
from api.console.console_request import ConsoleRequest, Refused
from api.console.forms.form import Form
from api.console.work.links import (
    ADD_RELATIONSHIP,
    RELATION_FIELDS,
    UPDATE_ITEM,
    reference_form,
    specification_form,
)
from api.console.work.work_item import read_context, work_item_page

GET_ITEM = "GET /projects/v1/work-items/get"
REMOVE_RELATIONSHIP = "POST /projects/v1/relationships/remove"
REMOVE_REFERENCE = "POST /projects/v1/references/remove"
ADDED, REMOVED = "link-added", "link-removed"


@page("POST work/<id>/relationships/")
def add_relationship(request: ConsoleRequest, id: str) -> Response:
    form = request.form(ADD_RELATIONSHIP, *RELATION_FIELDS)
    form.fill(request.sent)
    named = request.sent.get("targetId", "").strip()
    target = _find_item(request, id, named)
    if named and target is None:
        form.errors["targetId"] = [request.text("work.no-such-item", name=named)]
        form.status = 422
        return _refused(request, id, relate=form)
    more = {"targetId": target} if target else {}
    if request.submit(form, sourceId=id, **more) is None:
        return _refused(request, id, relate=form)
    return request.go(f"work/{id}/", done=ADDED)


@page("POST work/<id>/relationships/remove/")
def remove_relationship(request: ConsoleRequest, id: str) -> Response:
    form = request.form(REMOVE_RELATIONSHIP)
    if request.submit(form) is None:
        return _refused(request, id, relate=form)
    return request.go(f"work/{id}/", done=REMOVED)


@page("POST work/<id>/references/")
def add_reference(request: ConsoleRequest, id: str) -> Response:
    form = reference_form(request)
    if request.submit(form, entityType="work", entityId=id) is None:
        return _refused(request, id, refer=form)
    return request.go(f"work/{id}/", done=ADDED)


@page("POST work/<id>/references/<reference>/remove/")
def remove_reference(request: ConsoleRequest, id: str, reference: str) -> Response:
    form = request.form(REMOVE_REFERENCE, "id")
    if request.submit(form, id=reference) is None:
        return _refused(request, id, refer=form)
    return request.go(f"work/{id}/", done=REMOVED)


@page("POST work/<id>/specifications/")
def link_specification(request: ConsoleRequest, id: str) -> Response:
    """Link one more specification, or unlink one: the operation takes all of them."""
    item = read_context(request, id)["work"]
    chosen, _, relationship = request.sent.get("specifications", "").partition(" ")
    link = {"specificationId": chosen, "relationship": relationship}
    is_removal = bool(request.sent.get("_remove"))
    links = [present for present in item["specifications"] if present != link]
    links += [] if is_removal else [link]
    # All links are written, so nobody may have changed them since they were read.
    seen = {"expectedUpdatedAt": item["updatedAt"]}
    try:
        request.call(UPDATE_ITEM, {"id": id, "specifications": links, **seen})
    except Refused as refused:
        form = specification_form(request, item).fill(request.sent)
        form.refuse(refused.refusal)
        return _refused(request, id, specify=form)
    return request.go(f"work/{id}/", done=REMOVED if is_removal else ADDED)


def _find_item(request: ConsoleRequest, id: str, name: str) -> str | None:
    """Return the id of an item named as `atlas#12`, `#12`, or by its id."""
    slug, mark, number = name.rpartition("#")
    if not mark or not request.may(GET_ITEM):
        return name or None
    if slug:
        where = {"projectSlug": slug}
    else:
        where = {"projectId": read_context(request, id)["work"]["projectId"]}
    try:
        return str(request.read(GET_ITEM, number=number, **where)["id"])
    except Refused:
        return None


def _refused(request: ConsoleRequest, id: str, **forms: Form) -> Response:
    return work_item_page(request, read_context(request, id), **forms)
