"""Show what a revision of a specification changed, and restore an earlier one."""

from typing import Any

from werkzeug.wrappers import Response

from api.console.console_page import page
from api.console.console_request import ConsoleRequest
from api.console.differences import diff_lines
from api.console.forms.form import Form
from api.console.projects.access import project_access, read_project
from api.console.specifications.specification import GET

GET_REVISION = "GET /projects/v1/specification-revisions/get"
DIFF = "GET /projects/v1/specification-revisions/diff"
RESTORE = "POST /projects/v1/specification-revisions/restore"


@page("GET projects/<id>/specifications/<specification>/revisions/<version>/")
def show_revision(
    request: ConsoleRequest,
    id: str,
    specification: str,
    version: str,
) -> Response:
    return _revision_page(request, specification, version)


@page("POST projects/<id>/specifications/<specification>/revisions/<version>/restore/")
def restore_revision(
    request: ConsoleRequest, id: str, specification: str, version: str
) -> Response:
    form = request.form(RESTORE, "version", "summary").fill(request.sent)
    more = {"specificationId": specification, **form.expected_version}
    if request.submit(form, **more) is None:
        return _revision_page(request, specification, version, form)
    return request.go(f"projects/{id}/specifications/{specification}/", done="saved")


def _revision_page(
    request: ConsoleRequest,
    specification_id: str,
    version: str,
    refused: Form | None = None,
) -> Response:
    present = request.read(GET, id=specification_id)
    shown = request.read(
        GET_REVISION, specificationId=specification_id, version=version
    )
    form = refused or request.form(RESTORE, "version", "summary")
    # Whoever restores has seen this version as the latest.
    form.seen = present["version"]
    return request.page(
        "console/specifications/revision.html",
        form.status,
        project=read_project(request, present["projectId"]),
        access=project_access(request, present["projectId"]),
        specification=present,
        revision=shown,
        **_difference(request, specification_id, shown["version"]),
        form=form,
    )


def _difference(request: ConsoleRequest, id: str, version: int) -> dict[str, Any]:
    """Return the difference from a version, by default the one before."""
    since = request.query.get("from") or str(version - 1)
    if since == "0" or not request.may(DIFF):
        return {"since": None, "diff": None, "lines": []}
    query = {"specificationId": id, "from": since, "to": version}
    diff = request.read(DIFF, **query)
    return {"since": since, "diff": diff, "lines": diff_lines(diff["unified"])}
