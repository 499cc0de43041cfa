"""Creating, changing, transferring, archiving and restoring projects."""

import pytest

from models.projects.members.members import MAX_MEMBERS
from models.projects.members.rows import MemberRow
from models.projects.projects.rows import ProjectRow
from tests.factories.projects import MAINTAINER, OWNER, READER, STRANGER, make_project

PROJECTS = "POST /projects/v1/projects"
CREATE, UPDATE = f"{PROJECTS}/create", f"{PROJECTS}/update"
TRANSFER, REMOVE = f"{PROJECTS}/transfer", f"{PROJECTS}/remove"
RESTORE = f"{PROJECTS}/restore"
NEW = {"slug": "atlas", "name": " Atlas ", "description": ""}


@pytest.fixture
def sample_project(store, clock):
    project = make_project("atlas", clock.now, description="Maps")
    clock.pass_(minutes=1)
    return project


def kind(response):
    return response.status_code, response.json["type"].split("/")[-2]


def test_create(api_as, recorded):
    """
    The account that creates a project is responsible for it, and its first member.
    """
    response = api_as(STRANGER, CREATE, NEW)

    project = response.json["data"]
    assert response.status_code == 200
    assert (project["name"], project["description"]) == ("Atlas", None)
    assert (project["status"], project["ownerId"]) == ("active", STRANGER)
    assert (project["builtin"], project["archivedAt"]) == (False, None)
    assert [(row.account_id, row.role) for row in MemberRow] == [(STRANGER, "owner")]
    words = {"slug": "atlas", "name": "Atlas", "status": "active", "builtin": False}
    member = {"accountId": STRANGER, "role": "owner", "self": True}
    assert recorded() == [("project.created", words), ("member.added", member)]


def test_create_by_a_key_of_nobody(api, api_as, recorded):
    """A key without an account names the owner; an account may not name another one."""
    assert kind(api(CREATE, NEW)) == (422, "owner-required")
    refused = api_as(STRANGER, CREATE, NEW | {"ownerId": OWNER})
    assert kind(refused) == (422, "validation-failed")
    assert refused.json["errors"][0]["pointer"] == "/ownerId"

    created = api(CREATE, NEW | {"ownerId": OWNER})

    assert created.json["data"]["ownerId"] == OWNER
    assert recorded()[1][1]["self"] is False


def test_create_with_a_taken_slug(api, clock, recorded):
    """An archived project keeps its slug, and nothing of the new project is stored."""
    make_project("atlas", clock.now, archived_at=clock.now)

    refused = api(CREATE, NEW | {"ownerId": OWNER})

    assert kind(refused) == (409, "slug-taken")
    assert (ProjectRow.select().count(), recorded()) == (1, [])


@pytest.mark.parametrize(
    "wrong",
    [
        {"slug": "Atlas"},
        {"slug": "a" * 65},
        {"slug": "a--b"},
        {"name": "  "},
        {"name": "x" * 121},
        {"name": "a\nb"},
        {"name": "a\u0000b"},
        {"description": "x" * 2001},
        {"status": "archived"},
        {"status": None},
        {"ownerId": None},
        {"builtin": True},
        {"id": OWNER},
    ],
)
def test_create_out_of_shape(api, wrong):
    """Members have limits, and those that the caller may not set are rejected."""
    response = api(CREATE, NEW | {"ownerId": OWNER} | wrong)

    assert kind(response) == (422, "validation-failed")
    assert ProjectRow.select().count() == 0


def test_create_twice(api_as):
    """A repeat with the key gets the first response; without one, the slug is taken."""
    sent = {"Idempotency-Key": "once"}

    first = api_as(OWNER, CREATE, NEW, **sent)

    assert api_as(OWNER, CREATE, NEW, **sent).data == first.data
    assert kind(api_as(OWNER, CREATE, NEW)) == (409, "slug-taken")


def test_update(api_as, sample_project, recorded):
    """Each status has its own record; a description only its length."""
    body = {"id": sample_project.id, "description": None, "status": "completed"}
    project = api_as(MAINTAINER, UPDATE, body).json["data"]

    assert (project["description"], project["status"]) == (None, "completed")
    assert project["name"] == "Atlas"
    assert project["updatedAt"] == "2026-03-01T12:01:00.000Z"
    lengths = {"description": {"fromLength": 4, "toLength": 0}}
    assert recorded() == [
        ("project.updated", {"changes": lengths}),
        ("project.status-changed", {"from": "active", "to": "completed"}),
    ]


def test_update_of_the_status_alone(api_as, sample_project, recorded):
    """A change of only the status makes no other record."""
    api_as(
        MAINTAINER,
        UPDATE,
        {"id": sample_project.id, "status": "paused", "name": "Atlas"},
    )

    assert [action for action, _ in recorded()] == ["project.status-changed"]


def test_update_to_the_same(api_as, sample_project, recorded):
    """An update that changes nothing writes nothing, and keeps updatedAt."""
    answer = api_as(MAINTAINER, UPDATE, {"id": sample_project.id, "name": " Atlas "})

    assert answer.json["data"]["updatedAt"] == "2026-03-01T12:00:00.000Z"
    assert recorded() == []


def test_update_of_what_was_changed_meanwhile(api_as, sample_project, clock):
    """
    An update that expects an older time is rejected with the current one, which then
    works.
    """
    body = {
        "id": sample_project.id,
        "name": "Maps",
        "expectedUpdatedAt": "2026-03-01T11:00:00Z",
    }

    refused = api_as(MAINTAINER, UPDATE, body)

    assert kind(refused) == (409, "version-conflict")
    current = refused.json["current"]
    assert current == "2026-03-01T12:00:00.000Z"
    again = body | {"expectedUpdatedAt": current}
    assert api_as(MAINTAINER, UPDATE, again).status_code == 200


