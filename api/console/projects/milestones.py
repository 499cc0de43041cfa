"""Create milestones of a project, follow and change them."""

from typing import Any

from werkzeug.wrappers import Response

from api.console.console_page import page
from api.console.console_request import ConsoleRequest
from api.console.forms.form import Form
from api.console.projects.access import create_page, project_access, read_project
from api.console.projects.projects import CREATE_MILESTONE

GET = "GET /projects/v1/milestones/get"
PROGRESS = "GET /projects/v1/milestones/progress"
UPDATE = "POST /projects/v1/milestones/update"
REMOVE = "POST /projects/v1/milestones/remove"
RESTORE = "POST /projects/v1/milestones/restore"

FIELDS = ("name", "status", "bucket", "targetAt", "description")
CREATE_TEMPLATE = "console/projects/create-milestone.html"


@page("GET projects/<id>/milestones/create/")
def create_milestone_form(request: ConsoleRequest, id: str) -> Response:
    return create_page(
        request, CREATE_TEMPLATE, id, request.form(CREATE_MILESTONE, *FIELDS)
    )


@page("POST projects/<id>/milestones/create/")
def create_milestone(request: ConsoleRequest, id: str) -> Response:
    form = request.form(CREATE_MILESTONE, *FIELDS)
    result = request.submit(form, projectId=id)
    if result is None:
        return create_page(request, CREATE_TEMPLATE, id, form)
    path = f"projects/{id}/milestones/{result.data['id']}/"
    return request.go(path, done="milestone-created")


@page("GET projects/<id>/milestones/<milestone>/")
def show_milestone(request: ConsoleRequest, id: str, milestone: str) -> Response:
    return _milestone_page(request, request.read(GET, id=milestone))


@page("POST projects/<id>/milestones/<milestone>/change/")
def change_milestone(request: ConsoleRequest, id: str, milestone: str) -> Response:
    present = request.read(GET, id=milestone)
    form = _change_form(request, present)
    if request.submit_change(form, present, id=milestone) is None:
        return _milestone_page(request, present, change=form)
    return request.go(f"projects/{id}/milestones/{milestone}/", done="saved")


@page("POST projects/<id>/milestones/<milestone>/archive/")
def archive_milestone(request: ConsoleRequest, id: str, milestone: str) -> Response:
    form = request.form(REMOVE, "id")
    if request.submit(form, id=milestone) is None:
        present = request.read(GET, id=milestone)
        return _milestone_page(request, present, archive=form)
    return request.go(f"projects/{id}/milestones/{milestone}/", done="archived")


@page("POST projects/<id>/milestones/<milestone>/restore/")
def restore_milestone(request: ConsoleRequest, id: str, milestone: str) -> Response:
    form = request.form(RESTORE, "id")
    if request.submit(form, id=milestone) is None:
        present = request.read(GET, id=milestone)
        return _milestone_page(request, present, restore=form)
    return request.go(f"projects/{id}/milestones/{milestone}/", done="restored")


def _change_form(request: ConsoleRequest, milestone: dict[str, Any]) -> Form:
    return request.form(UPDATE, *FIELDS, values=milestone, is_prefilled=True)


def _milestone_page(
    request: ConsoleRequest, milestone: dict[str, Any], **refused: Form
) -> Response:
    forms = {
        "change": _change_form(request, milestone),
        "archive": request.form(REMOVE, "id"),
        "restore": request.form(RESTORE, "id"),
    }
    return request.page_of_forms(
        "console/projects/milestone.html",
        forms,
        refused,
        project=read_project(request, milestone["projectId"]),
        milestone=milestone,
        progress=request.read_if_allowed(PROGRESS, id=milestone["id"]),
        access=project_access(request, milestone["projectId"]),
    )
