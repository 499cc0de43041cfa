"""The rate limit of a key over HTTP."""

import pytest

from tests.conftest import ROUTES

pytestmark = pytest.mark.both_engines

LIST = ROUTES["GET /platform/v1/keys/list"]


def test_burst(send, issue, refusal):
    """The capacity is the number of requests that a key may burst, and not one more."""
    key = issue("*", rate_capacity=3, rate_refill=0.5)

    answers = [send(LIST, key) for _ in range(4)]

    assert [each.status_code for each in answers] == [200, 200, 200, 429]
    left = [each.headers["RateLimit"] for each in answers]
    assert left == [f'"key";r={r};t={t}' for r, t in [(2, 2), (1, 4), (0, 6), (0, 6)]]
    assert answers[3].headers["Retry-After"] == "2"
    assert "retryAfter" not in refusal(answers[3], "rate-limited")


def test_refill(send, issue, clock):
    """After Retry-After one request is allowed, and not before."""
    key = issue("*", rate_capacity=1, rate_refill=0.5)
    send(LIST, key)

    clock.pass_(seconds=1.999)
    assert send(LIST, key).status_code == 429

    clock.pass_(seconds=0.001)
    assert send(LIST, key).status_code == 200
    assert send(LIST, key).status_code == 429


def test_refused_requests_cost_too(send, issue):
    """Rejected requests count towards the rate too."""
    key = issue("a", rate_capacity=1, rate_refill=1)

    assert send(LIST, key).status_code == 403
    assert send(LIST, key).status_code == 429


def test_keys_do_not_share(send, issue):
    """The burst of one key does not affect another."""
    one, other = (issue("*", rate_capacity=1, rate_refill=1) for _ in range(2))
    send(LIST, one)

    assert send(LIST, other).status_code == 200


def test_half_a_pair(send, issue):
    """Rates that a key does not set come from the settings."""
    some = send(LIST, issue("*", rate_capacity=400))
    none = send(LIST, issue("*"))

    assert some.headers["RateLimit-Policy"] == '"key";q=400;w=2'
    assert none.headers["RateLimit-Policy"] == '"key";q=2000;w=10'
