"""Projects as they are begun, changed, handed on, archived and restored."""

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


def test_create(acting, recorded):
    """Who begins a project answers for it, and is its first member."""
    response = acting(STRANGER, CREATE, NEW)

    project = response.json["data"]
    assert response.status_code == 200
    assert (project["name"], project["description"]) == ("Atlas", None)
    assert (project["status"], project["ownerId"]) == ("active", STRANGER)
    assert (project["builtin"], project["archivedAt"]) == (False, None)
    assert [(row.account_id, row.role) for row in MemberRow] == [(STRANGER, "owner")]
    words = {"slug": "atlas", "name": "Atlas", "status": "active", "builtin": False}
    member = {"accountId": STRANGER, "role": "owner", "self": True}
    assert recorded() == [("project.created", words), ("member.added", member)]


def test_create_by_a_key_of_nobody(api, acting, recorded):
    """It names who answers; an account may not name another."""
    assert kind(api(CREATE, NEW)) == (422, "owner-required")
    refused = acting(STRANGER, CREATE, NEW | {"ownerId": OWNER})
    assert kind(refused) == (422, "validation-failed")
    assert refused.json["errors"][0]["pointer"] == "/ownerId"

    created = api(CREATE, NEW | {"ownerId": OWNER})

    assert created.json["data"]["ownerId"] == OWNER
    assert recorded()[1][1]["self"] is False


def test_create_with_a_taken_slug(api, clock, recorded):
    """An archived project keeps its slug, and nothing of the new one is kept."""
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
    """Members have their bounds, and what is not of the caller cannot be set."""
    response = api(CREATE, NEW | {"ownerId": OWNER} | wrong)

    assert kind(response) == (422, "validation-failed")
    assert ProjectRow.select().count() == 0


def test_create_twice(acting):
    """A repeat under its key gets the first answer; without one the slug is taken."""
    sent = {"Idempotency-Key": "once"}

    first = acting(OWNER, CREATE, NEW, **sent)

    assert acting(OWNER, CREATE, NEW, **sent).data == first.data
    assert kind(acting(OWNER, CREATE, NEW)) == (409, "slug-taken")


def test_update(acting, sample_project, recorded):
    """Each status has a record of its own; a description only its length."""
    body = {"id": sample_project.id, "description": None, "status": "completed"}
    project = acting(MAINTAINER, UPDATE, body).json["data"]

    assert (project["description"], project["status"]) == (None, "completed")
    assert project["name"] == "Atlas"
    assert project["updatedAt"] == "2026-03-01T12:01:00.000Z"
    lengths = {"description": {"fromLength": 4, "toLength": 0}}
    assert recorded() == [
        ("project.updated", {"changes": lengths}),
        ("project.status-changed", {"from": "active", "to": "completed"}),
    ]


def test_update_of_the_status_alone(acting, sample_project, recorded):
    """Then nothing else was updated."""
    acting(
        MAINTAINER,
        UPDATE,
        {"id": sample_project.id, "status": "paused", "name": "Atlas"},
    )

    assert [action for action, _ in recorded()] == ["project.status-changed"]


def test_update_to_the_same(acting, sample_project, recorded):
    """What changes nothing writes nothing, and leaves updatedAt alone."""
    answer = acting(MAINTAINER, UPDATE, {"id": sample_project.id, "name": " Atlas "})

    assert answer.json["data"]["updatedAt"] == "2026-03-01T12:00:00.000Z"
    assert recorded() == []


def test_update_of_what_was_changed_meanwhile(acting, sample_project, clock):
    """It is refused with the time of the last change; with that it is done."""
    body = {
        "id": sample_project.id,
        "name": "Maps",
        "expectedUpdatedAt": "2026-03-01T11:00:00Z",
    }

    refused = acting(MAINTAINER, UPDATE, body)

    assert kind(refused) == (409, "version-conflict")
    current = refused.json["current"]
    assert current == "2026-03-01T12:00:00.000Z"
    again = body | {"expectedUpdatedAt": current}
    assert acting(MAINTAINER, UPDATE, again).status_code == 200


@pytest.mark.parametrize("changes", [{}, {"expectedUpdatedAt": "2026-03-01T12:00:00Z"}])
def test_update_of_nothing(api, sample_project, changes):
    """A change has at least one member to change."""
    assert kind(api(UPDATE, {"id": sample_project.id} | changes)) == (
        422,
        "validation-failed",
    )


