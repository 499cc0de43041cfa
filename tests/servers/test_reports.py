"""What the processes of a server report and count, in memory without a file."""

import os
import signal

import pytest

from api.http.metrics import RequestCounts
from models.runtime import reports as runtime_reports
from models.runtime.faults import Fault
from models.runtime.reports import (
    BuildProgress,
    ProcessState,
    Report,
    Reports,
    combined,
)
from tests.conftest import NOON

FAULT = Fault("pages-failed", "guides/x failed: no such file")


@pytest.fixture
def reports():
    return Reports(["api-1"])


@pytest.fixture
def counts():
    return RequestCounts(["api-1", "api-2"])


@pytest.fixture
def in_child():
    """Run a function in a forked process, which is killed at its end."""

    def run(function):
        if (pid := os.fork()) == 0:
            try:
                function()
            finally:
                os.kill(os.getpid(), signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        assert os.waitstatus_to_exitcode(status) == -signal.SIGKILL
        return pid

    return run


def samples(counts):
    """Return what was counted, by the name and the labels of each sample."""
    return {
        (sample.name, *sample.labels.values()): sample.value
        for metric in counts.collect()
        for sample in metric.samples
    }


def test_report_of_a_process_that_was_killed(reports, in_child):
    """Every process reads the whole of the last report, also of one that has died."""
    progress = BuildProgress(started_at=NOON, done=3, last_at=NOON, last_seconds=0.5)
    report = Report(has_started=True, build=progress, faults=[FAULT] * 3000)

    pid = in_child(lambda: reports.write("builder", report))

    found = reports.last("builder")
    assert (found.pid, found.has_started) == (pid, True)
    assert found.build == progress
    assert found.faults == [FAULT] * 3000


def test_shorter_report(reports):
    """Nothing of a longer report remains."""
    reports.write("docs", Report(faults=[FAULT]))

    reports.write("docs", Report())

    assert reports.last("docs").faults == []


def test_report_that_was_cut_off(reports, monkeypatch):
    """A report whose writer died while writing it is the same as none."""
    monkeypatch.setattr(os, "ftruncate", lambda *_: None)
    reports.write("docs", Report(has_started=True, faults=[FAULT]))

    reports.write("docs", Report(has_started=True))

    assert reports.last("docs") == Report()


def test_builder_that_is_silent(reports, monkeypatch):
    """A builder that has not reported for longer than its limit leaves a fault."""
    reports.write("docs", Report())
    assert reports.faults() == []

    monkeypatch.setattr(runtime_reports, "MAX_SILENCE_SECONDS", -1.0)

    (fault,) = reports.faults()
    assert fault.state == "site-behind"
    assert fault.detail.startswith("The process docs has not reported for 0")


def test_leader_that_is_silent(reports, monkeypatch):
    """Who leads is unknown once the builder has not reported for some seconds."""
    reports.write("builder", Report(is_leader=True, is_decided=True))
    assert reports.leadership().is_leader

    monkeypatch.setattr(runtime_reports, "MAX_LEADER_SILENCE_SECONDS", -1.0)

    assert not reports.leadership().is_leader


def test_process_that_is_down(reports):
    """A process that was started and does not run is a fault, each fault once."""
    reports.write("builder", Report(faults=[FAULT]))
    reports.write("docs", Report(faults=[FAULT]))
    reports.write_states({"docs": ProcessState(0, 2), "api-1": ProcessState(0, 0)})

    down = Fault("process-down", "The process docs died and is restarting.")
    assert reports.faults() == [FAULT, down]


def test_process_that_was_restarted(reports):
    """A process that died is a fault until its successor does its work."""

    def faults(starts):
        reports.write_states({"docs": ProcessState(os.getpid(), starts)})
        return [fault.state for fault in reports.faults()]

    assert (faults(starts=1), faults(starts=2)) == ([], ["process-down"])

    reports.write("docs", Report())
    assert faults(starts=2) == ["process-down"]

    reports.write("docs", Report(has_started=True))
    assert (faults(starts=2), faults(starts=3)) == ([], [])


def test_site_that_another_server_builds(reports):
    """Documents are current if both builders say so, the status page if one does."""
    reports.write("builder", Report(is_output_current=True))

    assert reports.is_current("status")
    assert not reports.is_current("docs")


def test_progress_together():
    """Runs add up, the oldest request counts, and the last run is the later one."""
    early, late = NOON, NOON.replace(hour=13)
    one = BuildProgress(late, None, 2, 1, late, 4.0)
    other = BuildProgress(late, early, 1, 0, early, 9.0)

    assert combined([one, other]) == BuildProgress(early, None, 3, 1, late, 4.0)
    assert combined([one, BuildProgress()]).last_seconds == 4.0


def test_counts_of_all_processes(counts, in_child):
    """The counts of all processes add up, and of a job's times the latest is shown."""

    def count(process, status, job_at):
        own = counts.open(process)
        own.record_response("healthz", status, 0.5)
        own.record_job("uses", job_at)

    in_child(lambda: count("api-2", 200, NOON))
    in_child(lambda: count("api-1", 503, NOON.replace(hour=11)))

    found = samples(counts)
    assert found["masthead_requests_total", "healthz", "200"] == 1
    assert found["masthead_requests_total", "healthz", "503"] == 1
    name = "masthead_request_duration_seconds"
    assert found[f"{name}_count", "healthz"] == 2
    assert found[f"{name}_sum", "healthz"] == 1.0
    assert found[f"{name}_bucket", "healthz", "0.25"] == 0
    assert found[f"{name}_bucket", "healthz", "0.5"] == 2
    job = "masthead_job_last_success_timestamp_seconds"
    assert found[job, "uses"] == NOON.timestamp()


def test_counts_of_a_process_that_was_killed(counts, in_child):
    """A process that is started again continues the numbers of the one that died."""
    in_child(lambda: counts.open("api-1").record_refusal("not-found"))

    counts.open("api-1").record_refusal("not-found")

    assert samples(counts)["masthead_refusals_total", "not-found"] == 2


def test_many_counts(counts):
    """There is room for as many operations as there are."""
    own = counts.open("api-1")

    for number in range(2000):
        own.record_response(f"platform:keys:{number}", 200, 0.1)

    found = samples(counts)
    assert found["masthead_requests_total", "platform:keys:1999", "200"] == 1
    assert found["masthead_requests_total", "platform:keys:0", "200"] == 1
