"""Members of projects through HTTP."""

import pytest

from models.projects.members.members import MAX_MEMBERS
from models.projects.members.rows import MemberRow
from models.projects.projects.rows import ProjectRow
from tests.projects import (
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
def atlas(store, clock):
    return make_project("atlas", clock.now)


@pytest.fixture
def of(atlas):
    """The body about an account of the project."""
    return lambda account, **more: {"projectId": atlas.id, "accountId": account} | more


def kind(response):
    return response.status_code, response.json["type"].split("/")[-2]


def members(response):
    assert response.status_code == 200, response.json
    return [(each["accountId"], each["role"]) for each in response.json["data"]]


def test_list(ask, atlas, clock):
    """The strongest role comes first, then who has been there longest."""
    clock.pass_(minutes=-1)
    early = {"account_id": STRANGER, "role": "reader", "created_at": clock.now}
    MemberRow.create(project=atlas, **early)

    found = ask(LIST, {"projectSlug": "atlas"})

    assert members(found) == [
        (OWNER, "owner"),
        (MAINTAINER, "maintainer"),
        (CONTRIBUTOR, "contributor"),
        (STRANGER, "reader"),
        (READER, "reader"),
    ]
    assert found.json["data"][3] == {
        "projectId": atlas.id,
        "accountId": STRANGER,
        "role": "reader",
        "createdAt": "2026-03-01T11:59:00.000Z",
    }


def test_list_of_roles_and_accounts(ask, acting, atlas, clock):
    """By role, by account, by both; me is who asks; archived projects are left out."""
    other = make_project("other", clock.now)
    old = make_project("old", clock.now, archived_at=clock.now)

    def places(response):
        return [each["projectId"] for each in response.json["data"]]

    assert members(ask(LIST, {"projectId": atlas.id, "role": "owner,reader"})) == [
        (OWNER, "owner"),
        (READER, "reader"),
    ]
    assert places(acting(READER, LIST, {"accountId": "me"})) == [atlas.id, other.id]
    assert places(ask(LIST, {"accountId": READER, "projectId": old.id})) == [old.id]
    assert places(ask(LIST, {"accountId": STRANGER})) == []


@pytest.mark.parametrize(
    ("asked", "status"),
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
def test_list_of_nothing(ask, atlas, asked, status):
    """A question names a project or an account, and nothing that is not there."""
    assert ask(LIST, asked).status_code == status


def test_list_in_pages(ask, atlas):
    """One at a time gives the same list; a cursor is bound to its filters."""
    found, asked = [], {"projectId": atlas.id, "limit": 1}
    cursor = {}
    while cursor is not None:
        page = ask(LIST, asked | cursor)
        found += members(page)
        told = page.json["meta"]["cursor"]
        cursor = {"cursor": told} if told else None

    whole = ask(LIST, {"projectId": atlas.id})
    assert found == members(whole)
    cursor = ask(LIST, asked).json["meta"]["cursor"]
    assert ask(LIST, asked | {"role": "owner", "cursor": cursor}).status_code == 400


def test_add(acting, of, recorded):
    """Added once and recorded once, however often it is asked."""
    first = acting(MAINTAINER, ADD, of(STRANGER, role="contributor"))
    again = acting(MAINTAINER, ADD, of(STRANGER, role="contributor"))

    assert first.json["data"]["role"] == "contributor"
    assert again.json == first.json
    told = {"accountId": STRANGER, "role": "contributor", "self": False}
    assert recorded() == [("member.added", told)]


def test_add_in_another_role(ask, of, recorded):
    """A member keeps the role until it is updated."""
    refused = ask(ADD, of(READER, role="contributor"))

    assert kind(refused) == (409, "member-exists")
    assert "with the role reader" in refused.json["detail"]
    assert recorded() == []


def test_add_oneself(acting, of, recorded):
    """Every account may watch, and make itself nothing more."""
    assert acting(STRANGER, ADD, of(STRANGER, role="reader")).status_code == 200
    assert recorded()[0][1]["self"] is True
    for who, role in [(STRANGER, "contributor"), (SECOND, "reader")]:
        refused = acting(STRANGER, ADD, of(who, role=role))
        assert kind(refused) == (403, "role-required")


def test_add_an_owner(acting, of):
    """Only an owner adds an owner; a maintainer may add a maintainer."""
    refused = acting(MAINTAINER, ADD, of(STRANGER, role="owner"))

    assert kind(refused) == (403, "role-required")
    assert refused.json["requiredRole"] == "owner"
    assert acting(MAINTAINER, ADD, of(STRANGER, role="maintainer")).status_code == 200
    assert acting(OWNER, ADD, of(SECOND, role="owner")).status_code == 200


def test_add_to_a_full_project(ask, of, atlas, clock):
    """The last one finds a place; after it only who is there already."""
    more = [
        {"project": atlas.id, "account_id": str(n), "role": "reader"}
        for n in range(MAX_MEMBERS - 5)
    ]
    MemberRow.insert_many([each | {"created_at": clock.now} for each in more]).execute()

    assert ask(ADD, of(STRANGER, role="reader")).status_code == 200
    assert kind(ask(ADD, of(SECOND, role="reader"))) == (409, "limit-exceeded")
    assert ask(ADD, of(STRANGER, role="reader")).status_code == 200


def test_update(acting, of, recorded):
    """The role acts from the next request on; the same role changes nothing."""
    asked = of(READER, role="maintainer")
    first, again = (acting(MAINTAINER, UPDATE, asked) for _ in range(2))

    assert first.json["data"]["role"] == "maintainer"
    assert again.json == first.json
    changes = {"role": {"from": "reader", "to": "maintainer"}}
    told = {"accountId": READER, "changes": changes}
    assert recorded() == [("member.updated", told)]
    assert acting(READER, UPDATE, of(CONTRIBUTOR, role="reader")).status_code == 200


def test_update_of_owners(acting, ask, of):
    """Only an owner makes or unmakes one; a maintainer may not even name one."""
    ask(ADD, of(SECOND, role="owner"))

    for who, role in [(READER, "owner"), (SECOND, "reader"), (OWNER, "owner")]:
        refused = acting(MAINTAINER, UPDATE, of(who, role=role))
        assert kind(refused) == (403, "role-required")
    assert acting(SECOND, UPDATE, of(READER, role="owner")).status_code == 200
    assert acting(OWNER, UPDATE, of(SECOND, role="reader")).status_code == 200


def test_account_that_answers(ask, acting, of, recorded):
    """Who answers for the project stays its owner, whoever asks."""
    lowered = acting(OWNER, UPDATE, of(OWNER, role="maintainer"))
    left = acting(OWNER, REMOVE, of(OWNER))
    taken = ask(REMOVE, of(OWNER))

    assert kind(lowered) == kind(left) == kind(taken) == (409, "owner-membership")
    assert ask(UPDATE, of(OWNER, role="owner")).status_code == 200
    assert recorded() == []


def test_update_of_a_stranger(ask, acting, of):
    """Who is no member is not found, and that comes before the role."""
    for refused in (
        ask(UPDATE, of(STRANGER, role="reader")),
        acting(READER, UPDATE, of(STRANGER, role="reader")),
    ):
        assert kind(refused) == (404, "member-not-found")


def test_remove(acting, of, recorded):
    """Removed once; what is absent is answered without a record."""
    first, again = (acting(MAINTAINER, REMOVE, of(READER)) for _ in range(2))

    assert first.json["data"] == of(READER, removed=True)
    assert again.json["data"] == of(READER, removed=False)
    told = {"accountId": READER, "role": "reader", "self": False}
    assert recorded() == [("member.removed", told)]


def test_remove_of_others(acting, ask, of):
    """It takes a maintainer, and an owner for an owner."""
    ask(ADD, of(SECOND, role="owner"))

    assert kind(acting(CONTRIBUTOR, REMOVE, of(READER))) == (403, "role-required")
    assert kind(acting(CONTRIBUTOR, REMOVE, of(STRANGER))) == (403, "role-required")
    assert kind(acting(MAINTAINER, REMOVE, of(SECOND))) == (403, "role-required")
    assert acting(OWNER, REMOVE, of(SECOND)).json["data"]["removed"]


def test_leaving(acting, ask, of, clock, recorded):
    """Nobody is kept: not an owner, not a reader of an archived project."""
    ask(ADD, of(SECOND, role="owner"))
    ProjectRow.update(archived_at=clock.now).execute()

    for who in (SECOND, READER):
        assert acting(who, REMOVE, of(who)).json["data"]["removed"]

    assert acting(STRANGER, REMOVE, of(STRANGER)).json["data"] == of(
        STRANGER, removed=False
    )
    assert recorded()[-1][1]["self"] is True


@pytest.mark.parametrize(
    ("route", "more"),
    [(ADD, {"role": "reader"}), (UPDATE, {"role": "contributor"}), (REMOVE, {})],
)
def test_archived_project(ask, of, clock, route, more):
    """Its members stay as they are."""
    ProjectRow.update(archived_at=clock.now).execute()

    assert kind(ask(route, of(READER, **more))) == (409, "project-archived")


@pytest.mark.parametrize("route", [ADD, UPDATE, REMOVE])
@pytest.mark.parametrize(
    "wrong", [{"accountId": "me"}, {"accountId": None}, {"more": 1}, {"role": "boss"}]
)
def test_out_of_shape(ask, of, route, wrong):
    """An account is told by its id, and a role is one of four."""
    role = {} if route == REMOVE else {"role": "reader"}

    assert ask(route, of(READER, **role) | wrong).status_code == 422


@pytest.mark.parametrize("route", [ADD, UPDATE, REMOVE])
def test_in_no_project(ask, route):
    """A project that is not there has no members to change."""
    asked = {"projectId": STRANGER, "accountId": READER}
    role = {} if route == REMOVE else {"role": "reader"}

    assert kind(ask(route, asked | role)) == (404, "project-not-found")
