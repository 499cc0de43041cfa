"""Comparing and restoring versions of documents over HTTP."""

import pytest

from models.changes import behind
from models.projects.projects.activity import ActivityRow
from tests.factories.projects import make_project
from tests.rules.projects.documents.test_documents import save, write
from tests.rules.projects.documents.test_publication import publish

pytestmark = pytest.mark.both_engines

BASE = "/projects/v1/document-revisions"
DIFF, RESTORE = f"GET {BASE}/diff", f"POST {BASE}/restore"
UPDATE = "POST /projects/v1/documents/update"


@pytest.fixture
def document(store, clock):
    """A document with three versions, of which the second is published."""
    project = make_project("docs", clock.now, builtin=True)
    document = write(project, clock, content="1\n", summary="Old")
    save(document, clock, content="2\n")
    publish(document, clock)
    save(document, clock, content="3\n", title="Probing", summary=None)
    return document


@pytest.fixture
def document_id(document):
    return {"documentId": document.id}


def kind(response):
    return response.status_code, response.json["type"].split("/")[-2]


def test_diff(api, document_id):
    """The default is from the published version to the newest."""
    data = api(DIFF, document_id).json["data"]

    assert data == {
        "from": 2,
        "to": 3,
        "title": {"from": "Probes", "to": "Probing"},
        "summary": {"from": "Old", "to": None},
        "stats": {"added": 1, "removed": 1},
        "unified": "--- probes@2\n+++ probes@3\n@@ -1,1 +1,1 @@\n-2\n+3\n",
        "truncated": False,
    }


def test_diff_of_the_unpublished(api, clock):
    """Without a published version the diff starts at version 1."""
    document = write(make_project("atlas", clock.now), clock)
    save(document, clock, content="New.")

    data = api(DIFF, {"documentId": document.id}).json["data"]

    assert (data["from"], data["to"]) == (1, 2)


@pytest.mark.parametrize(
    ("more", "refused"),
    [
        ({"from": 9}, (404, "revision-not-found")),
        ({"from": 0}, (404, "revision-not-found")),
        ({"to": "head"}, (422, "validation-failed")),
    ],
)
def test_diff_of_nothing(api, document_id, more, refused):
    """Both versions must exist."""
    assert kind(api(DIFF, document_id | more)) == refused


def test_conflict(api, document):
    """An update of an older version gets the address of the changes since."""
    body = {"id": document.id, "content": "4", "expectedVersion": 1}

    path, _, query = api(UPDATE, body).json["diff"].partition("?")

    assert api(f"GET {path}", query).json["data"]["unified"].endswith("-1\n+3\n")


def test_restore(api, document_id, woken):
    """A restore adds a version with the old text; publication and placement stay."""
    data = api(RESTORE, document_id | {"version": 1}).json["data"]

    assert (data["version"], data["publishedVersion"]) == (4, 2)
    assert (data["title"], data["summary"], data["content"]) == ("Probes", "Old", "1\n")
    assert data["collection"] == "guides"
    assert (behind(), woken) == (set(), [])
    record = ActivityRow.select().order_by(ActivityRow.number.desc()).get()
    assert record.action == "document.revision-restored"
    del record.metadata["requestId"]
    assert record.metadata == {
        "version": 4,
        "restoredVersion": 1,
        "note": "Restored version 1",
    }


def test_restore_with_a_note(api, document_id):
    """The note is stored with the revision."""
    api(RESTORE, document_id | {"version": 1, "note": "Rolled back"})

    restored = api(f"GET {BASE}/get", document_id | {"version": 4}).json["data"]
    assert restored["note"] == "Rolled back"


@pytest.mark.parametrize(
    ("more", "refused"),
    [
        ({"version": 9}, (404, "revision-not-found")),
        ({"version": 1, "expectedVersion": 2}, (409, "version-conflict")),
        ({"version": 1, "note": "x" * 301}, (422, "validation-failed")),
        ({}, (422, "validation-failed")),
    ],
)
def test_restore_of_what_cannot_be(api, document_id, more, refused):
    """The version must exist, and the current version must be the expected one."""
    assert kind(api(RESTORE, document_id | more)) == refused


@pytest.mark.parametrize("what", ["archived", "project-archived"])
def test_restore_in_the_archive(api, document_id, document, clock, what):
    """An archived document is read-only."""
    entity = document if what == "archived" else document.project
    entity.change({"archived_at": clock.now}, clock.now)

    assert kind(api(RESTORE, document_id | {"version": 1})) == (409, what)
