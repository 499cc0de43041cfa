"""Keys under many concurrent requests."""

from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from threading import Barrier

import pytest

from models.audit import AuditRow, broken_links
from models.platform.keys import KeyRow
from models.storage.database import database
from tests.factories.projects import make_project
from tests.factories.work import work

pytestmark = pytest.mark.both_engines

KEYS = "/platform/v1/keys"
NEW_KEY = {"name": "probe", "scopes": ["status:services:list"]}


@pytest.fixture
def post(app, issue):
    """Post with a key for all scopes, from a thread that returns its connection."""
    key = issue("*", rate_capacity=1_000)

    def posted(path, body, text=None):
        headers = {"Authorization": f"Bearer {key}"}
        headers |= {"Idempotency-Key": text} if text else {}
        try:
            return app.test_client().post(path, json=body, headers=headers)
        finally:
            database.close()

    return posted


@pytest.fixture
def old(post):
    return post(f"{KEYS}/add", NEW_KEY, "old").json["data"]


def at_once(*calls):
    """Run the calls in as many threads, all released at the same moment."""
    start = Barrier(len(calls))

    def made(call):
        start.wait()
        return call()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(made, calls))


def active():
    rows = KeyRow.select().where(KeyRow.name == "probe", KeyRow.revoked_at.is_null())
    return rows.where(KeyRow.expires_at.is_null()).count()


@pytest.mark.parametrize("path", [f"{KEYS}/add", "/platform/v1/developer/keys/create"])
def test_one_text(path, post):
    """Fifty threads with one Idempotency-Key create one key, with one secret."""
    answers = at_once(*[lambda: post(path, NEW_KEY, "abc")] * 50)

    assert {each.status_code for each in answers} == {200}
    assert len({each.data for each in answers}) == 1
    assert sum("Idempotent-Replayed" not in each.headers for each in answers) == 1
    assert active() == 1
    assert AuditRow.select().count() == 1


def test_rotation_under_one_text(post, old):
    """Fifty rotations under one Idempotency-Key are one rotation."""
    body = {"id": old["id"], "graceSeconds": 0}

    answers = at_once(*[lambda: post(f"{KEYS}/rotate", body, "abc")] * 50)

    assert {each.status_code for each in answers} == {200}
    assert len({each.data for each in answers}) == 1
    assert active() == 1


def test_rotations(post, old):
    """Of many concurrent rotations that end the old key at once, one succeeds."""
    body = {"id": old["id"], "graceSeconds": 0}

    answers = at_once(*[lambda: post(f"{KEYS}/rotate", body)] * 20)

    assert sorted(each.status_code for each in answers) == [200] + [409] * 19
    assert active() == 1


@pytest.mark.parametrize("turn", range(5))
def test_rotate_against_remove(turn, post, old):
    """In either order, a key that was removed first is not replaced."""
    body = {"id": old["id"]}

    rotated, removed = at_once(
        lambda: post(f"{KEYS}/rotate", body), lambda: post(f"{KEYS}/remove", body)
    )

    assert removed.json["data"]["status"] == "revoked"
    actions = [row.action for row in AuditRow.select().order_by(AuditRow.number)]
    if rotated.status_code == 200:
        assert actions == ["add", "rotate", "remove"]
    else:
        assert (rotated.status_code, actions) == (409, ["add", "remove"])
    assert active() == (rotated.status_code == 200)
    assert KeyRow.get_by_id(old["id"]).revoked_at is not None


def test_chain_of_many(post):
    """Audit records that many threads write form one chain."""
    added = [
        lambda n=n: post(f"{KEYS}/add", NEW_KEY | {"name": f"{n}"}, f"{n}")
        for n in range(20)
    ]

    at_once(*added)

    assert AuditRow.select().count() == 20
    assert broken_links("platform") == []


def test_numbers(post, store, clock):
    """Work items that eight threads create are numbered from one, without gaps."""
    project = make_project("atlas", clock.now)
    body = {"projectId": project.id, "type": "task", "title": "More"}

    def made():
        answers = [post("/projects/v1/work-items/create", body) for _ in range(5)]
        return [each.json["data"]["number"] for each in answers]

    numbers = sorted(chain.from_iterable(at_once(*[made] * 8)))

    assert numbers == list(range(1, 41))


def test_ring(post, store, clock):
    """Of "A blocks B" and "B blocks A" exactly one is stored, in every race."""
    project, path = make_project("atlas", clock.now), "/projects/v1/relationships/add"
    for _ in range(5):
        a, b = (work(project, clock).id for _ in range(2))
        bodies = [
            {"sourceId": one, "targetId": two, "relationship": "blocks"}
            for one, two in ((a, b), (b, a))
        ]

        answers = at_once(*[lambda body=body: post(path, body) for body in bodies])

        assert sorted(each.status_code for each in answers) == [200, 409]
