"""List and create the specifications of a project, and see which work covers them."""

from werkzeug.wrappers import Response

from api.console.console_page import page
from api.console.console_request import ConsoleRequest
from api.console.forms.fields import Option
from api.console.listing import list_page
from api.console.projects.access import create_page, project_access, read_project
from api.console.projects.projects import ARCHIVED_OPTIONS

LIST = "GET /projects/v1/specifications/list"
CREATE = "POST /projects/v1/specifications/create"
COVERAGE = "GET /projects/v1/specifications/coverage"
CREATE_FIELDS = ("title", "slug", "status", "content", "summary")
CREATE_TEMPLATE = "console/specifications/create.html"


@page("GET projects/<id>/specifications/")
def list_specifications(request: ConsoleRequest, id: str) -> Response:
    """List the specifications of a project, changed last first."""
    form = request.form(LIST, "q", "status", "archived")
    form.offer_one("status", form.fields["status"].options)
    form.offer_one("archived", ARCHIVED_OPTIONS)
    path = f"projects/{id}/specifications/"
    return request.page(
        "console/specifications/list.html",
        project=read_project(request, id),
        access=project_access(request, id),
        form=form,
        page=list_page(request, path, form, projectId=id, content="omit"),
        may_see_coverage=request.may(COVERAGE),
    )


@page("GET projects/<id>/specifications/coverage/")
def show_coverage(request: ConsoleRequest, id: str) -> Response:
    """Show for each specification which work there is, and what does not fit."""
    form = request.form(COVERAGE, "drift")
    form.offer_one(
        "drift",
        [
            Option(
                "true", "Only with a finding", name="specifications.only-with-finding"
            )
        ],
    )
    path = f"projects/{id}/specifications/coverage/"
    return request.page(
        "console/specifications/coverage.html",
        project=read_project(request, id),
        form=form,
        page=list_page(request, path, form, projectId=id),
    )


@page("GET projects/<id>/specifications/create/")
def create_specification_form(request: ConsoleRequest, id: str) -> Response:
    return create_page(
        request, CREATE_TEMPLATE, id, request.form(CREATE, *CREATE_FIELDS)
    )


@page("POST projects/<id>/specifications/create/")
def create_specification(request: ConsoleRequest, id: str) -> Response:
    form = request.form(CREATE, *CREATE_FIELDS)
    result = request.submit(form, projectId=id)
    if result is None:
        return create_page(request, CREATE_TEMPLATE, id, form)
    path = f"projects/{id}/specifications/{result.data['id']}/"
    return request.go(path, done="specification-created")
