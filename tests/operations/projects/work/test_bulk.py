"""Many work items in one request, over HTTP."""

import pytest

from models.projects.members.rows import MemberRow
from models.projects.projects.activity import ActivityRow
from models.projects.projects.rows import ProjectRow
from models.projects.work.rows import WorkItemRow, WorkRelationshipRow
from tests.factories.projects import CONTRIBUTOR, OWNER, READER, STRANGER, make_project
from tests.factories.work import change, label, relate, work

UPDATE = "POST /projects/v1/work-items/bulk-update"
CREATE = "POST /projects/v1/work-items/bulk-create"
UNKNOWN_ID = "00000000-0000-4000-8000-000000000000"


@pytest.fixture
def sample_project(store, clock):
    return make_project("atlas", clock.now)


@pytest.fixture
def other(store, clock):
    return make_project("other", clock.now)


@pytest.fixture
def items(sample_project, other, clock):
    return [
        work(sample_project, clock),
        work(sample_project, clock, status="done"),
        work(other, clock),
    ]


def ids(items):
    return [item.id for item in items]


def kind(response):
    return response.json["type"].split("/")[-2]


def new(title, **extra):
    return {"type": "task", "title": title} | extra


def edge(source, target, relationship):
    return {"source": source, "target": target, "relationship": relationship}


def test_update(api, items):
    """All items change, in the given order; unchanged ones keep their updatedAt."""
    before = ActivityRow.select().count()
    order = ids(items)[::-1]

    response = api(UPDATE, {"ids": order, "changes": {"status": "done"}})

    assert response.status_code == 200, response.json
    updated = response.json["data"]
    assert [item["id"] for item in updated] == order
    assert all(item["completedAt"] for item in updated)
    assert updated[1]["updatedAt"] == updated[1]["createdAt"]
    rows = list(ActivityRow.select().offset(before))
    assert [row.action for row in rows] == ["work.status-changed"] * 2
    assert {row.metadata["batchSize"] for row in rows} == {3}
    assert len({row.metadata["batchId"] for row in rows}) == 1


def test_update_of_lists(api, sample_project, items, clock):
    """List members add and remove; entries that are not named stay."""
    red, blue = label(None, clock.now, "red"), label(None, clock.now, "blue")
    change(items[0], clock, label_ids=[red.id], assignee_ids=[OWNER])
    changes = {
        "addLabelIds": [blue.id],
        "removeLabelIds": [red.id],
        "addAssigneeIds": [READER],
    }

    updated = api(UPDATE, {"ids": ids(items), "changes": changes}).json["data"]

    assert [item["labelIds"] for item in updated] == [[blue.id]] * 3
    assert updated[0]["assigneeIds"] == [OWNER, READER]
    assert updated[1]["assigneeIds"] == [READER]


def test_update_names_all_that_is_missing(api, items, sample_project, clock):
    """
    A label of another project is unknown; all missing ids are named and nothing is
    stored.
    """
    own = label(sample_project, clock.now)
    body = {"ids": ids(items), "changes": {"addLabelIds": [own.id], "bucket": "now"}}

    refused = api(UPDATE, body)

    assert (refused.status_code, kind(refused)) == (422, "reference-not-found")
    [error] = refused.json["errors"]
    assert error["pointer"] == "/changes/addLabelIds/0"
    assert WorkItemRow.select().where(WorkItemRow.bucket == "now").count() == 0
    unknown = api(UPDATE, {"ids": [UNKNOWN_ID, STRANGER], "changes": {"type": "bug"}})
    assert [error["pointer"] for error in unknown.json["errors"]] == [
        "/ids/0",
        "/ids/1",
    ]


def failing(response):
    """Return the ids that a problem names, each with its reason."""
    return {error["id"]: error["code"] for error in response.json["errors"]}


