"""The server of the database goes away under a running service, and comes back."""

import json
import urllib.error

import pytest

from tests.commands.conftest import fetch
from tests.commands.servers.test_serve import shows, until

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


def test_password_is_nowhere(environment, start, key, tmp_path):
    """It is in no line of the log, in no metric and in no file of the site."""
    address = environment["MASTHEAD_DATABASE"]
    environment["MASTHEAD_DATABASE"] = address.replace("postgres@", "postgres:hush-me@")
    environment["MASTHEAD_LOG_LEVEL"] = "debug"
    log = tmp_path / "log"
    _, service, _ = start(log=log)
    fetch(f"{service}{ADD}", key, {"slug": "api", "name": "First"})
    until(lambda: shows(f"{service}/status/", "First"))

    metrics = fetch(f"{service}/metrics")

    assert "hush-me" not in metrics + log.read_text()
    files = [each for each in (tmp_path / "output").rglob("*") if each.is_file()]
    assert files
    assert not [each for each in files if b"hush-me" in each.read_bytes()]
