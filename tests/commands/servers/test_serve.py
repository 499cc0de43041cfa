"""The server as a process: started, called, stopped, killed, restarted."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from urllib.error import HTTPError
from urllib.parse import urlsplit

import pytest

from models.storage.database import database_exists
from tests.commands.conftest import ROOT, fetch
from tests.ports import free_port

# Generous for slow machines: what these tests wait for takes a second or two.
SECONDS = 120


def until(condition, seconds=SECONDS):
    """Wait until the condition holds, and return how long that took."""
    began = time.monotonic()
    while not condition():
        assert time.monotonic() - began < seconds, "It never came true."
        time.sleep(0.02)
    return time.monotonic() - began


def shows(address, words):
    try:
        return words in fetch(address)
    except OSError:
        return False


SERVICE = {"slug": "api", "name": "Quayside API"}


def test_write_becomes_a_page(start, key):
    """
    An acknowledged write is on the page soon after; SIGTERM stops the server cleanly.
    """
    process, address, _ = start()

    fetch(f"{address}/status/v1/admin/services/add", key, SERVICE)

    until(lambda: shows(f"{address}/status/", "Quayside API"))
    assert json.loads(fetch(f"{address}/readyz"))["status"] == "ready"
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 0


@pytest.mark.both_engines
def test_import_beside_a_running_server(start, environment, tmp_path):
    """
    What a command imports into the database of a running server is on the site soon.

    The builder checks for changes every 15 seconds from its start.
    """
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree/tides.md").write_text("# Tides\n\nTwice a day.\n")
    docs = ["docs", "import", tmp_path / "tree", "--collection", "guides", "--publish"]
    status = ["status", "import", "tests/elsewhere/cstate"]
    _, address, _ = start()

    for words in (docs, status):
        command = [sys.executable, "app.py", *words]
        subprocess.run(command, cwd=ROOT, env=environment, capture_output=True)
        page = "/guides/tides/" if words is docs else "/status/services/shop/"
        until(lambda page=page: shows(address + page, "<h1"), 8)


def test_site_below_a_path(start, key, environment):
    """The printed address is that of the site; the API is at the root of the host."""
    environment["MASTHEAD_SITE_URL"] = "https://example.com/docs/v2/"
    _, address, _ = start()
    host = address.removesuffix("/docs/v2")

    fetch(f"{host}/status/v1/admin/services/add", key, SERVICE)

    assert address == f"{host}/docs/v2"
    until(lambda: shows(f"{address}/status/", "Quayside API"))
    page = fetch(f"{address}/status/services/api/")
    assert 'href="/docs/v2/status/"' in page
    assert 'href="https://example.com/docs/v2/status/services/api/"' in page
    assert json.loads(fetch(f"{host}/readyz"))["status"] == "ready"


def test_hints_for_an_empty_site(start, key):
    """What is missing on the site is printed on the terminal, and only there."""
    process, address, _ = start()
    hints = [process.stdout.readline() for _ in range(2)]
    fetch(f"{address}/status/v1/admin/services/add", key, SERVICE)
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 0

    process, _, _ = start()
    hint = process.stdout.readline()
    process.send_signal(signal.SIGTERM)

    assert ["docs import" in line for line in hints] == [True, False]
    assert "/status/v1/admin/services/add" in hints[1]
    assert (hint, process.stdout.read()) == (hints[0], "")


def test_killed_between_answer_and_build(start, key):
    """After SIGKILL and a restart, the page shows the acknowledged writes."""
    process, address, _ = start()
    fetch(f"{address}/status/v1/admin/services/add", key, SERVICE)
    process.kill()
    process.wait()

    _, address, _ = start()

    until(lambda: shows(f"{address}/status/", "Quayside API"))


def test_port_in_use(environment):
    """A port in use is named in a sentence, and nothing is created."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        words = [sys.executable, "app.py", "serve", "--port", str(port)]

        ran = subprocess.run(
            words, cwd=ROOT, env=environment, capture_output=True, text=True
        )

    assert ran.returncode == 2
    assert ran.stderr == (
        f"masthead: Cannot listen on 127.0.0.1:{port}: Address already in use."
        " Stop what listens there, or choose another port with --port.\n"
    )
    assert not database_exists(environment["MASTHEAD_DATABASE"])


def test_address_of_another_machine(environment):
    """An address that is not this machine's is named, with the option to change."""
    words = [sys.executable, "app.py", "serve", "--host", "192.0.2.1"]

    ran = subprocess.run(
        words, cwd=ROOT, env=environment, capture_output=True, text=True
    )

    assert ran.returncode == 2
    assert ran.stderr == (
        "masthead: Cannot listen on 192.0.2.1:8000: Cannot assign requested address."
        " Choose an address of this machine with --host.\n"
    )


