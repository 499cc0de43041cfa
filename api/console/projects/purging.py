"""Delete an archived project for good, after a look at what goes."""

from typing import Any

from werkzeug.wrappers import Response

from api.console.console_page import page
from api.console.console_request import ConsoleRequest, Refused
from api.console.forms.form import Form
from api.console.projects.access import read_project

PURGE = "POST /projects/v1/admin/projects/purge"
PREVIEW = "GET /projects/v1/admin/projects/purge-preview"


@page("GET projects/<id>/purge/")
def purge_project_form(request: ConsoleRequest, id: str) -> Response:
    return _purge_page(request, read_project(request, id), _form(request))


@page("POST projects/<id>/purge/")
def purge_project(request: ConsoleRequest, id: str) -> Response:
    form = _form(request)
    if request.submit(form, id=id) is None:
        return _purge_page(request, read_project(request, id), form)
    return request.go("projects/", done="project-purged")


def _form(request: ConsoleRequest) -> Form:
    return request.form(PURGE, "confirm")


def _purge_page(
    request: ConsoleRequest, project: dict[str, Any], form: Form
) -> Response:
    return request.page(
        "console/projects/purge.html",
        form.status,
        project=project,
        form=form,
        goes=_what_goes(request, project["id"]),
        may_purge=request.may(PURGE),
        scope=request.operations[PURGE].scope,
    )


def _what_goes(request: ConsoleRequest, id: str) -> list[tuple[str, int]] | None:
    """Return how many of what kind go; None if the key may not see that."""
    try:
        preview = request.read_if_allowed(PREVIEW, id=id)
    except Refused:
        # The built-in project cannot be purged, which the form then says.
        return None
    if preview is None:
        return None
    counts = preview["deleted"].items()
    return [(kind, count) for kind, count in counts if count]
