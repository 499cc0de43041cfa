"""Counters are made by another process while this one makes all other pages."""

from datetime import timedelta

import pytest

from models.changes import mark
from models.status.measurements.measurements import (
    StatusRecordMeasurements,
    record_measurements,
)
from models.status.services.catalogue import StatusAddService, add_service
from models.storage.database import writing
from sitegen.builder import build as building
from sitegen.builder import work_split
from sitegen.builder.work_split import WorkerProcess, WorkSplit
from sitegen.status import counters
from tests.pages.builder.test_build import files_in
from tests.pages.builder.test_work_split import wait_for

KEPT = timedelta(days=100)
HOUR = timedelta(hours=1)
SLUGS = [f"s{number}" for number in range(9)]


def record(now, slug, *hours_ago):
    samples = [
        {"slug": slug, "status": "operational", "observed_at": now - hours * HOUR}
        for hours in hours_ago
    ]
    asked = StatusRecordMeasurements(source="probe", measurements=samples)
    with writing():
        record_measurements(asked, now, retention=KEPT)
        mark("status")


@pytest.fixture
def services(store, clock):
    """Services, each with hours that are over."""
    for slug in SLUGS:
        with writing():
            add_service(StatusAddService(slug=slug, name=slug), clock.now - KEPT)
        record(clock.now, slug, 30, 3, 2)


@pytest.fixture
def shared(services, monkeypatch):
    """So few services are many, and the other process is always the first."""
    for name, number in {"PART_SIZE": 2, "MAX_PART_SIZE": 5, "MIN_SHARED": 4}.items():
        monkeypatch.setattr(work_split, name, number)
    start = WorkSplit.start

    def started(work_split, *arguments):
        start(work_split, *arguments)
        wait_for(work_split)

    monkeypatch.setattr(WorkSplit, "start", started)


@pytest.fixture
def made_here(monkeypatch):
    """The services whose counters this process makes itself."""
    found, told = [], counters._json

    def noted(slug, *facts):
        found.append(slug)
        return told(slug, *facts)

    monkeypatch.setattr(counters, "_json", noted)
    return found


def alone(build_site, folder, areas=("status",)):
    """What one process makes of the same."""
    with pytest.MonkeyPatch.context() as without:
        without.setattr(work_split, "MIN_SHARED", 10**6)
        build_site(areas, output=folder)
    return files_in(folder)


def test_same_bytes(shared, build_site, output, tmp_path, made_here):
    """Who made a file is not to be seen; here no more than the last part is made."""
    report = build_site(["status"])

    assert len(made_here) < work_split.PART_SIZE
    assert {f"status/data/{slug}.csv" for slug in SLUGS} < set(report.written)
    assert files_in(output) == alone(build_site, tmp_path / "alone")


def test_beside_documents(
    shared, shelf, build_site, output, tmp_path, made_here, monkeypatch
):
    """One other process makes both, a long row of documents and the counters."""
    monkeypatch.setattr(building, "LONG_BUILD", 1)
    monkeypatch.setattr(
        building.Build,
        "_compute_costly_lists",
        lambda build, _: wait_for(build.work_split),
    )
    for number in range(9):
        shelf.publish(f"page-{number}")

    build_site()

    assert len(made_here) < work_split.PART_SIZE
    assert files_in(output) == alone(build_site, tmp_path / "alone", ["docs", "status"])


def test_nothing_new(shared, build_site, made_here):
    """Made again and found equal, a file stays and nobody is told that it changed."""
    build_site(["status"])

    report = build_site(["status"], full=True)

    assert (report.written, len(made_here)) == ([], 2)


def test_few_lack(shared, build_site, clock, made_here, monkeypatch):
    """For the files of one service no process is started."""
    build_site(["status"])
    made_here.clear()
    monkeypatch.setattr(WorkerProcess, "start", None)
    record(clock.now, "s3", 5)

    report = build_site(["status"])

    assert "status/data/s3.json" in report.written
    assert made_here == ["s3"]


def test_written_in_between(
    shared, build_site, output, tmp_path, clock, made_here, monkeypatch
):
    """What is made from hours that the builder does not see is not used."""
    right = alone(build_site, tmp_path / "alone")
    made_here.clear()
    start = WorkerProcess.start

    def late(worker, *given):
        record(clock.now, "s3", 4)
        start(worker, *given)

    monkeypatch.setattr(WorkerProcess, "start", late)

    build_site(["status"])

    assert sorted(made_here) == SLUGS
    found = files_in(output)
    assert {p: found[p] for p in found if "data/" in p} == {
        p: right[p] for p in right if "data/" in p
    }


def test_row_is_made_once(services, build_site, monkeypatch):
    """Whether its files lack is asked of the very pages that are settled then."""
    made, subject = [], counters.CounterFiles
    monkeypatch.setattr(
        counters,
        "CounterFiles",
        lambda *facts: made.append(facts[0]) or subject(*facts),
    )

    build_site(["status"])

    assert made == SLUGS
