"""Milestones over HTTP."""

import pytest

from models.projects.planning.rows import MilestoneRow
from models.projects.projects.activity import ActivityRow
from models.projects.work.rows import WorkItemRow
from tests.factories.projects import make_item

LIST = "GET /projects/v1/milestones/list"
GET = "GET /projects/v1/milestones/get"
PROGRESS = "GET /projects/v1/milestones/progress"
CREATE = "POST /projects/v1/milestones/create"
UPDATE = "POST /projects/v1/milestones/update"
REMOVE = "POST /projects/v1/milestones/remove"
RESTORE = "POST /projects/v1/milestones/restore"
UNKNOWN_ID = "00000000-0000-7000-8000-000000000000"
DAYS = [f"2026-04-0{n}T00:00:00.000Z" for n in range(1, 10)]


@pytest.fixture
def make(api, sample_project):
    def create(name="First", project=sample_project, **extra):
        body = {"projectId": project.id, "name": name}
        return api(CREATE, body | extra).json["data"]

    return create


def recorded():
    rows = list(ActivityRow.select().order_by(ActivityRow.number))
    assert all(row.metadata.pop("requestId") for row in rows)
    return [(row.action, row.metadata) for row in rows]


def names(response):
    return [milestone["name"] for milestone in response.json["data"]]


def test_create(api, sample_project, make):
    """Members that are not sent have the defaults of the specification."""
    milestone = make(" Beta ", description="", targetAt=DAYS[0])

    assert milestone == {
        "id": milestone["id"],
        "projectId": sample_project.id,
        "name": "Beta",
        "description": None,
        "status": "planned",
        "bucket": "none",
        "targetAt": DAYS[0],
        "createdAt": "2026-03-01T12:00:00.000Z",
        "updatedAt": "2026-03-01T12:00:00.000Z",
        "archivedAt": None,
    }
    assert api(GET, {"id": milestone["id"]}).json["data"] == milestone
    assert recorded() == [("milestone.created", {"name": "Beta"})]


def test_create_again(api, sample_project):
    """A repeated request creates no second milestone."""
    body, repeat = (
        {"projectId": sample_project.id, "name": "x"},
        {"Idempotency-Key": "one"},
    )

    first = api(CREATE, body, headers=repeat)

    assert api(CREATE, body, headers=repeat).data == first.data
    assert MilestoneRow.select().count() == 1


def test_update(api, make, clock):
    """The activity has the changes, and of a description only its length."""
    id = {"id": make(description="Secret", targetAt=DAYS[0])["id"]}
    changes = {"description": "Words", "targetAt": None, "bucket": "now"}

    changed = api(UPDATE, id | changes | {"status": "active"}).json["data"]

    assert changes.items() <= changed.items()
    assert changed["updatedAt"] == "2026-03-01T12:00:00.001Z"
    assert recorded()[1:] == [
        (
            "milestone.updated",
            {
                "changes": {
                    "description": {"fromLength": 6, "toLength": 5},
                    "targetAt": {"from": DAYS[0], "to": None},
                    "bucket": {"from": "none", "to": "now"},
                }
            },
        ),
        ("milestone.status-changed", {"from": "planned", "to": "active"}),
    ]


def test_complete(api, sample_project, make, clock):
    """Completing returns the number of open items, and leaves them unchanged."""
    id = make()["id"]
    for status in ("backlog", "blocked", "done", "cancelled"):
        make_item(sample_project, clock.now, milestone=id, status=status)
    make_item(sample_project, clock.now, milestone=id, archived_at=clock.now)

    api(UPDATE, {"id": id, "status": "completed"})

    change = {"from": "planned", "to": "completed", "openItems": 2}
    assert recorded()[1:] == [("milestone.status-changed", change)]
    assert {row.updated_at for row in WorkItemRow.select()} == {clock.now}


def test_update_to_the_same(api, make, clock):
    """An update that changes nothing leaves no record and keeps updatedAt."""
    milestone = make(targetAt=DAYS[0])
    clock.pass_(minutes=1)
    same = {"id": milestone["id"], "name": "First", "targetAt": DAYS[0]}

    assert api(UPDATE, same).json["data"] == milestone
    assert len(recorded()) == 1


def test_update_of_what_has_changed(api, make, refusal):
    """An update that expects an older time is rejected with the current one."""
    milestone = make()
    body = {"id": milestone["id"], "expectedUpdatedAt": milestone["updatedAt"]}
    assert api(UPDATE, body | {"name": "Second"}).status_code == 200

    problem = refusal(api(UPDATE, body | {"name": "Third"}), "version-conflict")

    assert problem["current"] == "2026-03-01T12:00:00.001Z"
    assert MilestoneRow.get().name == "Second"


def test_archive_and_restore(api, sample_project, make, clock, refusal):
    """
    An archived milestone keeps its items and is read-only; a repeat leaves no record.
    """
    id = {"id": make()["id"]}
    item = make_item(sample_project, clock.now, milestone=id["id"])

    clock.pass_(seconds=1)
    archived = api(REMOVE, id).json["data"]

    assert archived["archivedAt"] == "2026-03-01T12:00:01.000Z"
    assert api(REMOVE, id).json["data"] == archived
    assert WorkItemRow.get_by_id(item.id).milestone_id == id["id"]
    refusal(api(UPDATE, id | {"name": "x"}), "archived")
    restored = api(RESTORE, id).json["data"]
    assert restored["archivedAt"] is None
    assert api(RESTORE, id).json["data"] == restored
    assert recorded()[1:] == [("milestone.archived", {}), ("milestone.restored", {})]


