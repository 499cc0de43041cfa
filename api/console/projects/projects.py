"""List, create and change projects; the page of a project."""

from typing import Any

from werkzeug.wrappers import Response

from api.console.console_page import page
from api.console.console_request import ConsoleRequest
from api.console.forms.fields import Option
from api.console.forms.form import Form
from api.console.listing import list_page, read_all
from api.console.projects.access import project_access, read_project
from api.console.projects.activity import recent_activity

LIST = "GET /projects/v1/projects/list"
CREATE = "POST /projects/v1/projects/create"
UPDATE = "POST /projects/v1/projects/update"
TRANSFER = "POST /projects/v1/projects/transfer"
REMOVE = "POST /projects/v1/projects/remove"
RESTORE = "POST /projects/v1/projects/restore"
PURGE = "POST /projects/v1/admin/projects/purge"
LIST_MEMBERS = "GET /projects/v1/members/list"
ADD_MEMBER = "POST /projects/v1/members/add"
LIST_LABELS = "GET /projects/v1/labels/list"
CREATE_LABEL = "POST /projects/v1/labels/create"
LIST_MILESTONES = "GET /projects/v1/milestones/list"
CREATE_MILESTONE = "POST /projects/v1/milestones/create"

CHANGE_FIELDS = ("name", "status", "description")
ARCHIVED_OPTIONS = (
    Option("only", "Archived", name="value.archived"),
    Option("include", "All", name="value.all"),
)
RECENT = 8


@page("GET projects/", opened_by=(LIST,))
def list_projects(request: ConsoleRequest) -> Response:
    """List projects by name."""
    form = request.form(LIST, "q", "status", "archived")
    form.offer_one("status", form.fields["status"].options)
    form.offer_one("archived", ARCHIVED_OPTIONS)
    return request.page(
        "console/projects/list.html",
        form=form,
        page=list_page(request, "projects/", form),
        may_create=request.may(CREATE),
    )


@page("GET projects/create/")
def create_project_form(request: ConsoleRequest) -> Response:
    return _create_page(request, _create_form(request))


@page("POST projects/create/")
def create_project(request: ConsoleRequest) -> Response:
    form = _create_form(request)
    result = request.submit(form)
    if result is None:
        return _create_page(request, form)
    return request.go(f"projects/{result.data['id']}/", done="project-created")


@page("GET projects/<id>/")
def show_project(request: ConsoleRequest, id: str) -> Response:
    return project_page(request, read_project(request, id))


@page("POST projects/<id>/change/")
def change_project(request: ConsoleRequest, id: str) -> Response:
    project = read_project(request, id)
    form = _change_form(request, project)
    if request.submit_change(form, project, id=id) is None:
        return project_page(request, project, change=form)
    return request.go(f"projects/{id}/", done="saved")


@page("POST projects/<id>/transfer/")
def transfer_project(request: ConsoleRequest, id: str) -> Response:
    project = read_project(request, id)
    form = request.form(TRANSFER, "ownerId")
    if request.submit(form, id=id) is None:
        return project_page(request, project, transfer=form)
    return request.go(f"projects/{id}/", done="project-transferred")


@page("POST projects/<id>/archive/")
def archive_project(request: ConsoleRequest, id: str) -> Response:
    project = read_project(request, id)
    form = request.form(REMOVE, "id")
    if request.submit(form, id=id) is None:
        return project_page(request, project, archive=form)
    return request.go(f"projects/{id}/", done="project-archived")


@page("POST projects/<id>/restore/")
def restore_project(request: ConsoleRequest, id: str) -> Response:
    project = read_project(request, id)
    form = request.form(RESTORE, "id")
    if request.submit(form, id=id) is None:
        return project_page(request, project, restore=form)
    return request.go(f"projects/{id}/", done="project-restored")


def project_page(
    request: ConsoleRequest, project: dict[str, Any], **refused: Form
) -> Response:
    """Show a project with what belongs to it; `refused` are forms as they were sent."""
    id = project["id"]
    forms = {
        "change": _change_form(request, project),
        "transfer": request.form(TRANSFER, "ownerId"),
        "archive": request.form(REMOVE, "id"),
        "restore": request.form(RESTORE, "id"),
        "add_member": request.form(
            ADD_MEMBER,
            "accountId",
            "role",
            values={"accountId": request.caller.account},
        ),
        "add_label": request.form(CREATE_LABEL, "name"),
    }
    return request.page_of_forms(
        "console/projects/project.html",
        forms,
        refused,
        project=project,
        access=project_access(request, id),
        milestones=read_all(request, LIST_MILESTONES, projectId=id),
        members=read_all(request, LIST_MEMBERS, projectId=id),
        labels=read_all(request, LIST_LABELS, projectId=id, scope="project"),
        activity=recent_activity(request, RECENT, projectId=id),
    )


def _create_form(request: ConsoleRequest) -> Form:
    names = ("name", "slug", "description", "status")
    # Who acts for an account becomes the owner.
    owner = () if request.caller.account else ("ownerId",)
    return request.form(CREATE, *names, *owner, required=owner)


def _create_page(request: ConsoleRequest, form: Form) -> Response:
    return request.page(
        "console/projects/create.html",
        form.status,
        form=form,
        may_create=request.may(CREATE),
    )


def _change_form(request: ConsoleRequest, project: dict[str, Any]) -> Form:
    return request.form(UPDATE, *CHANGE_FIELDS, values=project, is_prefilled=True)
