"""The page of a work item; change, move, archive and restore it."""

from typing import Any

from werkzeug.wrappers import Response

from api.console.console_page import page
from api.console.console_request import ConsoleRequest
from api.console.forms.form import Form
from api.console.listing import read_all
from api.console.projects.access import project_access
from api.console.projects.activity import describe
from api.console.work.choices import offer_of_project, read_projects
from api.console.work.links import (
    ADD_RELATIONSHIP,
    RELATION_FIELDS,
    read_relations,
    reference_form,
    specification_form,
)

CONTEXT = "GET /projects/v1/work-items/context"
UPDATE = "POST /projects/v1/work-items/update"
REMOVE = "POST /projects/v1/work-items/remove"
RESTORE = "POST /projects/v1/work-items/restore"
ADD_COMMENT = "POST /projects/v1/comments/add"
LIST_COMMENTS = "GET /projects/v1/comments/list"
FIELDS = (
    *("title", "type", "priority", "bucket", "milestoneId", "dueAt"),
    *("assigneeIds", "labelIds", "description"),
)
BOARD_FILTERS = ("q", "projectId", "assigneeId", "milestoneId", "labelId", "type")
# So many comments are in the context of an item.
RECENT_COMMENTS = 20


@page("GET work/<id>/")
def show_work_item(request: ConsoleRequest, id: str) -> Response:
    return work_item_page(request, read_context(request, id))


@page("POST work/<id>/change/")
def change_work_item(request: ConsoleRequest, id: str) -> Response:
    context = read_context(request, id)
    form = _change_form(request, context)
    if request.submit_change(form, context["work"], id=id) is None:
        return work_item_page(request, context, change=form)
    return request.go(f"work/{id}/", done="saved")


@page("POST work/<id>/move/")
def move_work_item(request: ConsoleRequest, id: str) -> Response:
    """Give an item another status; who did it on the board returns there."""
    context = read_context(request, id)
    form = move_form(request, context["work"])
    if request.submit_change(form, context["work"], id=id) is None:
        return work_item_page(request, context, move=form)
    if "board" not in request.query:
        return request.go(f"work/{id}/", done="work-moved")
    kept = {name: request.query.get(name) for name in BOARD_FILTERS}
    return request.go("work/board/", done="work-moved", at=id, **kept)


@page("POST work/<id>/archive/")
def archive_work_item(request: ConsoleRequest, id: str) -> Response:
    form = request.form(REMOVE, "id")
    if request.submit(form, id=id) is None:
        return work_item_page(request, read_context(request, id), archive=form)
    return request.go(f"work/{id}/", done="archived")


@page("POST work/<id>/restore/")
def restore_work_item(request: ConsoleRequest, id: str) -> Response:
    form = request.form(RESTORE, "id")
    if request.submit(form, id=id) is None:
        return work_item_page(request, read_context(request, id), restore=form)
    return request.go(f"work/{id}/", done="restored")


def read_context(request: ConsoleRequest, id: str) -> dict[str, Any]:
    context: dict[str, Any] = request.read(CONTEXT, id=id)
    return context


def move_form(request: ConsoleRequest, item: dict[str, Any]) -> Form:
    return request.form(
        UPDATE, "status", values=item, is_prefilled=True, id_prefix=item["id"]
    )


def work_item_page(
    request: ConsoleRequest, context: dict[str, Any], **refused: Form
) -> Response:
    """Show an item with all about it; `refused` are forms as they were sent."""
    item = context["work"]
    forms = {
        "change": _change_form(request, context),
        "move": move_form(request, item),
        "archive": request.form(REMOVE, "id"),
        "restore": request.form(RESTORE, "id"),
        "comment": request.form(ADD_COMMENT, "content"),
        "relate": request.form(ADD_RELATIONSHIP, *RELATION_FIELDS),
        "refer": reference_form(request),
        "specify": specification_form(request, item),
    }
    projects = read_projects(request) | {item["projectId"]: context["project"]}
    return request.page_of_forms(
        "console/work/item.html",
        forms,
        refused,
        item=item,
        context=context,
        comments=_comments(request, context),
        has_more_comments=_has_more_comments(request, context),
        relations=read_relations(request, item, projects),
        activity=describe(request, context["activity"]),
        access=project_access(request, item["projectId"]),
    )


def _change_form(request: ConsoleRequest, context: dict[str, Any]) -> Form:
    item = context["work"]
    form = request.form(UPDATE, *FIELDS, values=item, is_prefilled=True)
    return offer_of_project(request, form, item["projectId"], item)


def _has_more_comments(request: ConsoleRequest, context: dict[str, Any]) -> bool:
    is_cut = len(context["comments"]) == RECENT_COMMENTS
    return is_cut and "all" not in request.query and request.may(LIST_COMMENTS)


def _comments(request: ConsoleRequest, context: dict[str, Any]) -> list[Any]:
    """Return the comments in their order; by default the last ones."""
    if "all" in request.query and request.may(LIST_COMMENTS):
        id = context["work"]["id"]
        return read_all(request, LIST_COMMENTS, entityType="work", entityId=id)
    return sorted(context["comments"], key=lambda comment: str(comment["createdAt"]))
