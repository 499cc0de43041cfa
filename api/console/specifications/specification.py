"""The page of a specification; revise, supersede, archive and restore it."""

from typing import Any

from werkzeug.wrappers import Response

from api.console.console_page import page
from api.console.console_request import ConsoleRequest
from api.console.forms.fields import Option
from api.console.forms.form import Form
from api.console.listing import read_all
from api.console.projects.access import project_access, read_project
from api.console.specifications.specifications import COVERAGE, LIST

GET = "GET /projects/v1/specifications/get"
UPDATE = "POST /projects/v1/specifications/update"
SUPERSEDE = "POST /projects/v1/specifications/supersede"
REMOVE = "POST /projects/v1/specifications/remove"
RESTORE = "POST /projects/v1/specifications/restore"
LINEAGE = "GET /projects/v1/specifications/lineage"
LIST_REVISIONS = "GET /projects/v1/specification-revisions/list"
UPDATE_FIELDS = ("title", "content", "status", "summary")
# The latest ones; each leads to the one before it.
MOST_REVISIONS = 50


@page("GET projects/<id>/specifications/<specification>/")
def show_specification(
    request: ConsoleRequest,
    id: str,
    specification: str,
) -> Response:
    return specification_page(request, request.read(GET, id=specification))


@page("POST projects/<id>/specifications/<specification>/change/")
def change_specification(
    request: ConsoleRequest, id: str, specification: str
) -> Response:
    present = request.read(GET, id=specification)
    form = _change_form(request, present)
    if request.submit_change(form, present, id=specification) is None:
        return specification_page(request, present, change=form)
    return request.go(f"projects/{id}/specifications/{specification}/", done="saved")


@page("POST projects/<id>/specifications/<specification>/supersede/")
def supersede_specification(
    request: ConsoleRequest, id: str, specification: str
) -> Response:
    present = request.read(GET, id=specification)
    form = _supersede_form(request, present)
    if request.submit_change(form, present, id=specification) is None:
        return specification_page(request, present, supersede=form)
    return request.go(f"projects/{id}/specifications/{specification}/", done="saved")


@page("POST projects/<id>/specifications/<specification>/archive/")
def archive_specification(
    request: ConsoleRequest, id: str, specification: str
) -> Response:
    form = request.form(REMOVE, "id")
    if request.submit(form, id=specification) is None:
        present = request.read(GET, id=specification)
        return specification_page(request, present, archive=form)
    return request.go(f"projects/{id}/specifications/{specification}/", done="archived")


@page("POST projects/<id>/specifications/<specification>/restore/")
def restore_specification(
    request: ConsoleRequest, id: str, specification: str
) -> Response:
    form = request.form(RESTORE, "id")
    if request.submit(form, id=specification) is None:
        present = request.read(GET, id=specification)
        return specification_page(request, present, restore=form)
    return request.go(f"projects/{id}/specifications/{specification}/", done="restored")


def specification_page(
    request: ConsoleRequest, specification: dict[str, Any], **refused: Form
) -> Response:
    """Show a specification with all about it; `refused` are forms as they were sent."""
    id = specification["id"]
    forms = {
        "change": _change_form(request, specification),
        "supersede": _supersede_form(request, specification),
        "archive": request.form(REMOVE, "id"),
        "restore": request.form(RESTORE, "id"),
    }
    coverage = request.read_if_allowed(COVERAGE, id=id)
    return request.page_of_forms(
        "console/specifications/specification.html",
        forms,
        refused,
        project=read_project(request, specification["projectId"]),
        access=project_access(request, specification["projectId"]),
        specification=specification,
        coverage=coverage[0] if coverage else None,
        lineage=request.read_if_allowed(LINEAGE, id=id),
        revisions=request.read_if_allowed(
            LIST_REVISIONS, specificationId=id, content="omit", limit=MOST_REVISIONS
        ),
    )


def _change_form(request: ConsoleRequest, specification: dict[str, Any]) -> Form:
    return request.form(UPDATE, *UPDATE_FIELDS, values=specification, is_prefilled=True)


def _supersede_form(request: ConsoleRequest, specification: dict[str, Any]) -> Form:
    """Return the form that names the successor, among those that can be one."""
    found = read_all(
        request,
        LIST,
        projectId=specification["projectId"],
        status="draft,review,approved,implemented",
        content="omit",
        sort="title",
    )
    values = {"version": specification["version"]}
    form = request.form(SUPERSEDE, "supersededBy", "summary", values=values)
    return form.offer_one(
        "supersededBy",
        [
            Option(other["id"], other["title"])
            for other in found
            if other["id"] != specification["id"]
        ],
    )
