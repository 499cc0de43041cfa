"""List documents: by collection and section, and those that a search finds."""

from itertools import groupby
from typing import Any

from werkzeug.wrappers import Response

from api.console.console_page import page
from api.console.console_request import ConsoleRequest
from api.console.forms.fields import Option
from models.projects.documents.sections import SectionCount, count_sections
from models.storage.database import reading

LIST = "GET /projects/v1/documents/list"
CREATE = "POST /projects/v1/documents/create"
LIST_PROJECTS = "GET /projects/v1/projects/list"

PER_PAGE = 50
# Of a collection; the others are found by a search.
MOST_SECTIONS = 300
STATES: dict[str, dict[str, Any]] = {
    "published": {"published": True},
    "unpublished": {"published": False},
    "stale": {"stale": True},
    "archived": {"archived": "only"},
}
STATE_OPTIONS = [
    Option("published", "Published", name="value.published"),
    Option("unpublished", "Not published", name="documents.unpublished"),
    Option("stale", "With unpublished changes", name="documents.stale"),
    Option("archived", "Archived", name="value.archived"),
]
COLLECTIONS = [
    Option("guides", "Guides", name="value.guides"),
    Option("products", "Products", name="value.products"),
    Option("support", "Support", name="value.support"),
    Option("none", "Without a collection", name="documents.without-collection"),
]
MOST_PROJECTS = 100
FILTERS = ("q", "collection", "section", "state")

Projects = list[dict[str, Any]]


@page("GET documents/", opened_by=(LIST,))
def list_documents(request: ConsoleRequest) -> Response:
    """Show the sections and what was changed last, or what the filters find."""
    filters = {name: request.query.get(name, "") for name in FILTERS}
    is_filtered = any(filters.values())
    projects = project_options(request)
    project_id = chosen_project(request, projects)
    found = request.call(
        LIST, _query(filters, project_id, request.query.get("cursor", ""))
    )
    cursor = found.meta.get("cursor")
    more = {**filters, "projectId": request.query.get("projectId"), "cursor": cursor}
    return request.page(
        "console/documents/list.html",
        documents=[document | {"state": state_of(document)} for document in found.data],
        next_page=more if cursor else None,
        filters=filters,
        is_filtered=is_filtered,
        states=STATE_OPTIONS,
        collections=COLLECTIONS,
        projects=projects,
        project_id=project_id,
        tree=[] if is_filtered else _tree(request, project_id),
        may_create=request.may(CREATE),
    )


def _query(filters: dict[str, str], project_id: str, cursor: str) -> dict[str, Any]:
    query: dict[str, Any] = {"content": "omit", "limit": PER_PAGE}
    query.update(STATES.get(filters["state"], {}))
    sent = {"projectId": project_id, "cursor": cursor, "q": filters["q"]}
    sent |= {name: filters[name] for name in ("collection", "section")}
    if filters["section"]:
        sent |= {"sort": "position"}
    return query | {name: value for name, value in sent.items() if value}


def state_of(document: dict[str, Any]) -> str:
    """Return the name of the state in which readers and authors find a document."""
    if document["archivedAt"]:
        return "archived"
    published = document["publishedVersion"]
    if published is None:
        return "unpublished"
    return "published" if published == document["version"] else "stale"


def _tree(request: ConsoleRequest, project_id: str) -> list[dict[str, Any]]:
    """Return the collections, each with its sections and their documents' counts."""
    if not project_id:
        return []
    with reading():
        counts = count_sections(project_id)
    labels = {option.value: request.text(option.name) for option in COLLECTIONS}
    return [
        {
            "value": collection or "none",
            "label": labels.get(collection or "none", collection),
            "count": sum(section.documents for section in sections),
            "published": sum(section.published for section in sections),
            "sections": [_section(section) for section in sections[:MOST_SECTIONS]],
            "others": max(0, len(sections) - MOST_SECTIONS),
        }
        for collection, group in groupby(counts, key=lambda row: row.collection)
        for sections in [list(group)]
    ]


def _section(row: SectionCount) -> dict[str, Any]:
    return {
        "name": row.section,
        "count": row.documents,
        "published": row.published,
    }


def project_options(request: ConsoleRequest) -> Projects:
    """Return the docs project and others, as far as the key may list them."""
    builtin = request.read_if_allowed(LIST_PROJECTS, builtin=True) or []
    others = (
        request.read_if_allowed(LIST_PROJECTS, builtin=False, limit=MOST_PROJECTS) or []
    )
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
