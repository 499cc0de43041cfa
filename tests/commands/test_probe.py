"""The probe as users run it, against a real server that stops and restarts."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from threading import Thread

import pytest

from models.base import epoch_ms
from models.fields import parse_moment
from tests.commands.conftest import ROOT, bootstrapped, fetch
from tests.ports import free_port

ADD = "/status/v1/admin/services/add"


@pytest.fixture
def port():
    """A port that accepts connections."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def accept():
            while True:
                try:
                    listener.accept()[0].close()
                except OSError:
                    return

        thread = Thread(target=accept)
        thread.start()
        yield listener.getsockname()[1]
        listener.shutdown(socket.SHUT_RDWR)
        thread.join()


@pytest.fixture
def stem(request):
    """The prefix of this test's slugs, because its server has those of others."""
    return request.node.name.replace("_", "-")


@pytest.fixture
def plan(tmp_path, port, stem):
    """Write a probe's configuration with targets that are up, and one that is down."""

    def written(api, up=1, down=0, **top):
        config = {"interval_seconds": 1, "retries": 0, **top}
        lines = [f'api = "{api}"', 'source = "here"']
        lines += [f"{name} = {value}" for name, value in config.items()]
        for number, where in enumerate([port] * up + [1] * down):
            lines += ["[[targets]]", f'service = "{stem}-{number}"', 'kind = "tcp"']
            lines += ['host = "127.0.0.1"', f"port = {where}"]
        file = tmp_path / "probe.toml"
        file.write_text("\n".join(lines))
        return file

    return written