def test_update_of_archived_items(api, items, clock):
    """Every archived item is named."""
    for item in items[1:]:
        item.change({"archived_at": clock.now}, clock.now)

    refused = api(UPDATE, {"ids": ids(items), "changes": {"type": "bug"}})

    assert (refused.status_code, kind(refused)) == (409, "archived")
    assert failing(refused) == {item.id: "archived" for item in items[1:]}
    assert refused.json["detail"] == (
        "/ids/1: The work item atlas#2 is archived, so it is read-only."
        " /ids/2: The work item other#1 is archived, so it is read-only."
    )


def test_update_of_archived_projects(api, items):
    """Every item of an archived project is named, not only the project."""
    ProjectRow.update(archived_at=0).where(ProjectRow.slug == "atlas").execute()

    refused = api(UPDATE, {"ids": ids(items), "changes": {"type": "bug"}})

    assert (refused.status_code, kind(refused)) == (409, "project-archived")
    assert failing(refused) == {item.id: "project-archived" for item in items[:2]}


def test_update_refused_for_several_reasons(api, issue, sample_project, other, clock):
    """
    One problem names every failing id with its own reason, and nothing is stored.

    Its type is that of the most important reason.
    """
    third = make_project("third", clock.now)
    items = [work(sample_project, clock) for _ in range(3)] + [work(third, clock)]
    outside = work(other, clock)
    items[0].change({"archived_at": clock.now}, clock.now)
    ProjectRow.update(archived_at=0).where(ProjectRow.id == third.id).execute()
    MemberRow.delete().where(MemberRow.project == other.id).execute()
    key = issue("projects:work-items:bulk-update", "platform:actors:assert")
    extra = {"key": key, "headers": {"Act-As-Account": CONTRIBUTOR}}
    reasons = {
        items[0].id: "archived",
        items[1].id: "version-conflict",
        items[3].id: "project-archived",
        outside.id: "role-required",
    }
    body = {
        "ids": [*reasons, items[2].id],
        "changes": {"type": "bug"},
        "expected": {items[1].id: "2026-01-01T00:00:00Z"},
    }

    refused = api(UPDATE, body, **extra)
    unknown = api(UPDATE, body | {"ids": [*body["ids"], UNKNOWN_ID]}, **extra)

    assert (refused.status_code, kind(refused)) == (403, "role-required")
    assert refused.json["requiredRole"] == "contributor"
    assert failing(refused) == reasons
    assert (unknown.status_code, kind(unknown)) == (422, "reference-not-found")
    assert failing(unknown) == reasons | {UNKNOWN_ID: "unknown"}
    assert WorkItemRow.select().where(WorkItemRow.type == "bug").count() == 0


def test_update_of_what_has_changed(api, items, clock):
    """Each item that was changed since is named with its time."""
    expected = {item.id: "2026-03-01T12:00:00Z" for item in items}
    change(items[0], clock, title="Newer")

    refused = api(
        UPDATE, {"ids": ids(items), "changes": {"type": "bug"}, "expected": expected}
    )

    assert (refused.status_code, kind(refused)) == (409, "version-conflict")
    assert refused.json["current"] == {items[0].id: "2026-03-01T12:00:00.001Z"}
    assert failing(refused) == {items[0].id: "version-conflict"}


def test_update_needs_the_role_everywhere(api, issue, items, other):
    """One project without a role for the caller rejects the whole request."""
    MemberRow.delete().where(MemberRow.project == other.id).execute()
    key = issue("projects:work-items:bulk-update", "platform:actors:assert")
    extra = {"key": key, "headers": {"Act-As-Account": CONTRIBUTOR}}
    body = {"ids": ids(items), "changes": {"type": "bug"}}

    refused = api(UPDATE, body, **extra)
    assert refused.status_code == 403
    assert failing(refused) == {items[2].id: "role-required"}
    assert api(UPDATE, body | {"ids": ids(items[:2])}, **extra).status_code == 200


def test_update_beyond_the_most(api, items, clock):
    """A list cannot exceed its maximum length, whatever it had before."""
    have = [label(None, clock.now, f"l{n}").id for n in range(51)]
    change(items[0], clock, label_ids=have[:50])

    refused = api(UPDATE, {"ids": ids(items), "changes": {"addLabelIds": have[50:]}})

    assert (refused.status_code, kind(refused)) == (409, "limit-exceeded")
    assert failing(refused) == {items[0].id: "limit-exceeded"}
    assert refused.json["detail"] == (
        "/ids/0: The work item atlas#1 would have more than 50 labels."
    )


