"""Wrong keys: how many an address may send, and which callers are not affected."""

import pytest

from api.http.clients import client_networks
from api.http.dispatch import WRONG_KEY_RATE
from models.platform.secrets import generate_secret
from tests.conftest import ROUTES

LIST = ROUTES["GET /platform/v1/keys/list"]


@pytest.fixture
def guess(send):
    """Send a wrong key from an address."""

    def guessed(address="192.0.2.1", key=None):
        key = key or generate_secret().text
        return send(LIST, key, environ_overrides={"REMOTE_ADDR": address})

    return guessed


@pytest.mark.parametrize("key", [None, "mistyped"])
def test_wrong_keys(key, guess, clock, refusal):
    """
    Beyond the rate, a wrong key gets 429 with Retry-After, and may be tried again then.
    """
    burst = [guess(key=key).status_code for _ in range(WRONG_KEY_RATE.capacity)]

    beyond = guess(key=key)

    assert set(burst) == {401}
    assert beyond.status_code == 429
    refusal(beyond, "rate-limited")
    clock.pass_(seconds=int(beyond.headers["Retry-After"]))
    assert guess(key=key).status_code == 401
    assert guess(key=key).status_code == 429


def test_right_key_from_the_same_address(guess, issue):
    """A valid key behind the same address as an attacker is not rejected."""
    key = issue("*")
    while guess().status_code == 401:
        pass

    responses = [guess(key=key) for _ in range(2 * WRONG_KEY_RATE.capacity)]

    assert {response.status_code for response in responses} == {200}
    assert guess("192.0.2.2").status_code == 401


def test_keys_that_are_over(guess, issue, clock):
    """
    An expired key is no guess: it is rejected as expired, however often it is sent.
    """
    key = issue("*", expires_in_days=1)
    clock.pass_(days=1)

    statuses = {guess(key=key).status_code for _ in range(WRONG_KEY_RATE.capacity + 1)}

    assert statuses == {401}


@pytest.mark.parametrize(
    ("address", "other", "is_same"),
    [
        ("192.0.2.1", "192.0.2.2", False),
        ("2001:db8::1", "2001:db8::ffff:ffff:ffff:ffff", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("::ffff:192.0.2.1", "192.0.2.1", True),
        ("::ffff:192.0.2.1", "::ffff:192.0.2.2", False),
        ("fe80::1%eth0", "fe80::2%eth0", True),
        ("", "unix:", True),
    ],
)
def test_network_of_a_client(address, other, is_same):
    """
    A client is an IPv4 address or an IPv6 /64; those without an address are one client.
    """
    assert (client_networks(address)[0] == client_networks(other)[0]) == is_same
