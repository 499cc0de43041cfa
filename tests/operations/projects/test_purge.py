"""Purging a project over HTTP."""

import json

import pytest

from models.audit import AuditRow, broken_links
from models.projects.projects.activity import ActivityRow
from models.projects.projects.rows import ProjectRow
from models.projects.search.text_index import IndexedTextRow
from models.projects.work.rows import (
    WorkItemRow,
    WorkRelationshipRow,
    WorkSpecificationRow,
)
from models.storage.database import database
from tests.factories.full_project import PURGE_COUNTS, make_full
from tests.factories.projects import OWNER, make_project
from tests.factories.work import work

PURGE = "POST /projects/v1/admin/projects/purge"
PREVIEW = "GET /projects/v1/admin/projects/purge-preview"
CREATE = "POST /projects/v1/projects/create"
WRITE = "POST /projects/v1/documents/create"
WORD = "quillfeather"


@pytest.fixture
def full(store, clock):
    return make_full(clock.now, WORD)


@pytest.fixture
def archived(full, clock):
    ProjectRow.update(archived_at=clock.now).where(
        ProjectRow.id == full.project.id
    ).execute()
    return {"id": full.project.id, "confirm": "atlas"}


def kind(response):
    return response.status_code, response.json["type"].split("/")[-2]


def rows():
    """Return the number of rows of each table."""
    tables = [table for table in database.get_tables() if "text_index" not in table]
    count = "SELECT COUNT(*) FROM "
    return {
        name: database.execute_sql(f'{count}"{name}"').fetchone()[0] for name in tables
    }


def test_purge(api, full, archived):
    """A purge deletes and counts all contents of each kind; other projects stay."""
    response = api(PURGE, archived)

    expected = {"id": full.project.id, "slug": "atlas", "deleted": PURGE_COUNTS}
    assert response.json["data"] == expected
    assert [row.slug for row in ProjectRow] == ["next"]
    assert [row.id for row in WorkItemRow] == [full.outside.id]
    assert WorkSpecificationRow.get().specification.project == full.neighbour
    assert WorkRelationshipRow.select().count() == 0
    assert {row.project_id for row in ActivityRow} == {full.neighbour.id}
    assert {row.project_id for row in IndexedTextRow} == {full.neighbour.id}
    assert broken_links("projects") == []


def test_purge_of_links(api, full, archived, clock):
    """
    Items of other projects that lose a link are updated, and their activity has the
    link and the purge; the others stay.
    """
    linked, related = full.outside, work(full.neighbour, clock)
    plain = work(full.neighbour, clock)
    WorkRelationshipRow.update(source=related).where(
        WorkRelationshipRow.source == linked
    ).execute()
    records = ActivityRow.select().where(ActivityRow.project == full.neighbour.id)
    known = records.count()
    clock.pass_(seconds=60)

    api(PURGE, archived)

    assert WorkItemRow.get_by_id(linked.id).updated_at == clock.now
    assert WorkItemRow.get_by_id(related.id).updated_at == clock.now
    assert WorkItemRow.get_by_id(plain.id).updated_at == plain.updated_at
    updated, removed = records.order_by(ActivityRow.number).offset(known)
    assert (updated.entity_id, updated.action) == (linked.id, "work.updated")
    lost = {"specificationId": full.specification.id, "relationship": "implements"}
    changes = {"specifications": {"added": [], "removed": [lost]}}
    assert updated.metadata["changes"] == changes
    assert removed.entity_id == related.id
    assert removed.action == "work.relationship-removed"
    assert removed.metadata["otherId"] == full.item.id
    assert removed.metadata["direction"] == "outgoing"
    purged_ids = {row.metadata["purgedProjectId"] for row in (updated, removed)}
    assert purged_ids == {full.project.id}


def test_counts_are_what_goes(api, full, archived, issue):
    """The counts equal the numbers of deleted rows."""
    key, before = issue("*"), rows()

    deleted = api(PURGE, archived, key=key).json["data"]["deleted"]

    removed = {name: count - rows()[name] for name, count in before.items()}
    # The other project's item gets a record for each lost link, and the first change of
    # an area stores its instant.
    uncounted = {"indexed_text": 5, "audit": -1, "activity": 1 - 2, "instance": -1}
    deleted["activity"] = 0
    assert sum(removed.values()) == sum(deleted.values()) + sum(uncounted.values())
    assert {name: removed[name] for name in uncounted} == uncounted


