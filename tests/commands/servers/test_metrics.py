"""The metrics and the log of a running server."""

import re
import subprocess
import sys

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.commands.conftest import ROOT, fetch, serving
from tests.commands.servers.test_serve import until


def read_metrics(address):
    families = text_string_to_metric_families(fetch(f"{address}/metrics"))
    samples = [each for family in families for each in family.samples]
    return {(each.name, *each.labels.values()): each.value for each in samples}


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    """The log of the server."""
    return tmp_path_factory.mktemp("log") / "log"


@pytest.fixture(scope="module")
def address(shared_environment, log):
    with serving(shared_environment, log=log) as (_, address, _):
        yield address


def test_running_server(address):
    """The builder's first build, the scheduled jobs and the process are reported."""
    name = "masthead_job_last_success_timestamp_seconds"
    jobs = {(name, job) for job in ("uses", "tidy", "bodies")}

    until(lambda: ("masthead_build_last_duration_seconds",) in read_metrics(address))
    until(lambda: jobs <= {*read_metrics(address)})

    found = read_metrics(address)
    assert found["masthead_builds_total", "broken"] == 0
    assert found["masthead_pages_failed",] == 0
    assert found["process_resident_memory_bytes",] > 1_000_000


def test_backup_is_told(address, shared_environment, tmp_path):
    """The time of the last backup is reported, though another process wrote it."""
    assert ("masthead_backup_last_timestamp_seconds",) not in read_metrics(address)

    words = [sys.executable, "app.py", "backup", str(tmp_path / "copy.db")]
    subprocess.run(
        words, cwd=ROOT, env=shared_environment, check=True, capture_output=True
    )

    found = read_metrics(address)
    at = found["masthead_backup_last_timestamp_seconds",]
    assert found["process_start_time_seconds",] < at + 1


def test_log_of_a_server(address, log):
    """Requests, builds and jobs are lines of key=value, each on one line."""
    fetch(f"{address}/healthz")
    line = re.compile(r'time=\S+Z level=\w+ logger=\S+( \w+=([!-~]+|".*"))+')

    until(lambda: "operation=healthz" in log.read_text())
    until(lambda: "build=done" in log.read_text())
    until(lambda: "logger=masthead.jobs job=tidy" in log.read_text())

    for each in log.read_text().splitlines():
        assert line.fullmatch(each), each
