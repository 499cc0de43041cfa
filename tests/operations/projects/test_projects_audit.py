"""The administrators' audit log of Area A over HTTP."""

import pytest

from models.audit import AuditTarget, append
from models.storage.database import writing
from tests.factories.projects import OWNER, make_project

AUDIT = "GET /projects/v1/admin/audit/list"
PURGE = "POST /projects/v1/admin/projects/purge"
ADD = "POST /projects/v1/admin/labels/add"


@pytest.fixture
def history(api, store, clock):
    """A label, a minute later a purge, and a record of another area."""
    label = api(ADD, {"name": "bug"}).json["data"]
    clock.pass_(minutes=1)
    project = make_project("atlas", clock.now, archived_at=clock.now)
    purge = {"id": project.id, "confirm": "atlas"}
    assert api(PURGE, purge).status_code == 200
    with writing():
        target = AuditTarget("service", "s", "api")
        append(
            "status", actor="a", action="service.added", target=target, now=clock.now
        )
    return {"label": label["id"], "project": project.id}


def listed(response):
    assert response.status_code == 200, response.json
    return [record["action"] for record in response.json["data"]]


def test_list(api, history):
    """Newest first, only this area's records, with the slug of a purged project."""
    records = api(AUDIT).json["data"]

    assert [record["action"] for record in records] == ["project.purged", "label.added"]
    assert records[0] == {
        "id": records[0]["id"],
        "actor": "ada@example.com",
        "action": "project.purged",
        "targetType": "project",
        "targetId": history["project"],
        "targetLabel": "atlas",
        "at": "2026-03-01T12:01:00.000Z",
        "detail": records[0]["detail"],
    }
    assert records[0]["detail"].startswith('{"activity":0,"comments":0,')
    assert records[1]["targetId"] == history["label"]
    assert records[1]["detail"].startswith("via key mh_")


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ({"action": "project.purged"}, 1),
        ({"action": "project.purged,label.added"}, 2),
        ({"action": "label.removed"}, 0),
        ({"targetType": "label"}, 1),
        ({"targetId": OWNER}, 0),
        ({"actor": "ada@example.com"}, 2),
        ({"actor": "eve@example.com"}, 0),
        ({"from": "2026-03-01T12:01:00Z"}, 1),
        ({"to": "2026-03-01T12:01:00Z"}, 1),
        ({"from": "2026-03-01T12:00:00Z", "to": "2026-03-01T12:01:00.001Z"}, 2),
    ],
)
def test_filters(api, history, query, count):
    """Each filter narrows the list; `from` is inclusive, `to` exclusive."""
    assert len(listed(api(AUDIT, query))) == count


@pytest.mark.parametrize(
    "query",
    [
        {"action": "project.created"},
        {"targetType": "key"},
        {"targetId": "x" * 129},
        {"actor": "x" * 321},
        {"from": "yesterday"},
        {"limit": "101"},
        {"offset": "1"},
    ],
)
def test_wrong_filters(api, query):
    """An unknown filter or value is rejected by name."""
    response = api(AUDIT, query)

    assert response.status_code == 422
    assert response.json["errors"][0]["parameter"] == next(iter(query))


def test_pages(api, history):
    """The cursor continues after the page, and is bound to its filters."""
    first = api(AUDIT, {"limit": 1})
    cursor = first.json["meta"]["cursor"]

    assert listed(first) == ["project.purged"]
    assert listed(api(AUDIT, {"limit": 1, "cursor": cursor})) == ["label.added"]
    assert api(AUDIT, {"actor": "a", "cursor": cursor}).status_code == 400
