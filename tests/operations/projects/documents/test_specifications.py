"""Specifications over HTTP."""

import pytest

from models.projects.projects.activity import ActivityRow
from tests.factories.projects import CONTRIBUTOR, MAINTAINER, STRANGER, make_project
from tests.factories.specifications import revise, specify, tied

BASE = "/projects/v1/specifications"
CREATE, UPDATE = f"POST {BASE}/create", f"POST {BASE}/update"
SUPERSEDE = f"POST {BASE}/supersede"
REMOVE, RESTORE = f"POST {BASE}/remove", f"POST {BASE}/restore"
GET, LINEAGE, COVERAGE = (f"GET {BASE}/{n}" for n in ("get", "lineage", "coverage"))
UNKNOWN_ID = "00000000-0000-4000-8000-000000000000"
WRITES = {
    UPDATE: {"title": "New"},
    SUPERSEDE: {"supersededBy": UNKNOWN_ID},
    REMOVE: {},
    RESTORE: {},
}


@pytest.fixture
def project(store, clock):
    return make_project("atlas", clock.now)


@pytest.fixture
def specification(project, clock):
    return specify(project, clock)


@pytest.fixture
def new_specification(project):
    return {
        "projectId": project.id,
        "title": " Login ",
        "slug": "login",
        "content": "# Login\r\n\x0c",
        "summary": "",
    }


def kind(response):
    return response.status_code, response.json["type"].split("/")[-2]


def test_create(api, new_specification):
    """
    A new specification is version 1, a draft, by the key that wrote it, with its text.
    """
    data = api(CREATE, new_specification).json["data"]

    assert data["title"] == "Login"
    assert data["content"] == "# Login\r\n\x0c"
    assert (data["status"], data["version"]) == ("draft", 1)
    assert data["creatorType"] == "key"
    assert data["createdAt"] == data["updatedAt"] == "2026-03-01T12:00:00.000Z"
    assert {data[f"{w}At"] for w in ("superseded", "archived")} == {None}
    assert api(GET, {"id": data["id"]}).json["data"] == data
    named = {"projectSlug": "atlas", "slug": "login"}
    assert api(GET, named).json["data"] == data


def test_create_twice(api, new_specification):
    """A slug is unique in a project; the repeat of a request gets its response."""
    repeat = {"Idempotency-Key": "one"}
    first = api(CREATE, new_specification, headers=repeat)

    assert api(CREATE, new_specification, headers=repeat).data == first.data
    refused = api(CREATE, new_specification)
    assert kind(refused) == (409, "slug-taken")
    assert "already has a specification 'login'" in refused.json["detail"]


@pytest.mark.parametrize(
    ("route", "more"),
    [
        (CREATE, {"status": "superseded"}),
        (CREATE, {"status": None}),
        (CREATE, {"content": "x" * 500_001}),
        (CREATE, {"summary": "x" * 501}),
        (CREATE, {"title": "two\nlines"}),
        (CREATE, {"slug": "Not-P"}),
        (UPDATE, {}),
        (UPDATE, {"summary": ""}),
        (UPDATE, {"status": "superseded"}),
        (UPDATE, {"content": None}),
        (UPDATE, {"title": "A", "slug": "b"}),
        (SUPERSEDE, {}),
        (SUPERSEDE, {"supersededBy": "login"}),
        (REMOVE, {"expectedVersion": 1}),
    ],
)
def test_wrong_shape(api, new_specification, specification, route, more):
    """A wrong value is rejected, and the status superseded cannot be set."""
    body = new_specification if route == CREATE else {"id": specification.id}

    assert kind(api(route, body | more)) == (422, "validation-failed")


def test_conflict(api, specification, clock):
    """
    An update of an older version is rejected with the current one, and the address of
    the changes.
    """
    revise(specification, clock, content="Two.\n")

    refused = api(
        UPDATE, {"id": specification.id, "content": "3", "expectedVersion": 1}
    )

    assert kind(refused) == (409, "version-conflict")
    assert refused.json["current"] == 2
    path, _, query = refused.json["diff"].partition("?")
    data = api(f"GET {path}", query).json["data"]
    assert data["unified"].endswith("-One.\n+Two.\n")


def test_conflict_with_what_never_was(api, specification):
    """The problem for a future version has no address of changes."""
    body = {"id": specification.id, "title": "A", "expectedVersion": 9}

    assert "diff" not in api(UPDATE, body).json


