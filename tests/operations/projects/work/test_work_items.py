"""Work items over HTTP."""

import pytest

from models.projects.projects.activity import ActivityRow
from models.projects.projects.rows import ProjectRow
from tests.factories.projects import OWNER, STRANGER, make_project

WORK = "/projects/v1/work-items"
CREATE, UPDATE = f"POST {WORK}/create", f"POST {WORK}/update"
REMOVE, RESTORE = f"POST {WORK}/remove", f"POST {WORK}/restore"
GET = f"GET {WORK}/get"
UNKNOWN_ID = "00000000-0000-4000-8000-000000000000"


@pytest.fixture
def new_item(store, clock):
    project = make_project("atlas", clock.now)
    return {"projectId": project.id, "type": "bug", "title": " Off by one "}


@pytest.fixture
def item(api, new_item):
    return api(CREATE, new_item).json["data"]


def kind(response):
    return response.json["type"].split("/")[-2]


def test_create(api, new_item):
    """Members that are not sent have defaults; the number is the project's next one."""
    response = api(CREATE, new_item)

    assert response.status_code == 200, response.json
    item = response.json["data"]
    times = {item.pop(name) for name in ("createdAt", "updatedAt")}
    assert times == {"2026-03-01T12:00:00.000Z"}
    assert item.pop("id") != item.pop("creatorId")
    assert item == new_item | {
        "title": "Off by one",
        "number": 1,
        "description": None,
        "status": "backlog",
        "priority": "none",
        "bucket": "none",
        "creatorType": "key",
        "assigneeIds": [],
        "labelIds": [],
        "specifications": [],
        "milestoneId": None,
        "dueAt": None,
        "completedAt": None,
        "archivedAt": None,
    }


def test_create_twice(api, new_item):
    """A repeated request gets its response; another request creates another item."""
    repeat = {"Idempotency-Key": "one"}
    first = api(CREATE, new_item, headers=repeat)

    assert api(CREATE, new_item, headers=repeat).data == first.data
    assert api(CREATE, new_item).json["data"]["number"] == 2


def test_rehearsal(api, new_item):
    """A dry run returns the next number without using it."""
    rehearsed = api(CREATE, new_item, headers={"Dry-Run": "true"})

    assert rehearsed.json["data"]["number"] == 1
    assert api(CREATE, new_item).json["data"]["number"] == 1
    assert ActivityRow.select().count() == 1


@pytest.mark.parametrize(
    ("wrong", "pointer"),
    [
        ({"title": " "}, "/title"),
        ({"title": "x" * 201}, "/title"),
        ({"title": "a\nb"}, "/title"),
        ({"description": "x" * 50_001}, "/description"),
        ({"description": "a\x00"}, "/description"),
        ({"type": "epic"}, "/type"),
        ({"status": "open"}, "/status"),
        ({"priority": None}, "/priority"),
        ({"bucket": "soon"}, "/bucket"),
        ({"assigneeIds": [OWNER] * 21}, "/assigneeIds"),
        ({"assigneeIds": ["me"]}, "/assigneeIds/0"),
        ({"labelIds": [OWNER] * 51}, "/labelIds"),
        (
            {
                "specifications": [
                    {"specificationId": OWNER, "relationship": "references"}
                ]
                * 21
            },
            "/specifications",
        ),
        (
            {"specifications": [{"specificationId": OWNER}]},
            "/specifications/0/relationship",
        ),
        ({"dueAt": "2026-03-01"}, "/dueAt"),
        ({"number": 7}, "/number"),
    ],
)
def test_create_in_a_wrong_shape(api, new_item, wrong, pointer):
    """A wrong value is rejected by its pointer."""
    refused = api(CREATE, new_item | wrong)

    assert refused.status_code == 422
    assert [error["pointer"] for error in refused.json["errors"]] == [pointer]


def test_update(api, item, clock):
    """Members that are not sent stay; null clears."""
    id = {"id": item["id"]}
    clock.pass_(minutes=1)
    api(UPDATE, id | {"dueAt": "2026-03-05T01:00:00+01:00", "description": "Long"})

    changed = api(UPDATE, id | {"description": None, "priority": "high"}).json["data"]

    assert changed["dueAt"] == "2026-03-05T00:00:00.000Z"
    assert (changed["description"], changed["priority"]) == (None, "high")
    assert changed["createdAt"] < changed["updatedAt"]


