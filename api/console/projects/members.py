"""Add members to a project, change their roles, and remove them."""

from typing import Any

from werkzeug.wrappers import Response

from api.console.console_page import page
from api.console.console_request import ConsoleRequest
from api.console.forms.form import Form
from api.console.projects.access import project_access, read_project
from api.console.projects.projects import ADD_MEMBER, LIST_MEMBERS, project_page

UPDATE_MEMBER = "POST /projects/v1/members/update"
REMOVE_MEMBER = "POST /projects/v1/members/remove"


@page("POST projects/<id>/members/")
def add_member(request: ConsoleRequest, id: str) -> Response:
    project = read_project(request, id)
    form = request.form(ADD_MEMBER, "accountId", "role")
    if request.submit(form, projectId=id) is None:
        return project_page(request, project, add_member=form)
    return request.go(f"projects/{id}/", done="member-added")


@page("GET projects/<id>/members/<account>/")
def show_member(request: ConsoleRequest, id: str, account: str) -> Response:
    return _member_page(request, id, account)


@page("POST projects/<id>/members/<account>/")
def change_member(request: ConsoleRequest, id: str, account: str) -> Response:
    form = request.form(UPDATE_MEMBER, "role")
    if request.submit(form, projectId=id, accountId=account) is None:
        return _member_page(request, id, account, change=form)
    return request.go(f"projects/{id}/", done="saved")


@page("POST projects/<id>/members/<account>/remove/")
def remove_member(request: ConsoleRequest, id: str, account: str) -> Response:
    form = request.form(REMOVE_MEMBER, "accountId")
    if request.submit(form, projectId=id, accountId=account) is None:
        return _member_page(request, id, account, remove=form)
    return request.go(f"projects/{id}/", done="member-removed")


def _member_page(
    request: ConsoleRequest, id: str, account: str, **refused: Form
) -> Response:
    project = read_project(request, id)
    found = request.read(LIST_MEMBERS, projectId=id, accountId=account)
    member: dict[str, Any] | None = found[0] if found else None
    values = {"role": member["role"] if member else None}
    forms = {
        "change": request.form(UPDATE_MEMBER, "role", values=values),
        "remove": request.form(REMOVE_MEMBER, "accountId"),
    }
    return request.page_of_forms(
        "console/projects/member.html",
        forms,
        refused,
        200 if member else 404,
        project=project,
        account=account,
        member=member,
        access=project_access(request, id),
    )