def test_preview(api, full):
    """
    The preview counts what a purge would delete, archived or not, and deletes nothing.
    """
    before = rows()

    response = api(PREVIEW, {"id": full.project.id})

    assert response.json["data"]["deleted"] == PURGE_COUNTS
    assert rows() | {"key": 0} == before | {"key": 0}


def test_preview_of_little(api, clock):
    """Every kind is listed, also with a count of 0."""
    project = make_project("small", clock.now)

    deleted = api(PREVIEW, {"id": project.id}).json["data"]["deleted"]

    assert deleted.keys() == PURGE_COUNTS.keys()
    assert {kind: n for kind, n in deleted.items() if n} == {"project": 1, "members": 4}


def test_order_of_refusals(api, clock, full, archived):
    """
    Unknown, built-in, not archived, not confirmed: the first that applies is reported.
    """
    docs = make_project("docs", clock.now, builtin=True)
    body = {"id": full.neighbour.id, "confirm": "wrong"}

    assert kind(api(PURGE, body | {"id": OWNER})) == (404, "project-not-found")
    assert kind(api(PURGE, body | {"id": docs.id})) == (409, "builtin-project")
    assert kind(api(PURGE, body)) == (409, "not-archived")
    for wrong in ("", "Atlas", "atlas ", "atla", "next"):
        refused = api(PURGE, archived | {"confirm": wrong})
        assert kind(refused) == (422, "confirmation-mismatch")
    assert kind(api(PREVIEW, {"id": docs.id})) == (409, "builtin-project")
    assert kind(api(PREVIEW, {"id": OWNER})) == (404, "project-not-found")
    assert AuditRow.select().where(AuditRow.area == "projects").count() == 0


def test_audit_of_a_purge(api, archived, issue):
    """The audit record outlives the project: actor, slug and counts."""
    key = issue("projects:*", "platform:actors:assert")
    headers = {"Act-As-Email": "grace@example.com"}

    api(PURGE, archived, key=key, headers=headers)

    [record] = AuditRow.select().where(AuditRow.area == "projects")
    assert (record.actor, record.action) == ("grace@example.com", "project.purged")
    assert (record.target_type, record.target_id) == ("project", archived["id"])
    assert record.target_label == "atlas"
    counts, _, via = record.detail.partition(" via key ")
    assert json.loads(counts) == PURGE_COUNTS
    assert via == f'{key[:11]} "test"'


def test_nothing_is_left_on_disk(api, full, archived, raw_database):
    """
    No text of the project remains in the database file, its free pages, index or log.
    """
    header = {"Idempotency-Key": "a"}
    ProjectRow.update(archived_at=None).execute()
    written = {
        "projectId": full.project.id,
        "title": WORD,
        "content": f"{WORD} " * 9000,
    }
    api(WRITE, written | {"slug": "w", "type": "note"}, headers=header)
    ProjectRow.update(archived_at=1).where(ProjectRow.id == full.project.id).execute()
    raw_database.checkpoint()
    assert WORD.encode() in raw_database.stored_bytes()

    assert api(PURGE, archived).status_code == 200

    assert WORD.encode() not in raw_database.stored_bytes()
    assert WORD[:8].encode() not in raw_database.stored_bytes()
    raw_database.require_words()


def test_answers_go_too(api, api_as, clock):
    """The stored response of the project's creation is deleted with it."""
    body, header = {"slug": "atlas", "name": "Atlas"}, {"Idempotency-Key": "a"}
    first = api_as(OWNER, CREATE, body, **header)
    id = first.json["data"]["id"]
    api_as(OWNER, "POST /projects/v1/projects/remove", {"id": id}, **header)
    original = api_as(
        OWNER, CREATE, body | {"slug": "other"}, **{"Idempotency-Key": "b"}
    )
    purge = {"id": id, "confirm": "atlas"}
    purged = api_as(OWNER, PURGE, purge, **header)

    again = api_as(OWNER, CREATE, body, **header)

    assert again.json["data"]["id"] != id
    assert "Idempotent-Replayed" not in again.headers
    repeated = api_as(
        OWNER, CREATE, body | {"slug": "other"}, **{"Idempotency-Key": "b"}
    )
    assert repeated.data == original.data
    assert api_as(OWNER, PURGE, purge, **header).data == purged.data
    assert kind(api_as(OWNER, PURGE, purge)) == (404, "project-not-found")


def test_rehearsed(api, archived):
    """A dry run returns the counts and deletes nothing."""
    before = rows()

    response = api(PURGE, archived, headers={"Dry-Run": "true"})

    assert response.json["data"]["deleted"] == PURGE_COUNTS
    assert rows() | {"key": 0} == before | {"key": 0}
