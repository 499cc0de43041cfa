"""Show a list page by page, narrowed down by a form above it."""

from dataclasses import dataclass
from typing import Any

from api.console.console_page import address
from api.console.console_request import ConsoleRequest
from api.console.forms.form import Form

PER_PAGE = 30
# Options of a control are read whole, a page at a time.
PAGE_OF_OPTIONS = 100


@dataclass(frozen=True)
class ListPage:
    """A page of a list; `next` is the address of the following one."""

    items: list[Any]
    next: str | None


def list_page(
    request: ConsoleRequest,
    path: str,
    form: Form,
    *,
    limit: int = PER_PAGE,
    **more: Any,
) -> ListPage:
    """Return the page that the address asks for, as the form narrows it down."""
    found = request.read_list(form, **more, limit=limit)
    cursor = found.meta.get("cursor")
    following = address(path, **form.request, cursor=cursor) if cursor else None
    return ListPage(found.data, following)


def read_all(
    request: ConsoleRequest, route: str, *, most: int = 500, **query: Any
) -> list[Any]:
    """Return at most so many entries of a list; none if the key does not open it."""
    if not request.may(route):
        return []
    items: list[Any] = []
    cursor: dict[str, Any] = {}
    while len(items) < most:
        page = request.call(route, query | cursor | {"limit": PAGE_OF_OPTIONS})
        items += page.data
        if not page.meta.get("cursor"):
            break
        cursor = {"cursor": page.meta["cursor"]}
    return items