@pytest.mark.parametrize("changes", [{}, {"expectedUpdatedAt": "2026-03-01T12:00:00Z"}])
def test_update_of_nothing(api, sample_project, changes):
    """An update has at least one member to change."""
    assert kind(api(UPDATE, {"id": sample_project.id} | changes)) == (
        422,
        "validation-failed",
    )


def test_transfer(api_as, sample_project, recorded):
    """
    The new owner becomes an owner among the members; the former one stays an owner.
    """
    answer = api_as(OWNER, TRANSFER, {"id": sample_project.id, "ownerId": STRANGER})

    assert answer.json["data"]["ownerId"] == STRANGER
    roles = {row.account_id: row.role for row in MemberRow}
    assert roles[STRANGER] == roles[OWNER] == "owner"
    ends = {"fromOwnerId": OWNER, "toOwnerId": STRANGER}
    member = {"accountId": STRANGER, "role": "owner", "self": False}
    assert recorded() == [
        ("project.ownership-transferred", ends),
        ("member.added", member),
    ]


def test_transfer_to_a_member(api_as, sample_project, recorded):
    """A member is promoted to owner; an existing owner stays unchanged."""
    api_as(OWNER, TRANSFER, {"id": sample_project.id, "ownerId": READER})
    api_as(READER, TRANSFER, {"id": sample_project.id, "ownerId": OWNER})

    raised = {"role": {"from": "reader", "to": "owner"}}
    actions = [action for action, _ in recorded()]
    assert actions.count("project.ownership-transferred") == 2
    assert recorded()[1] == (
        "member.updated",
        {"accountId": READER, "changes": raised},
    )
    assert len(actions) == 3


def test_transfer_to_the_owner(api_as, sample_project, recorded):
    """A transfer to the current owner changes nothing."""
    answer = api_as(OWNER, TRANSFER, {"id": sample_project.id, "ownerId": OWNER})

    assert answer.json["data"]["updatedAt"] == "2026-03-01T12:00:00.000Z"
    assert recorded() == []


def test_transfer_into_a_full_project(api, sample_project, clock, recorded):
    """A transfer that would exceed the limit of members changes nothing."""
    new_members = [
        {"project": sample_project.id, "account_id": str(n), "role": "reader"}
        for n in range(MAX_MEMBERS - 4)
    ]
    MemberRow.insert_many(
        [member | {"created_at": clock.now} for member in new_members]
    ).execute()

    refused = api(TRANSFER, {"id": sample_project.id, "ownerId": STRANGER})

    assert kind(refused) == (409, "limit-exceeded")
    assert ProjectRow.get_by_id(sample_project.id).owner_id == OWNER
    assert recorded() == []


def test_archive_and_restore(api_as, sample_project, clock, recorded):
    """Each is done once and recorded once; the status stays."""
    ProjectRow.update(status="paused").execute()
    first = api_as(OWNER, REMOVE, {"id": sample_project.id})
    clock.pass_(minutes=1)
    again = api_as(OWNER, REMOVE, {"id": sample_project.id})
    restored = [api_as(OWNER, RESTORE, {"id": sample_project.id}) for _ in range(2)]

    assert first.json["data"]["archivedAt"] == "2026-03-01T12:01:00.000Z"
    assert again.json == first.json
    assert restored[0].json == restored[1].json
    assert restored[0].json["data"]["archivedAt"] is None
    assert restored[0].json["data"]["status"] == "paused"
    actions = [action for action, _ in recorded()]
    assert actions == ["project.archived", "project.restored"]


def test_archive_of_the_built_in_project(api, api_as, clock):
    """
    The built-in project cannot be archived, even by a key; the role is checked first.
    """
    docs = make_project("docs", clock.now, builtin=True)

    assert kind(api(REMOVE, {"id": docs.id})) == (409, "builtin-project")
    assert kind(api_as(READER, REMOVE, {"id": docs.id})) == (403, "role-required")


@pytest.mark.parametrize(
    ("route", "changes"), [(UPDATE, {"name": "A"}), (TRANSFER, {"ownerId": STRANGER})]
)
def test_change_of_an_archived_project(api, sample_project, clock, route, changes):
    """An archived project is read-only; a stale expectation is reported first."""
    ProjectRow.update(archived_at=clock.now).execute()
    stale = {"expectedUpdatedAt": "2026-03-01T11:00:00Z"}

    refused = api(route, {"id": sample_project.id} | changes)
    conflict = api(route, {"id": sample_project.id} | changes | stale)

    assert kind(refused) == (409, "project-archived")
    assert kind(conflict) == (409, "version-conflict")


@pytest.mark.parametrize("route", [UPDATE, TRANSFER, REMOVE, RESTORE])
def test_change_of_nothing(api, api_as, sample_project, route):
    """An unknown project is reported before the role, and the role before the rest."""
    changes = {UPDATE: {"name": "A"}, TRANSFER: {"ownerId": STRANGER}}.get(route, {})

    assert kind(api(route, {"id": OWNER} | changes)) == (404, "project-not-found")
    refused = api_as(READER, route, {"id": sample_project.id} | changes)
    assert kind(refused) == (403, "role-required")
    assert refused.json["requiredRole"] in ("owner", "maintainer")
