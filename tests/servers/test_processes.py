"""The processes of one server: killed, restarted, counted and ended together."""

import json
import os
import re
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from urllib.error import HTTPError

import pytest

from tests.commands.conftest import (  # noqa: F401  (fixtures)
    environment,
    environment_in,
    fetch,
    key,
    serving,
    shared_environment,
    shared_key,
    start,
)
from tests.commands.servers.test_serve import SERVICE, shows, until

pytestmark = pytest.mark.sqlite


@pytest.fixture
def temporary_folder(environment, tmp_path):  # noqa: F811
    """The server's folder for temporary files."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    environment["TMPDIR"] = str(folder)
    return folder


@pytest.fixture
def server(start, environment, temporary_folder):  # noqa: F811
    """A server with two processes of the API: its process and its address."""
    environment["MASTHEAD_PROCESSES"] = "2"
    process, address, _ = start()
    until(lambda: shows(f"{address}/status/", "Status"))
    return process, address


@pytest.fixture(scope="module")
def shared(shared_environment, shared_key):  # noqa: F811
    """A server whose parent is never killed, though others of its processes are."""
    settings = {"MASTHEAD_PROCESSES": "2"}
    with serving(shared_environment | settings) as (process, address, _):
        yield process, address


def children(pid):
    """Return the processes that any thread of the process has started."""
    texts = map(text_of, Path("/proc").glob(f"{pid}/task/*/children"))
    return [int(child) for text in texts for child in text.split()]


def text_of(path):
    """Return what the system shows of a process; nothing if it has just ended."""
    with suppress(OSError):
        return path.read_text()
    return ""


def is_running(pid):
    """Return whether a process runs; a killed one may still wait to be reaped."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def metric(address, name):
    """Return the sum of a metric's samples whose name and labels match."""
    text = fetch(f"{address}/metrics")
    values = re.findall(rf"^{name} (\S+)$", text, re.MULTILINE)
    return sum(map(float, values))


def test_killed_processes_are_started_again(server, key):  # noqa: F811
    """
    Each process is killed once: its successor starts within two seconds, acknowledged
    writes are on the page, and the counters continue.
    """
    process, address = server
    fetch(f"{address}/status/v1/admin/services/add", key, SERVICE)
    counted = metric(address, r'masthead_requests_total\{operation="healthz".*')
    for _ in range(4):
        fetch(f"{address}/healthz")

    for child in children(process.pid):
        os.kill(child, signal.SIGKILL)
        until(lambda child=child: not is_running(child))
        until(lambda: len(children(process.pid)) == 4, seconds=2)

    until(lambda: shows(f"{address}/status/", "Quayside API"))
    healthz = r'masthead_requests_total\{operation="healthz".*'
    assert metric(address, healthz) == counted + 4
    starts = r'masthead_process_starts_total\{process="(.*)"\}'
    text = fetch(f"{address}/metrics")
    names = re.findall(rf"^{starts} 2\.0$", text, re.MULTILINE)
    assert sorted(names) == ["api-1", "api-2", "builder", "docs"]
    until(lambda: json.loads(fetch(f"{address}/readyz"))["states"] == [])


def test_processes_in_metrics(shared):
    """/metrics of any process reports each process of the server as running."""
    _, address = shared

    until(lambda: metric(address, r'masthead_process_up\{process="builder"\}') == 1)
    assert metric(address, r'masthead_process_up\{process="api-.*"\}') == 2
    docs = r'\{process="docs"\}'
    until(lambda: metric(address, f"masthead_process_up{docs}") == 1)
    assert metric(address, f"masthead_process_resident_bytes{docs}") > 1_000_000


def process_named(pid, name):
    """Return the server's process with this name, or None if it does not run."""
    for child in children(pid):
        if text_of(Path(f"/proc/{child}/comm")).strip() == f"mh-{name}":
            return child
    return None


def test_incident_does_not_wait_for_documents(shared, shared_key):  # noqa: F811
    """While documents are built for as long as they like, an incident is shown."""
    process, address = shared
    fetch(f"{address}/status/v1/admin/services/add", shared_key, SERVICE)
    until(lambda: shows(f"{address}/status/", SERVICE["name"]))
    docs = process_named(process.pid, "docs")
    os.kill(docs, signal.SIGSTOP)
    try:
        incident = {
            "title": "Cranes stopped",
            "severity": "degraded",
            "body": "Looking.",
        }
        body = incident | {"services": [SERVICE["slug"]]}
        fetch(f"{address}/status/v1/admin/incidents/add", shared_key, body)

        until(lambda: shows(f"{address}/status/", "Cranes stopped"))
        until(lambda: shows(f"{address}/", "Cranes stopped"))
    finally:
        os.kill(docs, signal.SIGCONT)


def test_parent_killed(server, start, key, temporary_folder):  # noqa: F811
    """
    Its processes end with it, it leaves no temporary files, and a new server on the
    port shows everything.
    """
    process, address = server
    fetch(f"{address}/status/v1/admin/services/add", key, SERVICE)
    orphans = children(process.pid)

    process.kill()
    process.wait()
    until(lambda: not any(map(is_running, orphans)))
    assert [*temporary_folder.iterdir()] == []
    port = int(address.rpartition(":")[2])
    _, address, _ = start(port=port)

    until(lambda: shows(f"{address}/status/", "Quayside API"))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_stop(server, number):
    """A signal to the parent ends all processes, and it exits with 0."""
    process, _ = server
    pids = children(process.pid)

    process.send_signal(number)

    assert process.wait(15) == 0
    assert not any(map(is_running, pids))


