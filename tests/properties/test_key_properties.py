"""Any sequence of changes of keys: nobody gains life, scopes or rate."""

from datetime import timedelta

from hypothesis import HealthCheck, given
from hypothesis import settings as bounded
from hypothesis import strategies as st

from models.errors import KeyNotActive
from models.platform.keys import (
    CreateKey,
    KeyRow,
    UpdateKey,
    added_scopes,
    issue_key,
    require_active,
    revoke_key,
    rotate_key,
    update_key,
)
from models.platform.scopes import any_covers, not_grantable
from models.storage.database import database, writing
from tests.conftest import NOON

PUBLIC = ("status:services:list",)
HELD = ("orders:*", "billing:read", "platform:audit:*")
SCOPES = [
    *("*", "orders:*", "orders:read", "orders:admin:*", "billing:read"),
    *("billing:*", "platform:keys:*", "platform:*", "platform:actors:assert"),
    *PUBLIC,
]
scopes = st.lists(st.sampled_from(SCOPES), min_size=1, max_size=3, unique=True)
places = st.integers(0, 30)
graces = st.sampled_from([0, 1, 3_600, 2_592_000])
steps = st.lists(
    st.one_of(
        st.tuples(st.just("add"), places, scopes),
        st.tuples(st.just("update"), places, places, scopes),
        st.tuples(st.just("rotate"), places, places, graces),
        st.tuples(st.just("remove"), places),
        st.tuples(st.just("wait"), st.integers(0, 100_000)),
    ),
    max_size=25,
)
quick = bounded(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


class World:
    """Keys that one key made, by what it and its offspring are let do."""

    def __init__(self):
        self.now = NOON
        asked = CreateKey(name="first", scopes=list(HELD), expires_in_days=2)
        self.keys = [issue_key(asked, NOON, issuer="ada@example.com")[0]]

    def key(self, place):
        return self.keys[place % len(self.keys)]

    def may_grant(self, manager, wanted):
        is_active = manager.status(self.now) == "active"
        return is_active and not not_grantable(wanted, manager.scopes, PUBLIC)

    def add(self, manager, wanted):
        if self.may_grant(self.key(manager), wanted):
            asked = CreateKey(name="next", scopes=wanted)
            self.keys.append(issue_key(asked, self.now, issuer="x")[0])

    def update(self, manager, target, wanted):
        key = self.key(target)
        asked = UpdateKey(id=key.id, scopes=wanted)
        if self.is_active(key) and self.may_grant(
            self.key(manager), added_scopes(key, asked)
        ):
            update_key(key, asked, self.now)

    def rotate(self, manager, target, grace):
        key = self.key(target)
        if self.is_active(key) and self.may_grant(self.key(manager), key.scopes):
            grace = timedelta(seconds=grace)
            self.keys.append(rotate_key(key, self.now, grace)[0])

    def remove(self, target):
        revoke_key(self.key(target), self.now)

    def wait(self, seconds):
        self.now += timedelta(seconds=seconds)

    def is_active(self, key):
        try:
            require_active(key, self.now)
        except KeyNotActive:
            return False
        return True


def histories(store, steps):
    """Take the steps one by one; yield the world before and after each."""
    with writing(), database.atomic() as undone:
        world = World()
        for name, *rest in steps:
            before = {key.id: KeyRow.get_by_id(key.id) for key in world.keys}
            getattr(world, name)(*rest)
            yield world, before
        undone.rollback()


@quick
@given(steps=steps)
def test_granted_within_grantable(store, steps):
    """No sequence brings a scope that the first key could not grant."""
    for world, _ in histories(store, steps):
        for key in world.keys:
            assert not not_grantable(key.scopes, HELD, PUBLIC)
            assert all(any_covers([*HELD, *PUBLIC], each) for each in key.scopes)


@quick
@given(steps=steps)
def test_life_only_shortens(store, steps):
    """No key's end comes later than it was, and what is over stays over."""
    for world, before in histories(store, steps):
        for id, old in before.items():
            new = KeyRow.get_by_id(id)
            assert old.expires_at is None or new.expires_at <= old.expires_at
            assert old.revoked_at is None or new.revoked_at == old.revoked_at
            if old.status(world.now) == "revoked":
                assert new.status(world.now) == "revoked"


@quick
@given(steps=steps)
def test_replacement_is_of_the_same_line(store, steps):
    """A replacement has its old key's line, which is its bucket, and nothing more."""
    for world, before in histories(store, steps):
        lines = {row.lineage for row in before.values()}
        for key in world.keys:
            if key.id not in before and key.lineage != key.id:
                assert key.lineage in lines
                old = KeyRow.get_by_id(key.lineage)
                assert (key.issuer, key.account_id) == (old.issuer, old.account_id)
                assert key.lifetime_days == old.lifetime_days