@pytest.mark.parametrize("extra", [{}, {"expectedUpdatedAt": "2026-03-01T12:00:00Z"}])
def test_update_without_a_change(api, item, extra):
    """An update must contain a change."""
    refused = api(UPDATE, {"id": item["id"]} | extra)

    assert refused.status_code == 422
    assert "at least one field" in refused.json["detail"]


def test_update_of_what_has_changed(api, item):
    """
    An update that expects an older time is rejected with the current one; nothing is
    stored.
    """
    id = {"id": item["id"]}
    newest = api(UPDATE, id | {"title": "First"}).json["data"]

    refused = api(
        UPDATE, id | {"title": "Second", "expectedUpdatedAt": item["updatedAt"]}
    )

    assert (refused.status_code, kind(refused)) == (409, "version-conflict")
    assert refused.json["current"] == newest["updatedAt"]
    assert api(GET, id).json["data"] == newest


def test_references(api, new_item):
    """All missing references are named at once, and nothing is created."""
    wrong = {"assigneeIds": [OWNER, STRANGER], "labelIds": [UNKNOWN_ID]}

    refused = api(CREATE, new_item | wrong)

    assert (refused.status_code, kind(refused)) == (422, "reference-not-found")
    pointers = [error["pointer"] for error in refused.json["errors"]]
    assert pointers == ["/assigneeIds/1", "/labelIds/0"]
    assert STRANGER in refused.json["detail"]
    assert UNKNOWN_ID in refused.json["detail"]


def test_remove_and_restore(api, item, clock):
    """An archived item is read-only until it is restored; both can be repeated."""
    id = {"id": item["id"]}
    clock.pass_(seconds=1)
    removed = api(REMOVE, id)

    assert removed.json["data"]["archivedAt"] == "2026-03-01T12:00:01.000Z"
    assert api(REMOVE, id).json == removed.json
    assert kind(api(UPDATE, id | {"title": "No"})) == "archived"
    restored = api(RESTORE, id)
    assert restored.json["data"]["archivedAt"] is None
    assert api(RESTORE, id).json == restored.json


@pytest.mark.parametrize("route", [UPDATE, REMOVE, RESTORE])
def test_nothing_there(api, store, route):
    """An unknown id is a 404."""
    body = {"id": UNKNOWN_ID} | ({"title": "N"} if route == UPDATE else {})

    refused = api(route, body)

    assert (refused.status_code, kind(refused)) == (404, "work-item-not-found")


@pytest.mark.parametrize("route", [CREATE, UPDATE, REMOVE, RESTORE])
def test_archived_project(api, new_item, item, route):
    """An archived project is read-only."""
    ProjectRow.update(archived_at=0).execute()
    body = new_item if route == CREATE else {"id": item["id"]}
    body |= {"title": "N"} if route == UPDATE else {}

    refused = api(route, body)

    assert (refused.status_code, kind(refused)) == (409, "project-archived")
    assert api(GET, {"id": item["id"]}).json["data"] == item


def test_get(api, item):
    """An item is addressed by id, or by project and number."""
    for new_item in (
        {"id": item["id"]},
        {"projectSlug": "atlas", "number": 1},
        {"projectId": item["projectId"], "number": "1"},
    ):
        assert api(GET, new_item).json["data"] == item


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({}, 422),
        ({"number": 1}, 422),
        ({"id": UNKNOWN_ID, "number": 1}, 422),
        ({"id": UNKNOWN_ID, "projectSlug": "atlas"}, 422),
        ({"projectSlug": "atlas", "number": 0}, 422),
        ({"id": UNKNOWN_ID}, 404),
        ({"projectSlug": "atlas", "number": 9}, 404),
        ({"projectSlug": "ghost", "number": 1}, 404),
    ],
)
def test_get_nothing(api, item, query, status):
    """An unknown item is a 404 and a wrong parameter a 422, each with a sentence."""
    refused = api(GET, query)

    assert refused.status_code == status
    assert refused.json["detail"].endswith(".")
