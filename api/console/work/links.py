"""What a work item is linked to, and the forms that link it."""

from typing import Any

from api.console.console_request import ConsoleRequest
from api.console.forms.fields import Option
from api.console.forms.form import Form
from api.console.listing import read_all

UPDATE_ITEM = "POST /projects/v1/work-items/update"
GRAPH = "GET /projects/v1/relationships/graph"
ADD_RELATIONSHIP = "POST /projects/v1/relationships/add"
ADD_REFERENCE = "POST /projects/v1/references/add"
LIST_SPECIFICATIONS = "GET /projects/v1/specifications/list"

RELATION_FIELDS = ("relationship", "targetId")
REFERENCE_FIELDS = ("url", "title", "kind", "state")
LINKS = ("implements", "governed_by", "references")

RELATION_TEXTS = {
    ("blocks", "outgoing"): "relation.blocks",
    ("blocks", "incoming"): "relation.blocked-by",
    ("supersedes", "outgoing"): "relation.supersedes",
    ("supersedes", "incoming"): "relation.superseded-by",
}


def specification_form(request: ConsoleRequest, item: dict[str, Any]) -> Form:
    """Return a form of one choice: which specification, and how it is linked."""
    found = read_all(
        request,
        LIST_SPECIFICATIONS,
        projectId=item["projectId"],
        content="omit",
        sort="title",
    )
    options = [
        Option(
            f"{specification['id']} {link}",
            request.text(link_text(link), item=specification["title"]),
        )
        for link in LINKS
        for specification in found
    ]
    form = request.form(UPDATE_ITEM, "specifications")
    return form.offer_one("specifications", options)


def reference_form(request: ConsoleRequest) -> Form:
    """Return a form that names something elsewhere by its URL, and by nothing else."""
    return request.form(ADD_REFERENCE, *REFERENCE_FIELDS, required=("url",))


def link_text(relationship: str) -> str:
    """Return the name of the text that says what an item is to a specification."""
    return f"relation.{relationship.replace('_', '-')}"


def read_relations(
    request: ConsoleRequest,
    item: dict[str, Any],
    projects: dict[str, dict[str, Any]],
) -> list[dict[str, Any]] | None:
    """Return what the item is related to; None if the key may not see that."""
    graph = request.read_if_allowed(GRAPH, workItemId=item["id"], depth=1)
    if graph is None:
        return None
    nodes = {node["id"]: node for node in graph["nodes"]}
    own = [e for e in graph["edges"] if item["id"] in (e["sourceId"], e["targetId"])]
    return [_relation(item["id"], edge, nodes, projects) for edge in own]


def _relation(
    id: str,
    edge: dict[str, Any],
    nodes: dict[str, dict[str, Any]],
    projects: dict[str, dict[str, Any]],
) -> dict[str, Any]:
    is_outgoing = edge["sourceId"] == id
    other = nodes[edge["targetId"] if is_outgoing else edge["sourceId"]]
    direction = "outgoing" if is_outgoing else "incoming"
    project = projects.get(other["projectId"])
    return {
        "text": relation_text(edge["relationship"], direction),
        "other": other,
        "name": f"{project['slug'] if project else ''}#{other['number']}",
        "edge": edge,
    }


def relation_text(relationship: str, direction: str) -> str:
    """Return the name of the text that says what an item is to the other one."""
    mutual = f"relation.{relationship.replace('_', '-')}"
    return RELATION_TEXTS.get((relationship, direction), mutual)
