"""Revisions of specifications over HTTP."""

import pytest

from models.projects.projects.activity import ActivityRow
from tests.factories.projects import CONTRIBUTOR, MAINTAINER, make_project
from tests.factories.specifications import revise, specify, supersede

BASE = "/projects/v1/specification-revisions"
LIST, GET, DIFF = (f"GET {BASE}/{name}" for name in ("list", "get", "diff"))
RESTORE = f"POST {BASE}/restore"


@pytest.fixture
def specification(store, clock):
    """Three versions, a minute apart: written, accepted, renamed."""
    specification = specify(make_project("atlas", clock.now), clock)
    clock.pass_(minutes=1)
    revise(specification, clock, status="approved", summary="Agreed")
    clock.pass_(minutes=1)
    revise(specification, clock, title="Sign in", content="Two.\n")
    return specification


@pytest.fixture
def specification_id(specification):
    return {"specificationId": specification.id}


def kind(response):
    return response.status_code, response.json["type"].split("/")[-2]


def test_list(api, specification_id):
    """Newest or oldest first; by status; the texts can be omitted."""
    data = api(LIST, specification_id).json["data"]
    other = api(LIST, specification_id | {"order": "asc", "content": "omit"}).json[
        "data"
    ]
    drafts = api(LIST, specification_id | {"status": "draft,review"}).json["data"]

    assert [(e["version"], e["title"], e["status"]) for e in data] == [
        (3, "Sign in", "approved"),
        (2, "Login", "approved"),
        (1, "Login", "draft"),
    ]
    assert [each | {"content": ""} for each in data][::-1] == other
    assert drafts == data[2:]
    assert data[1]["summary"] == "Agreed"


def test_get(api, specification_id):
    """A revision is addressed by id, by version, or by the time it was in force."""
    second = api(GET, specification_id | {"version": 2}).json["data"]

    assert second["status"] == "approved"
    assert api(GET, {"id": second["id"]}).json["data"] == second
    for at in ("2026-03-01T12:01:00Z", "2026-03-01T12:01:59.999Z"):
        assert api(GET, specification_id | {"at": at}).json["data"] == second


@pytest.mark.parametrize(
    ("more", "refused"),
    [
        ({"version": 4}, (404, "revision-not-found")),
        ({"at": "2026-03-01T11:59:59Z"}, (404, "revision-not-found")),
        ({}, (422, "validation-failed")),
        ({"version": 1, "at": "2026-03-01T12:00:00Z"}, (422, "validation-failed")),
    ],
)
def test_get_of_nothing(api, specification_id, more, refused):
    """An unknown or wrongly addressed revision is rejected."""
    assert kind(api(GET, specification_id | more)) == refused


def test_diff(api, specification_id):
    """The changes between two versions, in the text and the other fields."""
    data = api(DIFF, specification_id | {"from": 1}).json["data"]

    assert data == {
        "from": 1,
        "to": 3,
        "title": {"from": "Login", "to": "Sign in"},
        "status": {"from": "draft", "to": "approved"},
        "stats": {"added": 1, "removed": 1},
        "unified": "--- login@1\n+++ login@3\n@@ -1,1 +1,1 @@\n-One.\n+Two.\n",
        "truncated": False,
    }


def test_diff_of_equals(api, specification_id):
    """For equal versions every difference is null."""
    data = api(DIFF, specification_id | {"from": 3, "to": 3}).json["data"]

    assert (data["title"], data["status"], data["unified"]) == (None, None, "")


def test_way_back(api, specification_id):
    """A diff can be from a newer version to an older one."""
    data = api(DIFF, specification_id | {"from": 3, "to": 1}).json["data"]

    assert data["unified"].endswith("-Two.\n+One.\n")


@pytest.mark.parametrize(
    ("more", "refused"),
    [
        ({"from": 4}, (404, "revision-not-found")),
        ({"from": 1, "to": 0}, (404, "revision-not-found")),
        ({}, (422, "validation-failed")),
        ({"from": -1}, (422, "validation-failed")),
        ({"from": 10**16}, (422, "validation-failed")),
    ],
)
def test_diff_of_nothing(api, specification_id, more, refused):
    """Both versions must exist."""
    assert kind(api(DIFF, specification_id | more)) == refused


def test_restore(api, specification_id):
    """A restore adds a version with the old title and text; the status stays."""
    data = api(RESTORE, specification_id | {"version": 1}).json["data"]

    assert (data["version"], data["title"], data["content"]) == (4, "Login", "One.\n")
    assert data["status"] == "approved"
    newest = api(GET, specification_id | {"version": 4}).json["data"]
    assert newest["summary"] == "Restored version 1"
    record = ActivityRow.select().order_by(ActivityRow.number.desc()).get()
    assert record.action == "specification.revision-restored"
    assert (record.metadata["version"], record.metadata["restoredVersion"]) == (4, 1)
    assert record.metadata["summary"] == "Restored version 1"


@pytest.mark.parametrize(
    ("more", "refused"),
    [
        ({"version": 4}, (404, "revision-not-found")),
        ({"version": 1, "expectedVersion": 2}, (409, "version-conflict")),
        ({"version": 0}, (422, "validation-failed")),
    ],
)
def test_restore_of_what_cannot_be(api, specification_id, more, refused):
    """The version must exist, and the current version must be the expected one."""
    assert kind(api(RESTORE, specification_id | more)) == refused


@pytest.mark.parametrize("state", ["archived", "superseded"])
def test_restore_in_a_state(api, specification_id, specification, clock, state):
    """A superseded or retired specification does not change."""
    if state == "archived":
        specification.change({"archived_at": clock.now}, clock.now)
    else:
        successor = specify(specification.project, clock, slug="sso")
        supersede(specification, successor, clock)
    expected = "archived" if state == "archived" else "specification-superseded"

    assert kind(api(RESTORE, specification_id | {"version": 1})) == (409, expected)


@pytest.mark.parametrize(("account", "answer"), [(CONTRIBUTOR, 403), (MAINTAINER, 200)])
def test_restore_of_settled_words(api, issue, specification_id, account, answer):
    """The status stays approved, so a restore requires a maintainer."""
    key = issue("projects:*", "platform:actors:assert")
    headers = {"Act-As-Account": account}

    response = api(RESTORE, specification_id | {"version": 1}, key=key, headers=headers)

    assert response.status_code == answer