@pytest.mark.sqlite
def test_database_that_is_read_only(environment, tmp_path):
    """A server that must write at its start reports the database and the reason."""
    words = [sys.executable, "app.py", "migrate"]
    subprocess.run(words, cwd=ROOT, env=environment, check=True, capture_output=True)
    for path in tmp_path.glob("masthead.db*"):
        path.chmod(0o444)
    words[2:] = ["serve", "--port", str(free_port())]
    # With this capability, root may write to any file.
    as_user = ["setpriv", "--inh-caps=-all", "--bounding-set=-all"]

    ran = subprocess.run(
        [*(as_user if os.getuid() == 0 else []), *words],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )

    assert ran.returncode == 2
    assert ran.stderr.splitlines()[-1] == (
        f"masthead: The database {tmp_path / 'masthead.db'} cannot be used:"
        " attempt to write a readonly database."
    )
    assert "Traceback" not in ran.stderr


def test_output_that_cannot_be_written(environment, tmp_path):
    """The server does not start, with the reason in a sentence."""
    (tmp_path / "file").write_text("")
    environment["MASTHEAD_OUTPUT"] = str(tmp_path / "file/output")
    words = [sys.executable, "app.py", "serve", "--port", str(free_port())]

    ran = subprocess.run(
        words, cwd=ROOT, env=environment, capture_output=True, text=True
    )

    assert ran.returncode == 2
    assert "cannot be written" in ran.stderr
    assert "Traceback" not in ran.stderr


def test_templates_that_are_nowhere(environment):
    """The server does not start, and names the folder once."""
    environment["MASTHEAD_TEMPLATES"] = "nowhere"
    words = [sys.executable, "app.py", "serve", "--port", str(free_port())]

    ran = subprocess.run(
        words, cwd=ROOT, env=environment, capture_output=True, text=True
    )

    assert ran.returncode == 2
    assert ran.stderr == "masthead: MASTHEAD_TEMPLATES: there is no folder nowhere.\n"


def test_ready(start, key):
    """When the server says that it listens, every page exists, even of a new site."""
    _, address, _ = start()

    assert "Status" in fetch(f"{address}/status/")
    assert address in fetch(f"{address}/sitemap.xml")
    assert "operations" in fetch(f"{address}/reference/")


def test_ready_at_another_address(start, key):
    """A site with links to its former address is rebuilt first."""
    process, _, _ = start()
    process.kill()
    process.wait()

    _, address, _ = start()

    assert address in fetch(f"{address}/sitemap.xml")
    assert address in fetch(f"{address}/status/feed.atom")


def test_site_that_stands(start, key):
    """
    With an existing site it responds at once, and so does the next server at that
    address.
    """
    process, address, _ = start()
    process.kill()
    process.wait()

    _, address, _ = start(port=urlsplit(address).port)

    assert "Status" in fetch(f"{address}/status/")


def test_address_follows_the_port(start, environment, key):
    """Links, feeds and problems have the port, also in later builds."""
    process, address, _ = start()
    feed = fetch(f"{address}/status/feed.atom")
    with pytest.raises(HTTPError) as refused:
        fetch(f"{address}/status/v1/services/list")
    problem = json.loads(refused.value.read())
    process.send_signal(signal.SIGTERM)
    process.wait(60)

    built = [
        subprocess.run(
            [sys.executable, "app.py", "build", *more],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
        ).stdout
        for more in ([], ["--full"])
    ]

    assert f'href="{address}/status/"' in feed
    assert problem["type"].startswith(f"{address}/problems/")
    assert all(report.startswith("written 0, ") for report in built)


def test_demo(start):
    """
    The demo has a status page, a document and the OpenAPI document, also when
    restarted.
    """
    process, address, result = start("demo")
    key = re.search(r"mh_\w+", result)[0]

    assert f"site     {address}/\n" in result
    assert "Object storage" in fetch(f"{address}/status/")
    assert "Masthead" in fetch(f"{address}/guides/basics/quick-start/")
    listed = json.loads(fetch(f"{address}/status/v1/services/list", key))["data"]
    assert listed["overall"] == "degraded"
    assert listed["stale"] is False
    assert "openapi" in json.loads(fetch(f"{address}/openapi.json"))
    process.kill()
    process.wait()
    assert "Object storage" in fetch(f"{start('demo')[1]}/status/")
