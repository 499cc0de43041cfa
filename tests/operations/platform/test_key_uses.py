"""Which requests count as a use of a key, over HTTP."""

import hashlib

import pytest

from api.http.application import create_app
from models.platform.key_uses import KeyUses
from models.platform.keys import KeyRow
from tests.operations.platform.test_keys import VERIFY


@pytest.fixture
def uses():
    return KeyUses()


@pytest.fixture
def app(store, settings, clock, uses):
    return create_app(settings, clock=clock, key_uses=uses)


def last_used(key):
    return KeyRow.get(KeyRow.prefix == key[:11]).last_used_at


def test_request(api, issue, uses, clock):
    """Every request with a valid key is a use, even without the scope."""
    used, unused = issue("a"), issue("a")

    api("GET /platform/v1/keys/list", key=used)
    uses.write()

    assert last_used(used) == clock.now
    assert last_used(unused) is None


def test_request_over_the_rate_limit(api, issue, uses, clock):
    """A request over the rate limit is a use of the key as well."""
    key = issue("*", rate_capacity=1, rate_refill=0.1)
    api("GET /platform/v1/keys/list", key=key)
    uses.write()
    clock.pass_(seconds=1)

    response = api("GET /platform/v1/keys/list", key=key)
    uses.write()

    assert response.status_code == 429
    assert last_used(key) == clock.now


def test_request_of_a_revoked_key(api, issue, uses, clock):
    """A request with a revoked key is no use."""
    key = issue("*")
    KeyRow.update(revoked_at=clock.now).where(KeyRow.prefix == key[:11]).execute()

    api("GET /platform/v1/keys/list", key=key)
    uses.write()

    assert last_used(key) is None


def test_use_at_a_gateway(api, issue, uses, clock):
    """The verification of a key by a gateway is a use."""
    key = issue("a")

    api(VERIFY, {"hash": hashlib.sha256(key.encode()).hexdigest()})
    uses.write()

    assert last_used(key) == clock.now
