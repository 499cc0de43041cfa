"""Two writers of keys in a PostgreSQL, one stopped before each of its statements."""

from datetime import timedelta

import pytest

from models.audit import AuditRow, broken_links
from models.platform.key_uses import KeyUses
from models.platform.keys import KeyRow
from tests.conftest import NOON
from tests.servers.stepwise import interleaved

pytestmark = pytest.mark.postgresql

KEYS, OWN_KEYS = "/platform/v1/keys", "/platform/v1/developer/keys"


def key_id(secret):
    return KeyRow.get(KeyRow.prefix == secret[:11]).id


def audited_actions(id):
    """Return the actions on a key in the order of the chain."""
    rows = AuditRow.select().where(AuditRow.target_id == id)
    return [row.action for row in rows.order_by(AuditRow.number)]


def test_chain_of_keys(post, settings):
    """Two changes of keys leave the audit chain whole."""
    one, two = (
        lambda at, h=host: post(
            h,
            "/platform/v1/keys/add",
            {"name": f"key-{at}-{h}", "scopes": ["status:*"]},
            Idempotency_Key=f"key-{at}-{h}",
        )
        for host in (0, 1)
    )

    for _, results, _ in interleaved(settings.database, one, two):
        assert [status for status, _ in results] == [200, 200]
    assert broken_links("platform") == []


def test_rotations_of_a_key(post, settings, issue):
    """Of two rotations of one key, one is rejected."""
    for at in range(60):
        issue("status:*", name=f"key-{at}")
    ids = [row.id for row in KeyRow.select().where(KeyRow.name.startswith("key-"))]

    def rotate(host):
        return lambda at: post(
            host,
            "/platform/v1/keys/rotate",
            {"id": ids[at]},
            Idempotency_Key=f"rotate-{at}-{host}",
        )

    for _, results, _ in interleaved(settings.database, rotate(0), rotate(1)):
        assert sorted(status for status, _ in results) == [200, 409]
    assert broken_links("platform") == []


def test_keys_of_a_developer(strict_post, settings, issue):
    """A developer never gets more keys than the maximum."""
    portals = [issue("*") for _ in range(60)]

    def create(host):
        body = {"name": f"mine-{host}", "scopes": ["status:services:list"]}
        path = "/platform/v1/developer/keys/create"
        return lambda at: strict_post(host, path, body, portals[at], f"{host}")

    for _, results, _ in interleaved(settings.database, create(0), create(1)):
        assert sorted(results) == [200, 409]


@pytest.mark.parametrize("is_update_first", [True, False])
def test_grant_by_a_key_that_loses_scopes(post, settings, issue, is_update_first):
    """No key grants a scope after it lost it."""
    grantors = {at: issue("platform:keys:*", "status:*") for at in range(60)}
    remaining = ["platform:keys:*"]

    def grant(at):
        body = {"name": f"granted-{at}", "scopes": ["status:*"]}
        path, once = f"{KEYS}/add", f"grant-{at}"
        return post(0, path, body, grantors[at], Idempotency_Key=once)[0]

    def update(at):
        body = {"id": key_id(grantors[at]), "scopes": remaining}
        return post(1, f"{KEYS}/update", body)[0]

    pair = (update, grant) if is_update_first else (grant, update)
    for at, results, _ in interleaved(settings.database, *pair):
        updated, granted = results if is_update_first else reversed(results)
        assert (updated, granted) in {(200, 200), (200, 403)}
        if granted == 200:
            (new,) = KeyRow.select().where(KeyRow.name == f"granted-{at}")
            number = AuditRow.number
            order = AuditRow.select(AuditRow.target_id).order_by(number).tuples()
            both = [id for (id,) in order if id in (new.id, key_id(grantors[at]))]
            assert both == [new.id, key_id(grantors[at])]


@pytest.mark.parametrize("is_rotation_first", [True, False])
def test_rotation_of_a_removed_key(post, settings, issue, is_rotation_first):
    """A key that was removed gets no replacement."""
    keys = {at: key_id(issue("status:*")) for at in range(60)}

    def rotate(at):
        path, once = f"{KEYS}/rotate", f"rotate-{at}"
        return post(0, path, {"id": keys[at]}, Idempotency_Key=once)[0]

    def remove(at):
        return post(1, f"{KEYS}/remove", {"id": keys[at]})[0]

    pair = (rotate, remove) if is_rotation_first else (remove, rotate)
    for at, results, _ in interleaved(settings.database, *pair):
        rotated, removed = results if is_rotation_first else reversed(results)
        assert (rotated, removed) in {(200, 200), (409, 200)}
        actions = ["rotate", "remove"] if rotated == 200 else ["remove"]
        assert audited_actions(keys[at]) == actions


@pytest.mark.parametrize("is_rotation_first", [True, False])
def test_take_over_of_a_replacement(post, settings, issue, is_rotation_first):
    """A key that was rotated does not change its lineage any more."""
    secrets = {at: issue("*") for at in range(60)}

    def rotate(at):
        body = {"id": key_id(secrets[at])}
        return post(0, f"{KEYS}/rotate", body, Idempotency_Key=f"rotate-{at}")[0]

    def rename(at):
        body = {"id": key_id(secrets[at]), "name": f"renamed-{at}"}
        return post(1, f"{KEYS}/update", body, secrets[at])[0]

    pair = (rotate, rename) if is_rotation_first else (rename, rotate)
    for at, results, _ in interleaved(settings.database, *pair):
        rotated, renamed = results if is_rotation_first else reversed(results)
        assert (rotated, renamed) in {(200, 200), (200, 409)}
        names = KeyRow.select(KeyRow.name).where(
            KeyRow.lineage == key_id(secrets[at]), KeyRow.replaced_at.is_null()
        )
        expected = f"renamed-{at}" if renamed == 200 else "test"
        assert [row.name for row in names] == [expected]


def test_uses_of_keys(store, settings, issue):
    """Two servers record the last uses of the same keys, in whatever order."""
    ids = [key_id(issue("*")) for _ in range(3)]
    hosts = KeyUses(), KeyUses()

    def write(host):
        def run(at):
            for id in ids[:: 1 - 2 * host]:
                hosts[host].note(id, NOON + timedelta(milliseconds=2 * at + host))
            hosts[host].write()

        return run

    for at, *_ in interleaved(settings.database, write(0), write(1)):
        latest = NOON + timedelta(milliseconds=2 * at + 1)
        assert {row.last_used_at for row in KeyRow.select()} == {latest}