@pytest.fixture
def probe(shared_key, tmp_path):
    """Start the probe; its log goes to `probe.log`."""
    started = []

    def run(*words, key=shared_key):
        result = {"MASTHEAD_PROBE_KEY": key, "MASTHEAD_LOG_LEVEL": "debug"}
        with (tmp_path / "probe.log").open("a") as log:
            made = subprocess.Popen(
                [sys.executable, "app.py", "probe", *map(str, words)],
                cwd=ROOT,
                env=os.environ | result,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        started.append(made)
        return made

    yield run
    for each in started:
        each.kill()
        each.communicate()


@pytest.fixture
def address(shared_server):
    _, address = shared_server
    return address


@pytest.fixture
def add(address, shared_key, stem):
    """Add services of these numbers to the shared server."""
    return lambda *numbers: add_services(address, shared_key, stem, numbers)


def add_services(address, key, stem, numbers):
    for slug in (f"{stem}-{number}" for number in numbers):
        body = {"slug": slug, "name": slug, "description": "x"}
        fetch(address + ADD, key, body, repeat=slug)


@pytest.fixture
def rows(engine, shared_environment, stem):
    """Return the service and time of each sample of this test in a database."""

    def found(environment=shared_environment):
        with engine.elsewhere(environment["MASTHEAD_DATABASE"]) as other:
            query = "SELECT slug, observed_at FROM measurement JOIN service ON number"
            rows = [*other.execute(query + " = service_id")]
        return {(slug, at) for slug, at in rows if slug.rpartition("-")[0] == stem}

    return found


def measured(folder):
    """Return the measurements in the log."""
    log = (folder / "probe.log").read_text()
    found = re.findall(r"event=measured service=(\S+) status=\w+ at=(\S+)", log)
    return {(slug, epoch_ms(parse_moment(at))) for slug, at in found}


def wait_for(what, seconds=30):
    until = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < until
        time.sleep(0.05)


def spooled(folder):
    path = folder / "probe-spool.jsonl"
    return len(path.read_bytes().splitlines()) if path.exists() else 0


def test_no_sample_is_lost(environment, start, probe, plan, stem, tmp_path, rows):
    """
    Server and probe are killed and restarted: each logged sample is in the database.
    """
    port, key = free_port(), bootstrapped(environment)
    server, address, _ = start(port=port)
    add_services(address, key, stem, range(6))
    file = plan(address, up=6)
    first = probe(file, key=key)
    wait_for(lambda: len(rows(environment)) >= 2)

    server.kill()
    wait_for(lambda: spooled(tmp_path) >= 6)
    first.kill()
    first.wait()
    second = probe(file, key=key)
    wait_for(lambda: spooled(tmp_path) >= 12)
    start(port=port)
    wait_for(lambda: not spooled(tmp_path))
    second.send_signal(signal.SIGTERM)

    assert second.wait(60) == 0
    assert "event=not-sent" in (tmp_path / "probe.log").read_text()
    assert not measured(tmp_path) - rows(environment)


def test_service_that_is_added_later(address, add, probe, plan, stem, tmp_path, rows):
    """The other services lose no sample, and the unknown service is reported once."""
    add(0)
    file = plan(address, up=2)
    result = tmp_path / "probe.log"
    running = probe(file)
    wait_for(lambda: len(rows()) >= 2)

    add(1)
    wait_for(lambda: f"event=known-service service={stem}-1" in result.read_text())
    running.send_signal(signal.SIGTERM)

    assert running.wait(60) == 0
    assert result.read_text().count(f"event=unknown-service service={stem}-1") == 1
    ours = {each for each in measured(tmp_path) if each[0] == f"{stem}-0"}
    assert ours
    assert not ours - rows()


def test_once(address, add, probe, plan, stem, rows):
    """
    One round is printed as a table and sent to the API; a failed service makes the exit
    1.
    """
    add(0, 1)

    fine = probe(plan(address), "--once")
    table, _ = fine.communicate(timeout=60)
    down = probe(plan(address, down=1), "--once", "--json")
    data = json.loads(down.communicate(timeout=60)[0])

    shown = rf"SERVICE +STATUS +MS +WHY\n{stem}-0 +operational +\d+\nsent 1, "
    assert re.match(shown, table)
    assert (fine.returncode, down.returncode) == (0, 1)
    assert [each["status"] for each in data["measurements"]] == ["operational", "down"]
    assert data["measurements"][1]["why"] == "connection refused"
    assert (data["sent"], data["waiting"], len(rows())) == (2, 0, 3)


def test_once_for_unknown_services(address, add, probe, plan, stem, tmp_path):
    """A service that the API does not know is named, and the exit is 1."""
    add(0)

    shown = probe(plan(address, up=2), "--once")
    table, _ = shown.communicate(timeout=60)
    read = probe(plan(address, up=2), "--once", "--json")
    data = json.loads(read.communicate(timeout=60)[0])

    assert re.search(rf"^{stem}-0 +operational +\d+$", table, re.M)
    unknown = rf"^{stem}-1 +operational +\d+  the API knows no such"
    assert re.search(unknown, table, re.M)
    assert table.endswith("\nsent 1, waiting 0, refused 0, unknown 1\n")
    assert (shown.returncode, read.returncode) == (1, 1)
    assert (data["sent"], data["unknown"]) == (1, 1)
    assert data["unknownServices"] == [f"{stem}-1"]
    log = (tmp_path / "probe.log").read_text()
    assert log.count(f"event=unknown-service service={stem}-1") == 2


def test_once_for_an_unknown_service_of_before(address, add, probe, plan, stem):
    """A service in a stored sample of an earlier round is named too."""
    probe(plan("http://127.0.0.1:1", up=2), "--once").wait(60)
    add(0)

    found = probe(plan(address), "--once")
    table, _ = found.communicate(timeout=60)

    unknown = rf"^{stem}-1 +- +-  the API knows no such service"
    assert re.search(unknown, table, re.M)
    assert table.endswith("\nsent 2, waiting 0, refused 0, unknown 1\n")
    assert found.returncode == 1


def test_once_without_the_api(probe, plan, tmp_path):
    """
    A round that cannot be sent is stored for the next one, and the exit code says so.
    """
    found = probe(plan("http://127.0.0.1:1"), "--once")

    assert "sent 0, waiting 1, refused 0" in found.communicate(timeout=60)[0]
    assert found.returncode == 1
    assert spooled(tmp_path) == 1


def test_mistakes(command, plan, monkeypatch):
    """A wrong configuration is a sentence and exit 2, before anything is measured."""
    file = plan("http://127.0.0.1:1")
    monkeypatch.setenv("MASTHEAD_PROBE_KEY", "mh_cut")

    assert command("probe", file)[::2] == (
        2,
        "masthead: The probe's key is not a valid Masthead key: it is truncated or"
        " mistyped.\n",
    )
    assert command("probe", file, "--json")[0] == 2
    assert "cannot be read" in command("probe", "nowhere.toml")[2]
