"""The projects that documents can be in."""

from typing import Any

from api.console.console_request import ConsoleRequest
from api.console.forms.fields import Option

LIST = "GET /projects/v1/projects/list"
MOST = 100

Projects = list[dict[str, Any]]


def project_options(request: ConsoleRequest) -> Projects:
    """Return the docs project and others, as far as the key may list them."""
    builtin = request.read_if_allowed(LIST, builtin=True) or []
    others = request.read_if_allowed(LIST, builtin=False, limit=MOST) or []
    return [*builtin, *others]


def chosen_project(request: ConsoleRequest, projects: Projects) -> str:
    """Return the id of the chosen project: without a choice, of the docs project."""
    chosen = request.query.get("projectId") or request.sent.get("projectId")
    return chosen or (str(projects[0]["id"]) if projects else "")


def as_options(projects: Projects, chosen: str) -> list[Option]:
    options = [Option(project["id"], project["name"]) for project in projects]
    if chosen and chosen not in {option.value for option in options}:
        options.append(Option(chosen, chosen))
    return options
