"""What the controls of work items offer: projects, members, labels, milestones."""

from collections.abc import Iterable
from typing import Any

from api.console.console_request import ConsoleRequest
from api.console.forms.fields import Option
from api.console.forms.form import Form
from api.console.listing import read_all
from api.console.projects.projects import (
    LIST,
    LIST_LABELS,
    LIST_MEMBERS,
    LIST_MILESTONES,
)

# More are not offered; an address can still name any.
MOST_PROJECTS = 500


def read_projects(request: ConsoleRequest) -> dict[str, dict[str, Any]]:
    """Return the projects by id, archived ones included."""
    found = read_all(request, LIST, most=MOST_PROJECTS, archived="include")
    return {project["id"]: project for project in found}


def project_options(
    projects: Iterable[dict[str, Any]], chosen: str | None = None
) -> list[Option]:
    """Return the projects that are not archived, and the chosen one."""
    return [
        Option(project["id"], project["name"])
        for project in projects
        if project["archivedAt"] is None or project["id"] == chosen
    ]


def offer_of_project(
    request: ConsoleRequest, form: Form, project_id: str, item: dict[str, Any] | None
) -> Form:
    """Let the form choose what belongs to the project; the item's own stays in it."""
    form.offer("labelIds", label_options(request, project_id))
    chosen = item["milestoneId"] if item else None
    form.offer("milestoneId", milestone_options(request, project_id, chosen))
    assigned = item["assigneeIds"] if item else []
    people = account_options(request, project_id, assigned)
    if people:
        form.offer("assigneeIds", people)
    else:
        form.fields.pop("assigneeIds", None)
    return form


def label_options(request: ConsoleRequest, project_id: str) -> list[Option]:
    """Return the labels of the project, and those of all projects."""
    labels = read_all(request, LIST_LABELS, projectId=project_id)
    headings = {None: request.text("work.labels-of-all-projects")}
    own = request.text("work.labels-of-this-project")
    is_mixed = len({label["projectId"] for label in labels}) > 1
    return [
        Option(
            label["id"],
            label["name"],
            headings.get(label["projectId"], own) if is_mixed else "",
        )
        for label in labels
    ]


def milestone_options(
    request: ConsoleRequest, project_id: str, chosen: str | None = None
) -> list[Option]:
    """Return the milestones that are not archived, and the chosen one."""
    found = read_all(request, LIST_MILESTONES, projectId=project_id, archived="include")
    return [
        Option(milestone["id"], milestone["name"])
        for milestone in found
        if milestone["archivedAt"] is None or milestone["id"] == chosen
    ]


def account_options(
    request: ConsoleRequest, project_id: str, assigned: Iterable[str] = ()
) -> list[Option]:
    """Return the members; assigned accounts that are none any more; oneself first."""
    members = read_all(request, LIST_MEMBERS, projectId=project_id)
    ids = [member["accountId"] for member in members]
    own = request.caller.account
    found = dict.fromkeys([*ids, *assigned])
    me = request.text("projects.account-you", account=own)
    options = [Option(id, me if id == own else id) for id in found]
    return sorted(options, key=lambda option: option.value != own)
