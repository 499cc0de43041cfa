"""No sequence of changes to keys gains lifetime, scopes or rate."""

from datetime import timedelta

from hypothesis import HealthCheck, given
from hypothesis import settings as bounded
from hypothesis import strategies as st

from models.errors import Refusal
from models.platform.grants import Grantor
from models.platform.keys import (
    CreateKey,
    KeyRow,
    UpdateKey,
    issue_key,
    revoke_key,
    rotate_key,
    update_key,
)
from models.platform.rate_limits import Rate, exceeds
from models.platform.scopes import any_covers, not_grantable
from models.storage.database import database, writing
from tests.conftest import NOON

PUBLIC = ("status:services:list",)
HELD = ("orders:*", "billing:read", "platform:audit:*")
DEFAULT_RATE, OWN_RATE = Rate(2000, 200.0), Rate(50, 5.0)
SCOPES = [
    *("*", "orders:*", "orders:read", "orders:admin:*", "billing:read"),
    *("billing:*", "platform:keys:*", "platform:*", "platform:actors:assert"),
    *PUBLIC,
]
scopes = st.lists(st.sampled_from(SCOPES), min_size=1, max_size=3, unique=True)
places = st.integers(0, 30)
rates = st.sampled_from([None, 20, 50, 51, 3000])
lives = st.sampled_from([None, 1, 2, 3])
graces = st.sampled_from([0, 1, 3_600, 2_592_000])
steps = st.lists(
    st.one_of(
        st.tuples(st.just("add"), places, scopes, rates, lives),
        st.tuples(st.just("update"), places, places, scopes, rates),
        st.tuples(st.just("rotate"), places, places, graces),
        st.tuples(st.just("remove"), places),
        st.tuples(st.just("wait"), st.integers(0, 100_000)),
    ),
    max_size=25,
)
quick = bounded(
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


class World:
    """
    Keys that one key created, as far as it and its descendants may.

    Another key, of someone else, has more scopes, rate and lifetime.
    """

    def __init__(self):
        self.now = NOON
        rate = {"rate_capacity": OWN_RATE.capacity, "rate_refill": OWN_RATE.refill}
        request = CreateKey(name="first", scopes=list(HELD), expires_in_days=2, **rate)
        self.keys = [issue_key(request, NOON, issuer="ada@example.com")[0]]
        self.end = self.keys[0].expires_at
        request = CreateKey(name="strong", scopes=["orders:read", "reports:*"])
        self.strong = issue_key(request, NOON, issuer="bob@example.com")[0]

    def key(self, place):
        return self.keys[place % len(self.keys)]

    def any_key(self, place):
        keys = [*self.keys, self.strong]
        return keys[place % len(keys)]

    def is_let(self, manager, check):
        """Return whether the key is active, and the check raises no problem."""
        grantor = Grantor(manager, PUBLIC, DEFAULT_RATE)
        try:
            check(grantor)
        except Refusal:
            return False
        return manager.status(self.now) == "active"

    def add(self, manager, wanted, rate, days):
        values = {"rate_capacity": rate, "rate_refill": 5.0, "expires_in_days": days}
        sent = {name: value for name, value in values.items() if value is not None}
        request = CreateKey(name="next", scopes=wanted, **sent)
        if self.is_let(
            self.key(manager), lambda by: by.require_creation(request, self.now)
        ):
            self.keys.append(issue_key(request, self.now, issuer="x")[0])

    def update(self, manager, target, wanted, rate):
        key = self.any_key(target)
        request = UpdateKey(id=key.id, scopes=wanted, rate_capacity=rate)
        if self.is_let(
            self.key(manager), lambda by: by.require_update(key, request, self.now)
        ):
            update_key(key, request, self.now)

    def rotate(self, manager, target, grace):
        manager, key = self.key(manager), self.any_key(target)
        if self.is_let(manager, lambda by: by.require_rotation(key, self.now)):
            latest_end = Grantor(manager, PUBLIC, DEFAULT_RATE).latest_end
            ends_at = self.now + timedelta(seconds=grace)
            new, _ = rotate_key(
                key, self.now, ends_at, issuer="x", latest_end=latest_end
            )
            self.keys.append(new)

    def remove(self, target):
        revoke_key(self.key(target), self.now)

    def wait(self, seconds):
        self.now += timedelta(seconds=seconds)


def histories(store, steps):
    """Take the steps one by one; yield the keys before and after each."""
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
    """No sequence gives a scope, a rate or a lifetime beyond those of the first key."""
    for world, _ in histories(store, steps):
        for key in world.keys:
            rate = Rate(key.rate_capacity or 2000, key.rate_refill or 200.0)
            assert not exceeds(rate, OWN_RATE)
            assert key.expires_at <= world.end
            assert not not_grantable(key.scopes, HELD, PUBLIC)
            assert all(any_covers([*HELD, *PUBLIC], each) for each in key.scopes)


@quick
@given(steps=steps)
def test_life_only_shortens(store, steps):
    """No key's end is ever postponed, and expired keys stay expired."""
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
    """
    A replacement has the lineage of its old key, which is its bucket, and nothing more.
    """
    for world, before in histories(store, steps):
        lines = {row.lineage for row in before.values()}
        for key in world.keys:
            if key.id not in before and key.lineage != key.id:
                assert key.lineage in lines
                old = KeyRow.get_by_id(key.lineage)
                assert (key.issuer, key.account_id) == ("x", old.account_id)
                assert key.lifetime_days == old.lifetime_days
