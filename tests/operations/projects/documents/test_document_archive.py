"""Archiving and restoring documents over HTTP."""

import pytest

from models.projects.projects.activity import ActivityRow
from tests.factories.projects import make_project
from tests.rules.projects.documents.test_documents import write
from tests.rules.projects.documents.test_publication import publish

BASE = "/projects/v1/documents"
REMOVE, RESTORE = f"POST {BASE}/remove", f"POST {BASE}/restore"
PUBLISH, UNPUBLISH = f"POST {BASE}/publish", f"POST {BASE}/unpublish"
GET, LIST = f"GET {BASE}/get", f"GET {BASE}/list"
both = pytest.mark.parametrize("route", [REMOVE, RESTORE])


@pytest.fixture
def document(store, clock):
    return write(make_project("docs", clock.now, builtin=True), clock)


def kind(response):
    return response.status_code, response.json["type"].split("/")[-2]


def test_archive(api, document, clock):
    """An archived document is read-only and not listed; restored it is as before."""
    id = {"id": document.id}
    before = api(GET, id).json["data"]
    clock.pass_(minutes=1)

    first, again = api(REMOVE, id).json["data"], api(REMOVE, id).json["data"]

    now = "2026-03-01T12:01:00.000Z"
    assert first == before | {"archivedAt": now, "updatedAt": now}
    assert again == first
    assert api(LIST, {}).json["data"] == []
    assert kind(api(PUBLISH, id)) == (409, "archived")
    back, again = api(RESTORE, id).json["data"], api(RESTORE, id).json["data"]
    assert back == again == before | {"updatedAt": back["updatedAt"]}
    actions = [row.action for row in ActivityRow.select()]
    assert actions[1:] == ["document.archived", "document.restored"]


def test_published(api, document, clock):
    """A published document must be withdrawn first, by a caller who may withdraw it."""
    publish(document, clock)
    id = {"id": document.id}

    refused = api(REMOVE, id)

    assert kind(refused) == (409, "document-published")
    assert "Unpublish it first." in refused.json["detail"]
    api(UNPUBLISH, id)
    assert api(REMOVE, id).status_code == 200


@both
def test_in_an_archived_project(api, document, clock, route):
    """In an archived project nothing changes, not even to its current state."""
    document.project.change({"archived_at": clock.now}, clock.now)

    assert kind(api(route, {"id": document.id})) == (409, "project-archived")


@both
def test_unknown(api, document, route):
    """An unknown id is a 404."""
    id = "00000000-0000-4000-8000-000000000000"

    assert kind(api(route, {"id": id})) == (404, "document-not-found")


@both
@pytest.mark.parametrize("more", [{"expectedVersion": 1}, {"id": "x"}])
def test_wrong_shape(api, document, route, more):
    """The body is the id and nothing else."""
    assert kind(api(route, {"id": document.id} | more)) == (422, "validation-failed")
