"""List work items across projects, and create them."""

from typing import Any

from werkzeug.wrappers import Response

from api.console.console_page import page
from api.console.console_request import ConsoleRequest
from api.console.forms.fields import Option
from api.console.forms.form import Form
from api.console.listing import list_page
from api.console.projects.access import create_page
from api.console.projects.projects import ARCHIVED_OPTIONS
from api.console.work.choices import (
    account_options,
    label_options,
    milestone_options,
    offer_of_project,
    project_options,
    read_projects,
)

LIST_ITEMS = "GET /projects/v1/work-items/list"
CREATE_ITEM = "POST /projects/v1/work-items/create"

OPEN = ("backlog", "planned", "in_progress", "blocked", "review")
CLOSED = ("done", "cancelled")
# What the choice of a status means where it is none.
STATUSES = {"": OPEN, "all": (*OPEN, *CLOSED)}
MORE_FILTERS = (
    *("type", "priority", "bucket", "milestoneId", "labelId", "specificationId"),
    *("blocked", "ready", "archived", "sort"),
)
FILTERS = ("q", "projectId", "status", "assigneeId", *MORE_FILTERS)
CREATE_FIELDS = (
    *("title", "type", "description", "status", "priority", "bucket"),
    *("milestoneId", "dueAt", "assigneeIds", "labelIds"),
)
FLAGS = (Option("true", "Yes", name="form.yes"), Option("false", "No", name="form.no"))
CREATE_TEMPLATE = "console/work/create.html"


@page("GET work/", opened_by=(LIST_ITEMS,))
def list_work_items(request: ConsoleRequest) -> Response:
    """List the open work items, as the form narrows them down."""
    projects = read_projects(request)
    form = filter_form(request, projects, LIST_ITEMS, *FILTERS)
    chosen = STATUSES.get(request.query.get("status", ""))
    more: dict[str, Any] = {"status": ",".join(chosen)} if chosen else {}
    found = list_page(request, "work/", form, **more)
    return request.page(
        "console/work/list.html",
        form=form,
        page=found,
        projects=projects,
        project=projects.get(request.query.get("projectId", "")),
        is_narrowed=bool(form.request.keys() & set(MORE_FILTERS)),
        may_create=request.may(CREATE_ITEM),
    )


@page("GET work/create/")
def create_work_item_form(request: ConsoleRequest) -> Response:
    """Ask for the project first, since it decides what can be chosen."""
    projects = read_projects(request)
    options = project_options(projects.values())
    project_id = request.query.get("projectId", "")
    if not project_id and len(options) == 1:
        project_id = options[0].value
    if not project_id:
        return request.page("console/work/choose-project.html", options=options)
    return create_page(
        request, CREATE_TEMPLATE, project_id, _create_form(request, project_id)
    )


@page("POST work/create/")
def create_work_item(request: ConsoleRequest) -> Response:
    project_id = request.query.get("projectId", "")
    form = _create_form(request, project_id)
    result = request.submit(form, projectId=project_id)
    if result is None:
        return create_page(request, CREATE_TEMPLATE, project_id, form)
    return request.go(f"work/{result.data['id']}/", done="work-created")


def filter_form(
    request: ConsoleRequest,
    projects: dict[str, dict[str, Any]],
    route: str,
    *names: str,
) -> Form:
    """Return the form above a list of work; a project offers what belongs to it."""
    form = request.form(route, *names)
    chosen = request.query.get("projectId")
    form.offer_one("projectId", project_options(projects.values(), chosen))
    status = form.fields.get("status")
    if status:
        form.offer_one(
            "status", [*status.options, Option("all", "All", name="value.all")]
        )
    form.offer_one("archived", ARCHIVED_OPTIONS)
    for name in ("type", "priority", "bucket", "sort"):
        if name in form.fields:
            form.offer_one(name, form.fields[name].options)
    for name in ("blocked", "ready"):
        form.offer_one(name, FLAGS)
    form.offer_one("assigneeId", _assignees(request))
    project_id = request.query.get("projectId", "")
    if project_id in projects:
        form.offer_one("labelId", label_options(request, project_id))
        form.offer_one("milestoneId", milestone_options(request, project_id))
    return form


def _assignees(request: ConsoleRequest) -> list[Option]:
    project_id = request.query.get("projectId")
    own = [Option("me", "Me", name="work.me")] if request.caller.account else []
    people = account_options(request, project_id) if project_id else []
    return [*own, Option("none", "Nobody", name="work.nobody"), *people]


def _create_form(request: ConsoleRequest, project_id: str) -> Form:
    form = request.form(CREATE_ITEM, *CREATE_FIELDS, values={"type": "task"})
    return offer_of_project(request, form, project_id, None)
