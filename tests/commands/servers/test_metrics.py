"""What a running server tells Prometheus, and writes into its log."""

import re
import subprocess
import sys

from prometheus_client.parser import text_string_to_metric_families

from tests.commands.conftest import ROOT, fetch
from tests.commands.servers.test_serve import until


def told(address):
    families = text_string_to_metric_families(fetch(f"{address}/metrics"))
    samples = [each for family in families for each in family.samples]
    return {(each.name, *each.labels.values()): each.value for each in samples}


def test_running_server(start):
    """The builder's first build and the clock's jobs are told, and the process."""
    _, address, _ = start()
    name = "masthead_job_last_success_timestamp_seconds"
    jobs = {(name, job) for job in ("uses", "tidy", "bodies")}

    until(lambda: ("masthead_build_last_duration_seconds",) in told(address))
    until(lambda: jobs <= {*told(address)})

    found = told(address)
    assert found["masthead_builds_total", "broken"] == 0
    assert found["masthead_pages_failed",] == 0
    assert found["process_resident_memory_bytes",] > 1_000_000


def test_backup_is_told(start, environment, tmp_path):
    """When the last backup was written is told, though another process wrote it."""
    _, address, _ = start()
    assert ("masthead_backup_last_timestamp_seconds",) not in told(address)

    words = [sys.executable, "app.py", "backup", str(tmp_path / "copy.db")]
    subprocess.run(words, cwd=ROOT, env=environment, check=True, capture_output=True)

    found = told(address)
    at = found["masthead_backup_last_timestamp_seconds",]
    assert found["process_start_time_seconds",] < at + 1


def test_log_of_a_server(environment, tmp_path, start):
    """Requests, builds and jobs are lines of key=value, each on one line."""
    log = tmp_path / "log"
    _, address, _ = start(log=log)
    fetch(f"{address}/healthz")
    line = re.compile(r'time=\S+Z level=\w+ logger=\S+( \w+=([!-~]+|".*"))+')

    until(lambda: "operation=healthz" in log.read_text())
    until(lambda: "build=done" in log.read_text())
    until(lambda: "logger=masthead.jobs job=tidy" in log.read_text())

    for each in log.read_text().splitlines():
        assert line.fullmatch(each), each
