"""Relationships between work items over HTTP."""

import pytest

from models.projects.projects.activity import ActivityRow
from tests.factories.projects import make_project
from tests.factories.work import relate, work

RELATE = "/projects/v1/relationships"
ADD, REMOVE = f"POST {RELATE}/add", f"POST {RELATE}/remove"
LIST, GRAPH = f"GET {RELATE}/list", f"GET {RELATE}/graph"
UNKNOWN_ID = "00000000-0000-4000-8000-000000000000"


@pytest.fixture
def items(store, clock):
    """a blocks b blocks c blocks d; d and the unrelated e are in another project."""
    sample_project, other = (
        make_project(slug, clock.now) for slug in ("atlas", "other")
    )
    homes = dict.fromkeys("abc", sample_project) | dict.fromkeys("de", other)
    items = {title: work(home, clock, title=title) for title, home in homes.items()}
    for source, target in ("ab", "bc", "cd"):
        relate(items[source], items[target], "blocks", clock)
    return items


@pytest.fixture
def ends(items):
    return {"sourceId": items["a"].id, "targetId": items["e"].id}


def kind(response):
    return response.json["type"].split("/")[-2]


def names(items, edges):
    titles = {item.id: title for title, item in items.items()}
    return [titles[edge["sourceId"]] + titles[edge["targetId"]] for edge in edges]


def test_add_and_remove(api, items, ends):
    """
    A relationship is returned as stored; adding and removing can be repeated without a
    record.
    """
    body = ends | {"relationship": "depends_on"}
    records = ActivityRow.select().count()

    added = api(ADD, body)

    assert added.status_code == 200
    row = dict(added.json["data"])
    assert len(row.pop("createdBy")) == 36
    turned = {"sourceId": ends["targetId"], "targetId": ends["sourceId"]}
    assert row == turned | {
        "relationship": "blocks",
        "createdAt": "2026-03-01T12:00:00.000Z",
    }
    assert api(ADD, body).json == added.json
    stored = turned | {"relationship": "blocks"}
    assert api(REMOVE, body).json["data"] == stored | {"removed": True}
    assert api(REMOVE, stored).json["data"] == stored | {"removed": False}
    assert ActivityRow.select().count() == records + 4


@pytest.mark.parametrize("route", [ADD, REMOVE])
@pytest.mark.parametrize(
    ("extra", "status"),
    [
        ({"relationship": "blocks", "targetId": UNKNOWN_ID}, 404),
        ({"relationship": "blocks", "sourceId": UNKNOWN_ID}, 404),
        ({"relationship": "is_blocked_by"}, 422),
        ({"relationship": None}, 422),
        ({}, 422),
        (
            {"relationship": "blocks", "sourceId": UNKNOWN_ID, "targetId": UNKNOWN_ID},
            422,
        ),
    ],
)
def test_of_what_is_not_there(api, ends, route, extra, status):
    """Both ends must exist, and be different."""
    refused = api(route, ends | extra)

    assert refused.status_code == status
    assert refused.json["detail"].endswith(".")


def test_ring(api, items):
    """The problem has the path that would close the ring, across projects."""
    body = {"sourceId": items["d"].id, "targetId": items["a"].id}

    refused = api(ADD, body | {"relationship": "blocks"})

    assert (refused.status_code, kind(refused)) == (409, "relationship-cycle")
    path = "other#1 → atlas#1 → atlas#2 → atlas#3 → other#1"
    assert refused.json["detail"] == f"blocks must not form a cycle: {path}."


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"workItemId": "b"}, ["bc", "ab"]),
        ({"workItemId": "b", "direction": "any"}, ["bc", "ab"]),
        ({"workItemId": "b", "direction": "outgoing"}, ["bc"]),
        ({"workItemId": "b", "direction": "incoming"}, ["ab"]),
        ({"workItemId": "b", "relationship": "supersedes,related_to"}, []),
        ({"workItemId": "b", "relationship": "blocks,related_to"}, ["bc", "ab"]),
        ({"workItemId": "e"}, []),
        ({"projectSlug": "atlas"}, ["cd", "bc", "ab"]),
        ({"projectSlug": "other"}, ["cd"]),
    ],
)
def test_list(api, items, query, expected):
    """The relationships of an item, or of a project at either end, newest first."""
    if "workItemId" in query:
        query = query | {"workItemId": items[query["workItemId"]].id}

    assert names(items, api(LIST, query).json["data"]) == expected


def test_list_in_pages(api, items):
    """Pages have no gaps."""
    query, listed = {"projectSlug": "atlas", "limit": 1}, []
    while "cursor" not in query or query["cursor"] is not None:
        response = api(LIST, query).json
        listed += names(items, response["data"])
        query["cursor"] = response["meta"]["cursor"]

    assert listed == ["cd", "bc", "ab"]


@pytest.mark.parametrize(
    ("query", "nodes", "edges"),
    [
        ({"workItemId": "a", "depth": 1}, "ab", ["ab"]),
        ({"workItemId": "a"}, "abc", ["ab", "bc"]),
        ({"workItemId": "d", "depth": 5}, "abcd", ["ab", "bc", "cd"]),
        ({"workItemId": "e"}, "e", []),
        ({"workItemId": "a", "relationship": "supersedes"}, "a", []),
        ({"projectSlug": "atlas"}, "abcd", ["ab", "bc", "cd"]),
        ({"projectSlug": "other"}, "cd", ["cd"]),
    ],
)
def test_graph(api, items, query, nodes, edges):
    """
    The graph has a number of steps from an item in both directions, or a whole project.
    """
    if "workItemId" in query:
        query = query | {"workItemId": items[query["workItemId"]].id}

    graph = api(GRAPH, query).json["data"]

    assert "".join(sorted(node["title"] for node in graph["nodes"])) == nodes
    assert names(items, graph["edges"]) == edges
    assert graph["truncated"] is False


def test_graph_that_is_too_large(api, items, monkeypatch):
    """A graph over the maximum of edges is truncated, and so are its nodes."""
    monkeypatch.setattr("models.projects.work.relationship_graph.MAX_EDGES", 2)
    for query in ({"projectSlug": "atlas"}, {"workItemId": items["a"].id, "depth": 5}):
        graph = api(GRAPH, query).json["data"]

        assert names(items, graph["edges"]) == ["ab", "bc"]
        assert len(graph["nodes"]) == 3
        assert graph["truncated"] is True


@pytest.mark.parametrize(
    ("route", "query", "status"),
    [
        (LIST, {}, 422),
        (LIST, {"workItemId": UNKNOWN_ID, "projectSlug": "atlas"}, 422),
        (LIST, {"projectSlug": "atlas", "direction": "any"}, 422),
        (LIST, {"workItemId": UNKNOWN_ID}, 404),
        (LIST, {"projectSlug": "ghost"}, 404),
        (LIST, {"projectSlug": "atlas", "relationship": "depends_on"}, 422),
        (GRAPH, {}, 422),
        (GRAPH, {"projectSlug": "atlas", "depth": 2}, 422),
        (GRAPH, {"workItemId": UNKNOWN_ID, "depth": 6}, 422),
        (GRAPH, {"workItemId": UNKNOWN_ID, "depth": 0}, 422),
        (GRAPH, {"workItemId": UNKNOWN_ID}, 404),
        (GRAPH, {"projectSlug": "ghost"}, 404),
    ],
)
def test_asked_wrongly(api, store, route, query, status):
    """The parameters name one item, or one project."""
    assert api(route, query).status_code == status