@pytest.mark.parametrize(
    "body",
    [
        {"ids": [], "changes": {"type": "bug"}},
        {"ids": [UNKNOWN_ID] * 101, "changes": {"type": "bug"}},
        {"ids": [UNKNOWN_ID], "changes": {}},
        {"ids": [UNKNOWN_ID], "changes": {"title": "Same for all"}},
        {"ids": [UNKNOWN_ID], "changes": {"status": None}},
        {"ids": [UNKNOWN_ID]},
        {
            "ids": [UNKNOWN_ID],
            "changes": {"type": "bug"},
            "expected": {OWNER: "2026-03-01T12:00:00Z"},
        },
    ],
)
def test_update_in_a_wrong_shape(api, store, body):
    """The body must name items and changes."""
    assert api(UPDATE, body).status_code == 422


def test_create(api, sample_project, items):
    """
    New items refer to each other by ref, and to others by id; numbers follow the order.
    """
    body = {
        "projectId": sample_project.id,
        "items": [new("One", ref="1"), new("Two", ref="two", status="done"), new("3")],
        "relationships": [
            edge("1", "two", "depends_on"),
            edge("two", "1", "blocks"),
            edge("1", items[2].id, "blocks"),
        ],
    }

    response = api(CREATE, body)

    assert response.status_code == 200, response.json
    created = response.json["data"]
    assert [item["number"] for item in created["items"]] == [3, 4, 5]
    one, two, _ = (item["id"] for item in created["items"])
    assert created["refs"] == {"1": one, "two": two}
    edges = [(edge["sourceId"], edge["targetId"]) for edge in created["relationships"]]
    assert edges == [(two, one), (one, items[2].id)]
    records = [row.metadata or {} for row in ActivityRow]
    batch_ids = {metadata["batchId"] for metadata in records if "batchId" in metadata}
    assert len(batch_ids) == 1


@pytest.mark.parametrize(
    ("changes", "status", "problem"),
    [
        ({"items": []}, 422, "validation-failed"),
        ({"items": [new("1")] * 101}, 422, "validation-failed"),
        ({"items": [new("1", ref="a")] * 2}, 422, "validation-failed"),
        ({"items": [new("1", projectId=UNKNOWN_ID)]}, 422, "validation-failed"),
        ({"projectId": UNKNOWN_ID}, 404, "project-not-found"),
        ({"items": [new("1", labelIds=[UNKNOWN_ID])]}, 422, "reference-not-found"),
        ({"relationships": [("a", "ghost", "blocks")]}, 422, "reference-not-found"),
        ({"relationships": [("a", "a", "blocks")]}, 422, "validation-failed"),
        (
            {"relationships": [("a", "b", "blocks"), ("a", "b", "depends_on")]},
            409,
            "relationship-cycle",
        ),
    ],
)
def test_create_refused(api, sample_project, changes, status, problem):
    """All or nothing: no item, number or relationship is stored."""
    body = {
        "projectId": sample_project.id,
        "items": [new("A", ref="a"), new("B", ref="b")],
    }
    body |= changes
    body["relationships"] = [edge(*ends) for ends in body.get("relationships", [])]

    refused = api(CREATE, body)

    assert (refused.status_code, kind(refused)) == (status, problem)
    assert WorkItemRow.select().count() == WorkRelationshipRow.select().count() == 0
    assert ProjectRow.get_by_id(sample_project.id).last_number == 0


def test_create_related_to_what_is_archived(api, sample_project, items, clock):
    """An archived item gets no new relationship in bulk either."""
    relate(items[0], items[1], "blocks", clock)
    items[2].change({"archived_at": clock.now}, clock.now)
    body = {
        "projectId": sample_project.id,
        "items": [new("A", ref="a")],
        "relationships": [edge("a", items[2].id, "blocks")],
    }

    assert kind(api(CREATE, body)) == "archived"
