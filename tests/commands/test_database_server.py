"""The server of the database goes away under a running service, and comes back."""

import json
import urllib.error

import pytest

from tests.commands.conftest import fetch
from tests.commands.test_serve import shows, until

pytestmark = pytest.mark.postgresql

ADD = "/status/v1/admin/services/add"
STATE = "database-unreachable"


@pytest.fixture
def service(start, key):
    """Its address, and its site with one service on it."""
    _, address, _ = start()
    fetch(f"{address}{ADD}", key, {"slug": "api", "name": "First"})
    until(lambda: shows(f"{address}/status/", "First"))
    return address


def refused(*asked, **more):
    """Return the status of a refusal, and what it says."""
    with pytest.raises(urllib.error.HTTPError) as caught:
        fetch(*asked, **more)
    with caught.value as error:
        return error.code, json.loads(error.read())


def test_stopped(service, key, keeping):
    """The site stays, writes are refused by name; then all goes on by itself."""
    more = {"slug": "mail", "name": "Second"}

    with keeping.stopped():
        code, told = refused(f"{service}{ADD}", key, more, repeat="two")
        ready = refused(f"{service}/readyz")
        assert shows(f"{service}/status/", "First")
        assert "ok" in fetch(f"{service}/healthz")

    assert (code, told["state"]) == (503, STATE)
    assert (ready[0], ready[1]["states"]) == (503, [STATE])
    fetch(f"{service}{ADD}", key, more, repeat="two")
    until(lambda: shows(f"{service}/status/", "Second"))
    until(lambda: json.loads(fetch(f"{service}/readyz"))["states"] == [])


def test_started_anew(service, key, keeping):
    """A server that was only started anew costs nobody a refusal."""
    with keeping.stopped():
        pass

    fetch(f"{service}{ADD}", key, {"slug": "mail", "name": "Second"}, repeat="two")

    until(lambda: shows(f"{service}/status/", "Second"))
