"""The activity of projects over HTTP."""

import pytest

from models.base import new_id
from models.projects.projects.activity import record_activity
from tests.factories.projects import KEY, OWNER, account, make_project

LIST = "GET /projects/v1/activity/list"


@pytest.fixture
def feed(store, clock):
    """Four records in two projects, a minute apart."""
    sample_project, docs = (
        make_project("atlas", clock.now),
        make_project("docs", clock.now),
    )
    recorded = [
        (sample_project, "project.created", KEY),
        (sample_project, "work.created", account(OWNER)),
        (docs, "work.status-changed", KEY),
        (sample_project, "document.created", KEY),
    ]
    for project, action, actor in recorded:
        record_activity(project, action, actor, clock.now, slug=project.slug)
        clock.pass_(minutes=1)
    return sample_project


def actions(response):
    assert response.status_code == 200, response.json
    return [record["action"] for record in response.json["data"]]


def test_record(api, feed):
    """A record has the actor, the entity, the time and the request."""
    [record] = api(LIST, {"action": "work.created"}).json["data"]

    assert record | {"id": None} == {
        "id": None,
        "projectId": feed.id,
        "actorId": OWNER,
        "actorType": "account",
        "entityType": "work",
        "entityId": feed.id,
        "action": "work.created",
        "metadata": {"slug": "atlas", "requestId": "r1"},
        "createdAt": "2026-03-01T12:01:00.000Z",
    }


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({}, ["d", "s", "w", "p"]),
        ({"order": "asc"}, ["p", "w", "s", "d"]),
        ({"action": "work.*"}, ["s", "w"]),
        ({"action": "work.status-changed,project.*"}, ["s", "p"]),
        ({"action": "work.removed"}, []),
        ({"entityType": "document"}, ["d"]),
        ({"actorType": "account", "actorId": OWNER}, ["w"]),
        ({"from": "2026-03-01T12:01:00Z", "to": "2026-03-01T12:02:00Z"}, ["w"]),
    ],
)
def test_list(api, feed, query, expected):
    """
    Newest first; `from` is inclusive, `to` exclusive; work.* matches all work actions.
    """
    letters = {
        "project.created": "p",
        "work.created": "w",
        "work.status-changed": "s",
        "document.created": "d",
    }

    assert [letters[action] for action in actions(api(LIST, query))] == expected


def test_list_of_a_project(api, feed):
    """Only the project's records; an unknown project is a 404, not an empty list."""
    for query in ({"projectId": feed.id}, {"projectSlug": "atlas"}):
        assert len(actions(api(LIST, query))) == 3
    refused = api(LIST, {"projectId": "00000000-0000-0000-0000-000000000000"})
    assert refused.status_code == 404


def test_list_after(api, feed, clock):
    """Continuing after the last seen record returns later ones, oldest first."""
    second = api(LIST, {"order": "asc", "limit": 2}).json["data"][1]["id"]

    following = api(LIST, {"afterId": second})

    assert actions(following) == ["work.status-changed", "document.created"]
    newest_first = api(LIST, {"afterId": second, "order": "desc"})
    assert newest_first.status_code == 422
    refused = api(LIST, {"afterId": new_id(clock.now)})
    assert refused.status_code == 422
    assert refused.json["detail"].startswith("afterId: No activity record has the id")


@pytest.mark.parametrize("action", ["", "work", "*", "Work.x", "work.*,", "a.b.c"])
def test_list_of_a_wrong_action(api, feed, action):
    """An unknown action is rejected instead of finding nothing."""
    assert api(LIST, {"action": action}).status_code == 422
