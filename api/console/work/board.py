"""Work items by status as a board, and by bucket as a roadmap."""

from typing import Any

from werkzeug.wrappers import Response

from api.console.console_page import address, page
from api.console.console_request import ConsoleRequest
from api.console.forms.form import Form
from api.console.projects.access import project_access
from api.console.work.choices import read_projects
from api.console.work.work_item import BOARD_FILTERS, UPDATE, move_form
from api.console.work.work_items import LIST_ITEMS, OPEN, filter_form

ROADMAP = "GET /projects/v1/roadmap/get"
# Cards of a column; the list shows the rest.
MOST_CARDS = 15
RECENTLY_DONE = 10


@page("GET work/board/")
def show_board(request: ConsoleRequest) -> Response:
    """Show a column for each status, the most urgent items first."""
    projects = read_projects(request)
    form = filter_form(request, projects, LIST_ITEMS, *BOARD_FILTERS)
    form.fill(request.query)
    project = projects.get(request.query.get("projectId", ""))
    may_move = request.may(UPDATE)
    if project and may_move:
        may_move = project_access(request, project["id"]).may(UPDATE)
    return request.page(
        "console/work/board.html",
        form=form,
        projects=projects,
        project=project,
        may_move=may_move,
        columns=[_column(request, form, status) for status in (*OPEN, "done")],
    )


@page("GET work/roadmap/")
def show_roadmap(request: ConsoleRequest) -> Response:
    """Show the milestones and the work of each bucket."""
    projects = read_projects(request)
    form = filter_form(request, projects, ROADMAP, "projectId", "done")
    form.fill(request.query)
    roadmap = request.read(ROADMAP, **form.request, limit=30)
    return request.page(
        "console/work/roadmap.html",
        form=form,
        projects=projects,
        project=projects.get(request.query.get("projectId", "")),
        buckets=roadmap["buckets"],
    )


def _column(request: ConsoleRequest, form: Form, status: str) -> dict[str, Any]:
    is_open = status in OPEN
    how = {"sort": "priority" if is_open else "updatedAt"}
    limit = MOST_CARDS if is_open else RECENTLY_DONE
    query = form.request | how | {"status": status, "limit": limit}
    found = request.call(LIST_ITEMS, query)
    is_cut = found.meta.get("cursor") is not None
    return {
        "status": status,
        "cards": [_card(request, form, item) for item in found.data],
        "rest": address("work/", **form.request | how, status=status)
        if is_cut
        else None,
    }


def _card(request: ConsoleRequest, form: Form, item: dict[str, Any]) -> dict[str, Any]:
    path = f"work/{item['id']}/move/"
    return {
        "item": item,
        "form": move_form(request, item),
        "action": address(path, board=1, **form.request),
    }
