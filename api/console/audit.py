"""Show the audit logs of all areas in one list, and whether each chain is whole."""

from typing import Any

from werkzeug.wrappers import Response

from api.console.console_page import page
from api.console.console_request import ConsoleRequest
from models.audit import FindAuditRecords, check_newest_links, find_records
from models.fields import format_moment, parse_moment
from models.storage.database import reading

# The operation that opens the log of each area.
LISTS = {
    "platform": "GET /platform/v1/audit/list",
    "status": "GET /status/v1/admin/audit/list",
    "projects": "GET /projects/v1/admin/audit/list",
}
# Where the subject of a record has a page.
PAGES_OF = {
    "incident": "incidents/",
    "key": "keys/",
    "maintenance": "maintenance/",
    "subscription": "subscriptions/",
}
PER_PAGE = 50
# How many records of an area are checked while one waits.
MAX_CHECKED = 300
EXAMPLE_MOMENT = "2026-03-01T12:00"


@page("GET audit/", opened_by=tuple(LISTS.values()))
def list_audit_records(request: ConsoleRequest) -> Response:
    """
    List the records of all areas that the key may read, newest first.

    No operation lists several areas, so the records are read here.
    """
    readable = [area for area, route in LISTS.items() if request.may(route)]
    if not readable:
        # The operation says which scope is missing.
        request.read(LISTS["platform"], limit=1)
    filters = {
        name: request.search_text(name)
        for name in ("area", "action", "actor", "from", "to")
    }
    problems: list[str] = []
    areas = [area for area in readable if filters["area"] in ("", area)]
    query: dict[str, Any] = {
        "areas": areas,
        "action": filters["action"] or None,
        "actor": filters["actor"] or None,
        "since": _moment(request, "from", problems),
        "until": _moment(request, "to", problems),
        "cursor": request.cursor,
        "limit": PER_PAGE,
    }
    with reading():
        found = find_records(FindAuditRecords.model_validate(query))
        chains = {area: check_newest_links(area, MAX_CHECKED) for area in readable}
    return request.page(
        "console/audit/list.html",
        422 if problems else 200,
        records=[record.to_json() for record in found.items],
        cursor=found.meta["cursor"],
        filters=filters,
        problems=problems,
        readable=readable,
        closed={a: route for a, route in LISTS.items() if a not in readable},
        scopes={a: request.operations[route].scope for a, route in LISTS.items()},
        chains=chains,
        pages_of=PAGES_OF,
    )


def _moment(request: ConsoleRequest, name: str, problems: list[str]) -> str | None:
    """Return the time that a control has sent, in UTC."""
    text = request.search_text(name)
    if not text:
        return None
    try:
        return format_moment(parse_moment(f"{text}:00Z" if len(text) == 16 else text))
    except ValueError:
        label = request.text(f"field.{name}")
        problems.append(
            request.text("audit.no-moment", label=label, example=EXAMPLE_MOMENT)
        )
        return None
