"""Add labels to a project, rename and remove them."""

from typing import Any

from werkzeug.wrappers import Response

from api.console.console_page import page
from api.console.console_request import ConsoleRequest, Refused
from api.console.forms.form import Form
from api.console.listing import read_all
from api.console.projects.access import ProjectAccess, project_access, read_project
from api.console.projects.projects import CREATE_LABEL, LIST_LABELS, project_page

UPDATE_LABEL = "POST /projects/v1/labels/update"
REMOVE_LABEL = "POST /projects/v1/labels/remove"


@page("POST projects/<id>/labels/")
def add_label(request: ConsoleRequest, id: str) -> Response:
    project = read_project(request, id)
    form = request.form(CREATE_LABEL, "name")
    if request.submit(form, projectId=id) is None:
        return project_page(request, project, add_label=form)
    return request.go(f"projects/{id}/", done="label-added")


@page("GET projects/<id>/labels/<label>/")
def show_label(request: ConsoleRequest, id: str, label: str) -> Response:
    return _label_page(request, id, label)


@page("POST projects/<id>/labels/<label>/")
def rename_label(request: ConsoleRequest, id: str, label: str) -> Response:
    form = request.form(UPDATE_LABEL, "name")
    if request.submit(form, id=label) is None:
        return _label_page(request, id, label, rename=form)
    return request.go(f"projects/{id}/", done="saved")


@page("POST projects/<id>/labels/<label>/remove/")
def remove_label(request: ConsoleRequest, id: str, label: str) -> Response:
    form = request.form(REMOVE_LABEL, "id")
    if request.submit(form, id=label) is None:
        return _label_page(request, id, label, remove=form)
    return request.go(f"projects/{id}/", done="label-removed")


def _label_page(
    request: ConsoleRequest, id: str, label_id: str, **refused: Form
) -> Response:
    project, access = read_project(request, id), project_access(request, id)
    labels = read_all(request, LIST_LABELS, projectId=id, scope="project")
    label = next((label for label in labels if label["id"] == label_id), None)
    forms = {
        "rename": request.form(UPDATE_LABEL, "name", values=label or {}),
        "remove": request.form(REMOVE_LABEL, "id"),
    }
    return request.page_of_forms(
        "console/projects/label.html",
        forms,
        refused,
        200 if label else 404,
        project=project,
        label=label,
        access=access,
        bearers=_bearers(request, access, label),
    )


def _bearers(
    request: ConsoleRequest, access: ProjectAccess, label: dict[str, Any] | None
) -> int | None:
    """Return how many work items have the label, as a rehearsed removal says."""
    if label is None or not access.may(REMOVE_LABEL):
        return None
    try:
        result = request.call(REMOVE_LABEL, {"id": label["id"]}, dry_run=True)
    except Refused:
        return None
    return int(result.data["detached"])