def test_supersede(api, project, specification, clock):
    """
    A superseded specification is retired, a repeat gets the same response, and the
    successors are listed.
    """
    successor = specify(project, clock, slug="sso")
    body = {"id": specification.id, "supersededBy": successor.id}

    data = api(SUPERSEDE, body).json["data"]

    assert (data["status"], data["supersededBy"]) == ("superseded", successor.id)
    assert api(SUPERSEDE, body).json["data"] == data
    line = api(LINEAGE, {"id": specification.id}).json["data"]
    assert line["specificationId"] == specification.id
    assert (line["headId"], line["predecessors"]) == (successor.id, [])
    assert line["successors"][0]["slug"] == "sso"
    assert "content" not in line["successors"][0]


@pytest.mark.parametrize(
    ("name", "refused"),
    [
        ("nobody", (422, "reference-not-found")),
        ("itself", (409, "successor-unusable")),
    ],
)
def test_supersede_by(api, specification, name, refused):
    """The successor must exist and be another specification."""
    actor = specification.id if name == "itself" else UNKNOWN_ID

    response = api(SUPERSEDE, {"id": specification.id, "supersededBy": actor})

    assert kind(response) == refused


def test_archive(api, specification):
    """
    An archived specification is read-only and searchable; restored it is as before.
    """
    id = {"id": specification.id}

    first, again = api(REMOVE, id).json["data"], api(REMOVE, id).json["data"]

    assert first["archivedAt"] == "2026-03-01T12:00:00.000Z"
    assert again == first == api(GET, id).json["data"]
    assert kind(api(UPDATE, id | {"title": "A"})) == (409, "archived")
    back, again = api(RESTORE, id).json["data"], api(RESTORE, id).json["data"]
    assert (back["archivedAt"], back["version"]) == (None, 1)
    assert again == back
    actions = [row.action for row in ActivityRow.select()]
    assert actions[1:] == ["specification.archived", "specification.restored"]


@pytest.mark.parametrize("route", [REMOVE, RESTORE])
@pytest.mark.parametrize(
    ("status", "account", "answer"),
    [
        ("review", STRANGER, 403),
        ("review", CONTRIBUTOR, 200),
        ("approved", CONTRIBUTOR, 403),
        ("approved", MAINTAINER, 200),
    ],
)
def test_archive_as(api, issue, project, clock, route, status, account, answer):
    """Archiving an approved specification requires a maintainer."""
    id = specify(project, clock, status=status).id
    key = issue("projects:*", "platform:actors:assert")

    response = api(route, {"id": id}, key=key, headers={"Act-As-Account": account})

    assert response.status_code == answer


@pytest.mark.parametrize("route", WRITES)
def test_in_an_archived_project(api, project, specification, clock, route):
    """In an archived project nothing changes, not even to its current state."""
    project.change({"archived_at": clock.now}, clock.now)

    refused = api(route, {"id": specification.id} | WRITES[route])

    assert kind(refused) == (409, "project-archived")


def test_create_in_an_archived_project(api, project, new_specification, clock):
    """Nothing is created in an archived project."""
    project.change({"archived_at": clock.now}, clock.now)

    assert kind(api(CREATE, new_specification)) == (409, "project-archived")


@pytest.mark.parametrize("route", [*WRITES, GET, LINEAGE, COVERAGE])
def test_unknown(api, project, route):
    """An unknown id is a 404 of its kind."""
    refused = api(route, {"id": UNKNOWN_ID} | WRITES.get(route, {}))

    assert kind(refused) == (404, "specification-not-found")


def test_coverage(api, specification, clock):
    """Work items by their relationship, in their API shape, and the findings."""
    revise(specification, clock, status="implemented")
    tied(specification, clock)

    (result,) = api(COVERAGE, {"projectSlug": "atlas", "drift": "true"}).json["data"]

    assert result["work"]["implements"] == {
        "total": 1,
        "open": 1,
        "done": 0,
        "cancelled": 0,
    }
    assert list(result["work"]) == ["governed_by", "implements", "references"]
    assert result["drift"] == ["implemented-with-open-work"]
    assert (result["specificationId"], result["version"]) == (specification.id, 2)


@pytest.mark.parametrize(
    "query",
    [
        {},
        {"id": UNKNOWN_ID, "projectId": UNKNOWN_ID},
        {"projectId": UNKNOWN_ID, "q": "x"},
    ],
)
def test_coverage_in_a_wrong_shape(api, project, query):
    """The coverage is of one specification or of one project."""
    assert kind(api(COVERAGE, query)) == (422, "validation-failed")