def test_transfer(acting, sample_project, recorded):
    """The new owner is made an owner among the members; the former stays one."""
    answer = acting(OWNER, TRANSFER, {"id": sample_project.id, "ownerId": STRANGER})

    assert answer.json["data"]["ownerId"] == STRANGER
    roles = {row.account_id: row.role for row in MemberRow}
    assert roles[STRANGER] == roles[OWNER] == "owner"
    ends = {"fromOwnerId": OWNER, "toOwnerId": STRANGER}
    member = {"accountId": STRANGER, "role": "owner", "self": False}
    assert recorded() == [
        ("project.ownership-transferred", ends),
        ("member.added", member),
    ]


def test_transfer_to_a_member(acting, sample_project, recorded):
    """A member is raised; who already is an owner stays as it is."""
    acting(OWNER, TRANSFER, {"id": sample_project.id, "ownerId": READER})
    acting(READER, TRANSFER, {"id": sample_project.id, "ownerId": OWNER})

    raised = {"role": {"from": "reader", "to": "owner"}}
    actions = [action for action, _ in recorded()]
    assert actions.count("project.ownership-transferred") == 2
    assert recorded()[1] == (
        "member.updated",
        {"accountId": READER, "changes": raised},
    )
    assert len(actions) == 3


def test_transfer_to_the_owner(acting, sample_project, recorded):
    """To whom it has already, it changes nothing."""
    answer = acting(OWNER, TRANSFER, {"id": sample_project.id, "ownerId": OWNER})

    assert answer.json["data"]["updatedAt"] == "2026-03-01T12:00:00.000Z"
    assert recorded() == []


def test_transfer_into_a_full_project(api, sample_project, clock, recorded):
    """There is no room for another member: nothing of the transfer is kept."""
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


def test_archive_and_restore(acting, sample_project, clock, recorded):
    """Each is done once and recorded once; the status stays."""
    ProjectRow.update(status="paused").execute()
    first = acting(OWNER, REMOVE, {"id": sample_project.id})
    clock.pass_(minutes=1)
    again = acting(OWNER, REMOVE, {"id": sample_project.id})
    restored = [acting(OWNER, RESTORE, {"id": sample_project.id}) for _ in range(2)]

    assert first.json["data"]["archivedAt"] == "2026-03-01T12:01:00.000Z"
    assert again.json == first.json
    assert restored[0].json == restored[1].json
    assert restored[0].json["data"]["archivedAt"] is None
    assert restored[0].json["data"]["status"] == "paused"
    actions = [action for action, _ in recorded()]
    assert actions == ["project.archived", "project.restored"]


def test_archive_of_the_built_in_project(api, acting, clock):
    """It cannot be archived, not even by a key; the role comes first."""
    docs = make_project("docs", clock.now, builtin=True)

    assert kind(api(REMOVE, {"id": docs.id})) == (409, "builtin-project")
    assert kind(acting(READER, REMOVE, {"id": docs.id})) == (403, "role-required")


@pytest.mark.parametrize(
    ("route", "changes"), [(UPDATE, {"name": "A"}), (TRANSFER, {"ownerId": STRANGER})]
)
def test_change_of_an_archived_project(api, sample_project, clock, route, changes):
    """It is read-only; a stale expectation is told first."""
    ProjectRow.update(archived_at=clock.now).execute()
    stale = {"expectedUpdatedAt": "2026-03-01T11:00:00Z"}

    refused = api(route, {"id": sample_project.id} | changes)
    conflict = api(route, {"id": sample_project.id} | changes | stale)

    assert kind(refused) == (409, "project-archived")
    assert kind(conflict) == (409, "version-conflict")


@pytest.mark.parametrize("route", [UPDATE, TRANSFER, REMOVE, RESTORE])
def test_change_of_nothing(api, acting, sample_project, route):
    """What is not there is told before any role, and a role before the rest."""
    changes = {UPDATE: {"name": "A"}, TRANSFER: {"ownerId": STRANGER}}.get(route, {})

    assert kind(api(route, {"id": OWNER} | changes)) == (404, "project-not-found")
    refused = acting(READER, route, {"id": sample_project.id} | changes)
    assert kind(refused) == (403, "role-required")
    assert refused.json["requiredRole"] in ("owner", "maintainer")
