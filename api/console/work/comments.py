"""Comment on work items, and change what one has written."""

from typing import Any

from werkzeug.wrappers import Response

from api.console.console_page import page
from api.console.console_request import ConsoleRequest
from api.console.forms.form import Form
from api.console.projects.access import project_access
from api.console.work.work_item import ADD_COMMENT, read_context, work_item_page

GET = "GET /projects/v1/comments/get"
UPDATE = "POST /projects/v1/comments/update"
REMOVE = "POST /projects/v1/comments/remove"


@page("POST work/<id>/comments/")
def add_comment(request: ConsoleRequest, id: str) -> Response:
    form = request.form(ADD_COMMENT, "content")
    if request.submit(form, entityType="work", entityId=id) is None:
        return work_item_page(request, read_context(request, id), comment=form)
    return request.go(f"work/{id}/", done="comment-added")


@page("GET work/<id>/comments/<comment>/")
def show_comment(request: ConsoleRequest, id: str, comment: str) -> Response:
    return _comment_page(request, id, request.read(GET, id=comment))


@page("POST work/<id>/comments/<comment>/")
def change_comment(request: ConsoleRequest, id: str, comment: str) -> Response:
    present = request.read(GET, id=comment)
    form = _change_form(request, present)
    if request.submit_change(form, present, id=comment) is None:
        return _comment_page(request, id, present, change=form)
    return request.go(f"work/{id}/", done="saved")


@page("POST work/<id>/comments/<comment>/remove/")
def remove_comment(request: ConsoleRequest, id: str, comment: str) -> Response:
    form = request.form(REMOVE, "id")
    if request.submit(form, id=comment) is None:
        return _comment_page(request, id, request.read(GET, id=comment), remove=form)
    return request.go(f"work/{id}/", done="comment-removed")


def _change_form(request: ConsoleRequest, comment: dict[str, Any]) -> Form:
    return request.form(UPDATE, "content", values=comment, is_prefilled=True)


def _comment_page(
    request: ConsoleRequest, id: str, comment: dict[str, Any], **refused: Form
) -> Response:
    forms = {
        "change": _change_form(request, comment),
        "remove": request.form(REMOVE, "id"),
    }
    own = request.caller.account or request.caller.key_id
    return request.page_of_forms(
        "console/work/comment.html",
        forms,
        refused,
        item=read_context(request, id)["work"],
        comment=comment,
        is_own=comment["authorId"] == own,
        access=project_access(request, comment["projectId"]),
    )
