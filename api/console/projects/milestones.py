"""Create milestones of a project, follow and change them."""

from typing import Any

from flask import Response

from api.console.console_request import ConsoleRequest
from api.console.forms.form import Form
from api.console.page import page
from api.console.projects.access import project_access, read_project
from api.console.projects.projects import CREATE_MILESTONE

GET = "GET /projects/v1/milestones/get"
PROGRESS = "GET /projects/v1/milestones/progress"
UPDATE = "POST /projects/v1/milestones/update"
REMOVE = "POST /projects/v1/milestones/remove"
RESTORE = "POST /projects/v1/milestones/restore"

FIELDS = ("name", "status", "bucket", "targetAt", "description")


@page("GET projects/<id>/milestones/create/")
def create_milestone_form(request: ConsoleRequest, id: str) -> Response:
    return _create_page(request, id, request.form(CREATE_MILESTONE, *FIELDS))


@page("POST projects/<id>/milestones/create/")
def create_milestone(request: ConsoleRequest, id: str) -> Response:
    form = request.form(CREATE_MILESTONE, *FIELDS)
    result = request.submit(form, projectId=id)
    if result is None:
        return _create_page(request, id, form)
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


def _create_page(request: ConsoleRequest, id: str, form: Form) -> Response:
    return request.page(
        "console/projects/create-milestone.html",
        form.status,
        project=read_project(request, id),
        access=project_access(request, id),
        form=form,
    )


def _milestone_page(
    request: ConsoleRequest, milestone: dict[str, Any], **refused: Form
) -> Response:
    forms = {
        "change": _change_form(request, milestone),
        "archive": request.form(REMOVE, "id"),
        "restore": request.form(RESTORE, "id"),
    }
    return request.page(
        "console/projects/milestone.html",
        max((form.status for form in refused.values()), default=200),
        project=read_project(request, milestone["projectId"]),
        milestone=milestone,
        progress=request.read_if_allowed(PROGRESS, id=milestone["id"]),
        access=project_access(request, milestone["projectId"]),
        forms=forms | refused,
        open=set(refused),
    )
