"""What has happened in a project, with links."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from werkzeug.wrappers import Response

from api.console.console_page import address, page
from api.console.console_request import ConsoleRequest
from api.console.forms.labels import field_text, value_text
from api.console.listing import list_page
from api.console.projects.access import read_project
from api.console.work.links import relation_text
from models.locales import Locale
from models.projects.documents.rows import DocumentRow
from models.projects.planning.rows import MilestoneRow
from models.projects.specifications.rows import SpecificationRow
from models.projects.work.rows import WorkItemRow
from models.storage.database import reading

LIST_ACTIVITY = "GET /projects/v1/activity/list"
NOUNS = {"work": "work.work-item"}
# What names the thing in the metadata of its record, the best first.
_NAMES = ("title", "name", "slug")
# Where the title of a thing is, and the operation that opens it.
_TITLES: dict[str, tuple[Any, Any, str]] = {
    "document": (DocumentRow, DocumentRow.title, "GET /projects/v1/documents/get"),
    "milestone": (MilestoneRow, MilestoneRow.name, "GET /projects/v1/milestones/get"),
    "specification": (
        SpecificationRow,
        SpecificationRow.title,
        "GET /projects/v1/specifications/get",
    ),
    "work": (WorkItemRow, WorkItemRow.title, "GET /projects/v1/work-items/get"),
}
_PAGES = {
    "work": "work/{entity}/",
    "specification": "projects/{project}/specifications/{entity}/",
    "document": "documents/{entity}/",
    "milestone": "projects/{project}/milestones/{entity}/",
}


@page("GET projects/<id>/activity/")
def show_project_activity(request: ConsoleRequest, id: str) -> Response:
    project = read_project(request, id)
    form = request.form(LIST_ACTIVITY, "entityType")
    path = f"projects/{id}/activity/"
    found = list_page(request, path, form, limit=50, projectId=id)
    return request.page(
        "console/projects/activity.html",
        project=project,
        form=form,
        page=found,
        activity=describe(request, found.items),
    )


def recent_activity(
    request: ConsoleRequest, limit: int, **query: Any
) -> list[dict[str, Any]] | None:
    """Return the latest records described, None if the key does not open them."""
    records = request.read_if_allowed(LIST_ACTIVITY, limit=limit, **query)
    return None if records is None else describe(request, records)


def describe(
    request: ConsoleRequest, records: Iterable[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Return what records say: about what, what was done, by whom and when."""
    records = list(records)
    titles = _titles(request, records)
    return [
        _describe(request, record, titles.get(_subject(record), ""))
        for record in records
    ]


def _titles(
    request: ConsoleRequest, records: Iterable[Mapping[str, Any]]
) -> dict[tuple[str, str], str]:
    """Return the present titles of what the records are about, if the key opens it."""
    ids: dict[str, set[str]] = defaultdict(set)
    for record in records:
        kind, id = _subject(record)
        ids[kind].add(id)
    titles: dict[tuple[str, str], str] = {}
    with reading():
        for kind, (rows, title, route) in _TITLES.items():
            if ids[kind] and request.may(route):
                found = rows.select(rows.id, title).where(rows.id.in_(ids[kind]))
                titles |= {(kind, id): text for id, text in found.tuples()}
    return titles


def _subject(record: Mapping[str, Any]) -> tuple[str, str]:
    """Return the kind and the id of what a record is about; a comment has its own."""
    kind, id = record["entityType"], record["entityId"]
    if kind == "comment":
        metadata = record["metadata"] or {}
        kind, id = metadata.get("onType"), metadata.get("onId")
    return str(kind), str(id)


def _describe(
    request: ConsoleRequest, record: Mapping[str, Any], title: str
) -> dict[str, Any]:
    metadata, kind = record["metadata"] or {}, record["entityType"]
    locale = request.locale
    return {
        "noun": request.text(NOUNS[kind])
        if kind in NOUNS
        else value_text(locale, kind),
        "name": _name(metadata, title),
        # Accounts have no names.
        "account": record["entityId"] if kind == "member" else None,
        "href": _href(record),
        # An import can have any action.
        "what": locale.find(_text_name(record["action"])) or record["action"],
        "details": _details(locale, metadata),
        "actorId": record["actorId"],
        "actorType": record["actorType"],
        "at": record["createdAt"],
    }


def _text_name(action: str) -> str:
    """Return the name of the text for an action, such as "document.published"."""
    noun, _, verb = action.partition(".")
    # The word for a reference agrees with nothing else.
    if verb.startswith("reference-"):
        return f"activity.{verb}"
    return f"activity.{noun}-{verb}"


def _name(metadata: Mapping[str, Any], title: str) -> str:
    name = title or next((metadata[key] for key in _NAMES if metadata.get(key)), "")
    number = metadata.get("number")
    return f"#{number} {name}".strip() if number else str(name)


def _details(locale: Locale, metadata: Mapping[str, Any]) -> str:
    if "from" in metadata and "to" in metadata:
        old, new = (value_text(locale, str(metadata[key])) for key in ("from", "to"))
        return locale.text("activity.from-to", old=old, new=new)
    if changes := metadata.get("changes"):
        return locale.join_list(field_text(locale, name) for name in changes)
    if role := metadata.get("role"):
        return locale.text("activity.role", role=value_text(locale, role))
    if relationship := metadata.get("relationship"):
        text = relation_text(relationship, str(metadata.get("direction")))
        return locale.text(text, item=f"#{metadata.get('otherNumber', '')}")
    return ""


def _href(record: Mapping[str, Any]) -> str | None:
    kind, entity = _subject(record)
    path = _PAGES.get(kind)
    if path is None or record["action"].endswith(".purged"):
        return None
    return address(path.format(entity=entity, project=record["projectId"]))
