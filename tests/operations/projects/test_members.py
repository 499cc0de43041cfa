"""Members of projects over HTTP."""

import pytest

from models.projects.members.members import MAX_MEMBERS
from models.projects.members.rows import MemberRow
from models.projects.projects.rows import ProjectRow
from tests.factories.projects import (
    CONTRIBUTOR,
    MAINTAINER,
    OWNER,
    READER,
    STRANGER,
    make_project,
)

LIST = "GET /projects/v1/members/list"
ADD = "POST /projects/v1/members/add"
UPDATE = "POST /projects/v1/members/update"
REMOVE = "POST /projects/v1/members/remove"
SECOND = "00000000-0000-7000-8000-00000000000a"


@pytest.fixture
def sample_project(store, clock):
    return make_project("atlas", clock.now)


@pytest.fixture
def member_body(sample_project):
    """Return the body about an account of the project."""
    return lambda account, **extra: (
        {"projectId": sample_project.id, "accountId": account} | extra
    )


def kind(response):
    return response.status_code, response.json["type"].split("/")[-2]


def members(response):
    assert response.status_code == 200, response.json
    return [(member["accountId"], member["role"]) for member in response.json["data"]]


def test_list(api, sample_project, clock):
    """Sorted by role, strongest first, then by the time of joining."""
    clock.pass_(minutes=-1)
    early = {"account_id": STRANGER, "role": "reader", "created_at": clock.now}
    MemberRow.create(project=sample_project, **early)

    page = api(LIST, {"projectSlug": "atlas"})

    assert members(page) == [
        (OWNER, "owner"),
        (MAINTAINER, "maintainer"),
        (CONTRIBUTOR, "contributor"),
        (STRANGER, "reader"),
        (READER, "reader"),
    ]
    assert page.json["data"][3] == {
        "projectId": sample_project.id,
        "accountId": STRANGER,
        "role": "reader",
        "createdAt": "2026-03-01T11:59:00.000Z",
    }


def test_list_of_roles_and_accounts(api, api_as, sample_project, clock):
    """
    By role, by account, by both; `me` is the caller; archived projects are left out.
    """
    other = make_project("other", clock.now)
    old = make_project("old", clock.now, archived_at=clock.now)

    def project_ids(response):
        return [member["projectId"] for member in response.json["data"]]

    assert members(
        api(LIST, {"projectId": sample_project.id, "role": "owner,reader"})
    ) == [
        (OWNER, "owner"),
        (READER, "reader"),
    ]
    assert project_ids(api_as(READER, LIST, {"accountId": "me"})) == [
        sample_project.id,
        other.id,
    ]
    assert project_ids(api(LIST, {"accountId": READER, "projectId": old.id})) == [
        old.id
    ]
    assert project_ids(api(LIST, {"accountId": STRANGER})) == []


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({}, 422),
        ({"role": "owner"}, 422),
        ({"accountId": "me"}, 422),
        ({"accountId": "you"}, 422),
        ({"projectId": OWNER, "projectSlug": "atlas"}, 422),
        ({"projectSlug": "atlas", "role": "boss"}, 422),
        ({"projectSlug": "ghost"}, 404),
    ],
)
def test_list_of_nothing(api, sample_project, query, status):
    """A list must name an existing project or an account."""
    assert api(LIST, query).status_code == status


def test_list_in_pages(api, sample_project):
    """Pages of one member give the same list; a cursor is bound to its filters."""
    listed, query = [], {"projectId": sample_project.id, "limit": 1}
    cursor = {}
    while cursor is not None:
        page = api(LIST, query | cursor)
        listed += members(page)
        next_cursor = page.json["meta"]["cursor"]
        cursor = {"cursor": next_cursor} if next_cursor else None

    whole = api(LIST, {"projectId": sample_project.id})
    assert listed == members(whole)
    cursor = api(LIST, query).json["meta"]["cursor"]
    assert api(LIST, query | {"role": "owner", "cursor": cursor}).status_code == 400


def test_add(api_as, member_body, recorded):
    """A member is added once and recorded once, however often it is repeated."""
    first = api_as(MAINTAINER, ADD, member_body(STRANGER, role="contributor"))
    again = api_as(MAINTAINER, ADD, member_body(STRANGER, role="contributor"))

    assert first.json["data"]["role"] == "contributor"
    assert again.json == first.json
    metadata = {"accountId": STRANGER, "role": "contributor", "self": False}
    assert recorded() == [("member.added", metadata)]


def test_add_in_another_role(api, member_body, recorded):
    """Adding a member does not change an existing role."""
    refused = api(ADD, member_body(READER, role="contributor"))

    assert kind(refused) == (409, "member-exists")
    assert "with the role reader" in refused.json["detail"]
    assert recorded() == []


def test_add_oneself(api_as, member_body, recorded):
    """Every account may add itself as a reader, and as nothing more."""
    assert (
        api_as(STRANGER, ADD, member_body(STRANGER, role="reader")).status_code == 200
    )
    assert recorded()[0][1]["self"] is True
    for account, role in [(STRANGER, "contributor"), (SECOND, "reader")]:
        refused = api_as(STRANGER, ADD, member_body(account, role=role))
        assert kind(refused) == (403, "role-required")


def test_add_an_owner(api_as, member_body):
    """Only an owner adds an owner; a maintainer may add a maintainer."""
    refused = api_as(MAINTAINER, ADD, member_body(STRANGER, role="owner"))

    assert kind(refused) == (403, "role-required")
    assert refused.json["requiredRole"] == "owner"
    assert (
        api_as(MAINTAINER, ADD, member_body(STRANGER, role="maintainer")).status_code
        == 200
    )
    assert api_as(OWNER, ADD, member_body(SECOND, role="owner")).status_code == 200