def test_revocation_is_seen_by_all_processes(shared, shared_key):  # noqa: F811
    """After the response to a revocation, no process accepts the key again."""
    _, address = shared
    body = {"name": "Reader", "scopes": ["status:services:list"]}
    created = fetch(f"{address}/platform/v1/keys/add", shared_key, body)
    issued = json.loads(created)["data"]
    listing = f"{address}/status/v1/services/list"
    # Each connection may go to another process, so each must have seen the key before.
    for _ in range(20):
        fetch(listing, issued["secret"])

    revoke = f"{address}/platform/v1/keys/remove"
    fetch(revoke, shared_key, {"id": issued["id"]}, repeat="two")

    for _ in range(20):
        with pytest.raises(OSError, match="401"):
            fetch(listing, issued["secret"])


def test_rate_holds_over_four_processes(start, environment, key):  # noqa: F811
    """Four processes together let a key have its capacity, and at most 1 % more."""
    environment["MASTHEAD_PROCESSES"] = "4"
    _, address, _ = start()
    capacity = 400
    body = {
        "name": "Few",
        "scopes": ["status:services:list"],
        "rateCapacity": capacity,
        "rateRefill": 0.1,
    }
    created = fetch(f"{address}/platform/v1/keys/add", key, body)
    secret = json.loads(created)["data"]["secret"]

    def api(_):
        try:
            fetch(f"{address}/status/v1/services/list", secret)
        except HTTPError as error:
            return error.code
        return 200

    began = time.monotonic()
    with ThreadPoolExecutor(8) as threads:
        codes = list(threads.map(api, range(capacity + 200)))

    refilled = (time.monotonic() - began) * body["rateRefill"]
    assert capacity <= codes.count(200) <= capacity * 1.01 + refilled
    assert set(codes) == {200, 429}


# Runs a command with a supervisor that gives up at a second death before a start.
IMPATIENT = """
import runpy, sys
from models.runtime import supervisor
supervisor.STARTED_SECONDS, supervisor.MAX_DEATHS = 0.0, 2
sys.argv = sys.argv[2:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def test_processes_report_that_they_have_started(start):  # noqa: F811
    """
    Each process of a server may be killed twice, because it had started each time.
    """
    process, address, _ = start(within=(os.sys.executable, "-c", IMPATIENT))

    for _ in range(2 * len(children(process.pid))):
        until(lambda: process_named(process.pid, "docs"))
        until(lambda: json.loads(fetch(f"{address}/readyz"))["states"] == [])
        before = children(process.pid)
        # Each process in turn, since the next one has a higher number.
        os.kill(min(before), signal.SIGKILL)
        until(lambda before=before: set(children(process.pid)) - set(before))

    until(lambda: json.loads(fetch(f"{address}/readyz"))["states"] == [])


def test_process_that_cannot_start(tmp_path):
    """A process that ends at its start ten times ends the server with a sentence."""
    program = (
        "from models.runtime.commands import CommandError\n"
        "from models.runtime.reports import Reports\n"
        "from models.runtime.supervisor import SupervisedProcess as Process\n"
        "from models.runtime.supervisor import Supervisor\n"
        "import time, models.runtime.supervisor as s\n"
        "s.MAX_PAUSE_SECONDS = 0.01\n"
        "good = Process('good', lambda: time.sleep(60))\n"
        "runs = [good, Process('bad', lambda: 1 / 0)]\n"
        "reports = Reports(['good', 'bad'])\n"
        "try:\n"
        "    Supervisor(runs, reports).run()\n"
        "except CommandError as error:\n"
        "    print(error, reports.states())\n"
    )
    started = time.monotonic()

    ran = subprocess.run(
        [os.sys.executable, "-c", program], capture_output=True, text=True, timeout=30
    )

    assert "The process bad ended 10 times" in ran.stdout
    assert "'good': ProcessState(pid=0, starts=1)" in ran.stdout
    assert "'bad': ProcessState(pid=0, starts=10)" in ran.stdout
    assert time.monotonic() - started < 30


def test_process_that_is_not_required(tmp_path):
    """A process that the server does not require is restarted at growing intervals."""
    program = (
        "from models.runtime.reports import Reports\n"
        "from models.runtime.supervisor import SupervisedProcess as Process\n"
        "from models.runtime.supervisor import Supervisor\n"
        "import os, signal, threading, time, models.runtime.supervisor as s\n"
        "s.FIRST_PAUSE_SECONDS, s.MAX_DEATHS = 0.01, 2\n"
        "def end():\n"
        "    time.sleep(2)\n"
        "    os.kill(os.getppid(), signal.SIGTERM)\n"
        "runs = [Process('good', end), Process('bad', lambda: 1 / 0, False)]\n"
        "reports = Reports(['good', 'bad'])\n"
        "Supervisor(runs, reports).run()\n"
        "print(reports.states())\n"
    )

    ran = subprocess.run(
        [os.sys.executable, "-c", program], capture_output=True, text=True, timeout=30
    )

    (starts,) = re.findall(r"'bad': ProcessState\(pid=0, starts=(\d+)", ran.stdout)
    assert 4 <= int(starts) <= 9