def test_archived_project(api, sample_project, make, clock, refusal):
    """The milestones of an archived project cannot be changed."""
    id = {"id": make()["id"]}
    sample_project.change({"archived_at": clock.now}, clock.now)

    for route, body in (
        (CREATE, {"projectId": sample_project.id, "name": "x"}),
        (UPDATE, id | {"name": "First"}),
        (REMOVE, id),
        (RESTORE, id),
    ):
        refusal(api(route, body), "project-archived")
    assert api(GET, id).status_code == 200


def test_progress(api, sample_project, make, clock):
    """Counts by status; archived items are ignored, and cancelled ones are no work."""
    id = make()["id"]
    for status in ("backlog", "review", "done", "done", "cancelled"):
        make_item(
            sample_project, clock.now, milestone=id, status=status, due_at=clock.now
        )
    make_item(
        sample_project, clock.now, milestone=id, status="done", archived_at=clock.now
    )
    make_item(sample_project, clock.now, status="done")

    on_time = api(PROGRESS, {"id": id}).json["data"]
    clock.pass_(milliseconds=1)
    late = api(PROGRESS, {"id": id}).json["data"]

    none = dict.fromkeys(("planned", "in_progress", "blocked"), 0)
    assert on_time == {
        "milestoneId": id,
        "total": 5,
        "byStatus": none | {"backlog": 1, "review": 1, "done": 2, "cancelled": 1},
        "open": 2,
        "done": 2,
        "percent": 50,
        "overdue": 0,
    }
    assert late == on_time | {"overdue": 2}


@pytest.mark.parametrize(
    ("statuses", "percent"),
    [
        ([], None),
        (["cancelled"], None),
        (["done", "done", "backlog"], 66),
        (["done", "cancelled"], 100),
    ],
)
def test_percent(api, sample_project, make, clock, statuses, percent):
    """The percentage of the items not cancelled, rounded down; null without items."""
    id = make()["id"]
    for status in statuses:
        make_item(sample_project, clock.now, milestone=id, status=status)

    assert api(PROGRESS, {"id": id}).json["data"]["percent"] == percent


def test_list(api, sample_project, make, clock):
    """Each parameter narrows the list; `after` is inclusive, `before` exclusive."""
    make("a", targetAt=DAYS[1], status="active", bucket="now")
    make("b", targetAt=DAYS[0], bucket="next")
    make("c")
    api(REMOVE, {"id": make("d")["id"]})

    for query, expected in (
        ({}, "bac"),
        ({"order": "desc"}, "abc"),
        ({"sort": "name", "order": "desc"}, "cba"),
        ({"status": "active,completed"}, "a"),
        ({"bucket": "now,next"}, "ba"),
        ({"targetAfter": DAYS[1]}, "a"),
        ({"targetBefore": DAYS[1]}, "b"),
        ({"archived": "only"}, "d"),
        ({"archived": "include", "sort": "name"}, "abcd"),
        ({"projectSlug": "atlas", "updatedAfter": DAYS[0]}, ""),
    ):
        assert names(api(LIST, query)) == [*expected], query
    sample_project.change({"archived_at": clock.now}, clock.now)
    assert names(api(LIST)) == []
    assert names(api(LIST, {"projectId": sample_project.id})) == ["b", "a", "c"]


@pytest.mark.parametrize("order", ["asc", "desc"])
def test_list_in_pages(api, make, refusal, order):
    """Pages neither skip nor repeat, also for milestones without a target date."""
    for name, target in (("a", DAYS[1]), ("b", None), ("c", DAYS[0]), ("d", None)):
        make(name, targetAt=target)
    query = {"limit": 1, "order": order}
    listed, cursor = [], None

    while cursor or not listed:
        page = api(LIST, query | ({"cursor": cursor} if cursor else {}))
        listed += names(page)
        last, cursor = cursor, page.json["meta"]["cursor"]

    assert listed[:2] == ["c", "a"] if order == "asc" else ["a", "c"]
    assert sorted(listed) == ["a", "b", "c", "d"]
    refusal(api(LIST, {"sort": "name", "cursor": last}), "invalid-cursor")


@pytest.mark.parametrize(
    "changes",
    [
        {"name": " "},
        {"name": "n" * 121},
        {"name": "a\nb"},
        {"name": None},
        {"description": "d" * 10_001},
        {"status": "done"},
        {"status": None},
        {"bucket": "soon"},
        {"targetAt": "2026-02-30T00:00:00Z"},
        {"targetAt": "tomorrow"},
        {"projectId": UNKNOWN_ID},
        {"expectedUpdatedAt": DAYS[0]},
        {},
    ],
)
def test_update_in_a_wrong_shape(api, make, changes):
    """A wrong value is rejected, and so is an update without a change."""
    refused = api(UPDATE, {"id": make()["id"]} | changes)

    assert refused.status_code == 422
    assert len(recorded()) == 1


def test_nothing_there(api, refusal):
    """An unknown id is a 404."""
    id = {"id": UNKNOWN_ID}

    refusal(api(CREATE, {"projectId": UNKNOWN_ID, "name": "x"}), "project-not-found")
    refusal(api(UPDATE, id | {"name": "x"}), "milestone-not-found")
    refusal(api(LIST, {"projectId": UNKNOWN_ID}), "project-not-found")
    for route in (GET, PROGRESS, REMOVE, RESTORE):
        refusal(api(route, id), "milestone-not-found")