def test_add_to_a_full_project(api, member_body, sample_project, clock):
    """At the limit, only an existing member can be added again."""
    new_members = [
        {"project": sample_project.id, "account_id": str(n), "role": "reader"}
        for n in range(MAX_MEMBERS - 5)
    ]
    MemberRow.insert_many(
        [member | {"created_at": clock.now} for member in new_members]
    ).execute()

    assert api(ADD, member_body(STRANGER, role="reader")).status_code == 200
    assert kind(api(ADD, member_body(SECOND, role="reader"))) == (409, "limit-exceeded")
    assert api(ADD, member_body(STRANGER, role="reader")).status_code == 200


def test_update(api_as, member_body, recorded):
    """The role applies from the next request on; the same role changes nothing."""
    body = member_body(READER, role="maintainer")
    first, again = (api_as(MAINTAINER, UPDATE, body) for _ in range(2))

    assert first.json["data"]["role"] == "maintainer"
    assert again.json == first.json
    changes = {"role": {"from": "reader", "to": "maintainer"}}
    metadata = {"accountId": READER, "changes": changes}
    assert recorded() == [("member.updated", metadata)]
    assert (
        api_as(READER, UPDATE, member_body(CONTRIBUTOR, role="reader")).status_code
        == 200
    )


def test_update_of_owners(api_as, api, member_body):
    """
    Only an owner changes the role to or from owner; a maintainer may not even repeat
    it.
    """
    api(ADD, member_body(SECOND, role="owner"))

    for account, role in [(READER, "owner"), (SECOND, "reader"), (OWNER, "owner")]:
        refused = api_as(MAINTAINER, UPDATE, member_body(account, role=role))
        assert kind(refused) == (403, "role-required")
    assert api_as(SECOND, UPDATE, member_body(READER, role="owner")).status_code == 200
    assert api_as(OWNER, UPDATE, member_body(SECOND, role="reader")).status_code == 200


def test_account_that_answers(api, api_as, member_body, recorded):
    """The responsible account stays an owner, whoever the caller is."""
    lowered = api_as(OWNER, UPDATE, member_body(OWNER, role="maintainer"))
    left = api_as(OWNER, REMOVE, member_body(OWNER))
    removed = api(REMOVE, member_body(OWNER))

    assert kind(lowered) == kind(left) == kind(removed) == (409, "owner-membership")
    assert api(UPDATE, member_body(OWNER, role="owner")).status_code == 200
    assert recorded() == []


def test_update_of_a_stranger(api, api_as, member_body):
    """
    An account that is no member is a 404, before the role of the caller is checked.
    """
    for refused in (
        api(UPDATE, member_body(STRANGER, role="reader")),
        api_as(READER, UPDATE, member_body(STRANGER, role="reader")),
    ):
        assert kind(refused) == (404, "member-not-found")


def test_remove(api_as, member_body, recorded):
    """A member is removed once; removing it again leaves no record."""
    first, again = (api_as(MAINTAINER, REMOVE, member_body(READER)) for _ in range(2))

    assert first.json["data"] == member_body(READER, removed=True)
    assert again.json["data"] == member_body(READER, removed=False)
    metadata = {"accountId": READER, "role": "reader", "self": False}
    assert recorded() == [("member.removed", metadata)]


def test_remove_of_others(api_as, api, member_body):
    """
    Removing others requires a maintainer, and removing an owner requires an owner.
    """
    api(ADD, member_body(SECOND, role="owner"))

    assert kind(api_as(CONTRIBUTOR, REMOVE, member_body(READER))) == (
        403,
        "role-required",
    )
    assert kind(api_as(CONTRIBUTOR, REMOVE, member_body(STRANGER))) == (
        403,
        "role-required",
    )
    assert kind(api_as(MAINTAINER, REMOVE, member_body(SECOND))) == (
        403,
        "role-required",
    )
    assert api_as(OWNER, REMOVE, member_body(SECOND)).json["data"]["removed"]


def test_leaving(api_as, api, member_body, clock, recorded):
    """Every member may leave, even an owner or a reader of an archived project."""
    api(ADD, member_body(SECOND, role="owner"))
    ProjectRow.update(archived_at=clock.now).execute()

    for account in (SECOND, READER):
        assert api_as(account, REMOVE, member_body(account)).json["data"]["removed"]

    assert api_as(STRANGER, REMOVE, member_body(STRANGER)).json["data"] == member_body(
        STRANGER, removed=False
    )
    assert recorded()[-1][1]["self"] is True


@pytest.mark.parametrize(
    ("route", "role"),
    [(ADD, {"role": "reader"}), (UPDATE, {"role": "contributor"}), (REMOVE, {})],
)
def test_archived_project(api, member_body, clock, route, role):
    """The members of an archived project cannot be changed."""
    ProjectRow.update(archived_at=clock.now).execute()

    assert kind(api(route, member_body(READER, **role))) == (409, "project-archived")


@pytest.mark.parametrize("route", [ADD, UPDATE, REMOVE])
@pytest.mark.parametrize(
    "wrong", [{"accountId": "me"}, {"accountId": None}, {"more": 1}, {"role": "boss"}]
)
def test_out_of_shape(api, member_body, route, wrong):
    """An account is a UUID, and a role one of four."""
    role = {} if route == REMOVE else {"role": "reader"}

    assert api(route, member_body(READER, **role) | wrong).status_code == 422


@pytest.mark.parametrize("route", [ADD, UPDATE, REMOVE])
def test_in_no_project(api, route):
    """An unknown project has no members to change."""
    body = {"projectId": STRANGER, "accountId": READER}
    role = {} if route == REMOVE else {"role": "reader"}

    assert kind(api(route, body | role)) == (404, "project-not-found")
