"""The publisher's thread: woken by builds, with retries and correct fault reports."""

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from models.changes import AREAS
from models.errors import StorageBusy
from models.runtime.faults import HARMLESS_STATES
from sitegen.builder.builder import Builder
from sitegen.docs.body_cache import BodyCache
from sitegen.output.publishing import publisher as module
from sitegen.output.publishing.lease import PublishLease
from sitegen.output.publishing.publication import Publication
from sitegen.output.publishing.publisher import Publisher
from sitegen.page import BuildContext
from sitegen.theme.site_theme import site_theme
from tests.pages.builder.test_builder import eventually
from tests.publishing.published import files_of

ADMIN = "POST /status/v1/admin"


@pytest.fixture
def started(clock):
    """Start a publisher, which ends with the test."""
    begun = []

    def start(settings, **more):
        publisher = Publisher(
            settings,
            clock,
            **{"pause_seconds": 0.01, "first_retry_seconds": 0.02} | more,
        )
        begun.append(publisher)
        publisher.__enter__()
        return publisher

    yield start
    for each in begun:
        each.__exit__()


def states(publisher):
    return [each.state for each in publisher.faults()]


def test_builds_are_published(started, target, store, there, output, api, clock):
    """Each build with changes is published, and so is the first one."""
    publisher = started(target)
    theme, bodies = site_theme(target), BodyCache()

    def context():
        return BuildContext(now=clock(), settings=target, theme=theme, bodies=bodies)

    builder = Builder(AREAS, clock, context, on_output_changed=publisher.wake)
    builder.start()
    try:
        assert eventually(lambda: publisher.progress.done == 1)
        api(f"{ADMIN}/services/add", {"slug": "api", "name": "Public API"})
        builder.wake()
        assert eventually(lambda: b"Public API" in there()["status/index.html"])
        assert eventually(lambda: there() == files_of(output))
    finally:
        builder.stop()


def test_unchanged_build_is_not(store, settings, clock):
    """A build without changes wakes the publisher only at the start of a process."""
    result, theme = [], site_theme(settings)

    def context():
        return BuildContext(
            now=clock(), settings=settings, theme=theme, bodies=BodyCache()
        )

    for _ in range(2):
        builder = Builder(
            AREAS, clock, context, on_output_changed=lambda: result.append(1)
        )
        for _ in range(3):
            builder._attempt(lambda: True)

    assert result == [1, 1]


def test_many_builds_are_one(started, to_bucket, site, bucket, clock):
    """The builds during a publication are published together afterwards."""
    blocked, released = threading.Event(), threading.Event()

    def wait(method, key):
        released.set()
        blocked.wait(10)

    bucket.before = wait
    publisher = started(to_bucket)
    publisher.wake()
    assert released.wait(10)
    clock.pass_(seconds=7)
    for _ in range(5):
        publisher.wake()

    clock.pass_(seconds=3)
    assert publisher.progress.lag(clock.now) == 10
    blocked.set()

    assert eventually(lambda: publisher.progress.done == 2)
    assert eventually(lambda: publisher.progress.lag(clock.now) == 0)
    assert publisher.progress.done == 2


def test_failure(started, to_folder, site, there, tmp_path, output, caplog):
    """A failure is reported, retried without a wake-up, and cleared on success."""
    (tmp_path / "web").write_text("a file")
    publisher = started(to_folder)

    publisher.wake()

    assert eventually(lambda: publisher.progress.broken > 2)
    (found,) = publisher.faults()
    assert found.state == "publish-failed"
    assert found.state in HARMLESS_STATES
    assert "web cannot be published to: File exists." in found.detail
    assert not [each for each in caplog.records if each.exc_info and any(each.exc_info)]
    (tmp_path / "web").unlink()
    assert eventually(lambda: not publisher.faults())
    assert there() == files_of(output)


def test_growing_waits(started, to_folder, site, tmp_path, monkeypatch):
    """Each wait after a failure is twice the last, up to a limit; success forgets."""
    monkeypatch.setattr(module, "MAX_RETRY_SECONDS", 3.0)
    (tmp_path / "web").write_text("a file")
    publisher = Publisher(
        to_folder, lambda: None, pause_seconds=0.5, first_retry_seconds=1.0
    )
    monkeypatch.setattr(publisher.progress, "start", lambda now: None)

    waits = [publisher._publish_and_handle_errors() for _ in range(4)]
    (tmp_path / "web").unlink()

    assert waits == [1, 2, 3, 3]
    assert [publisher._publish_and_handle_errors(), publisher._retry_seconds] == [
        0.5,
        1,
    ]


def test_hook_fails(started, to_folder, site, tmp_path):
    """Failed purges are repeated, with none of them lost."""
    result, fails = tmp_path / "told", tmp_path / "fails"
    fails.touch()
    hook = f"sh -c 'test ! -e {fails} && cat >> {result}'"
    publisher = started(replace(to_folder, publish_hook=hook))

    publisher.wake()

    assert eventually(lambda: states(publisher) == ["hook-failed"])
    fails.unlink()
    assert eventually(lambda: not publisher.faults())
    addresses = result.read_text().split()
    assert f"{to_folder.site_url}/guides/second/" in addresses
    assert len(addresses) == len({*addresses})


def test_another_publishes(started, to_bucket, site, monkeypatch, bucket):
    """While another host publishes this one waits, which is no fault."""
    monkeypatch.setattr(module, "BUSY_SECONDS", 0.05)
    Publication(to_bucket).run()
    other = PublishLease(Publication(to_bucket)._target, "another host")
    other.acquire({"index.html": ["mark"]})
    monkeypatch.setattr(Publication, "_pause", lambda *_: other._write("another host"))
    publisher = started(to_bucket)

    publisher.wake()

    assert eventually(lambda: len(bucket.requests) > 10)
    assert publisher.faults() == []
    assert publisher.progress.done == publisher.progress.broken == 0
    monkeypatch.setattr(Publication, "_pause", lambda *_: other.release({}))
    assert eventually(lambda: publisher.progress.done == 1)


def test_no_target(started, settings):
    """Without a target nothing is published, and nothing waits for it."""
    publisher = started(settings)

    publisher.wake()

    assert publisher.progress.lag(None) == 0
    assert not Path(settings.output).exists()


def test_stopped(started, to_bucket, site, bucket):
    """It stops between two files."""
    released = threading.Event()
    bucket.after = lambda method, key: released.set()
    publisher = started(to_bucket)
    publisher.wake()
    assert released.wait(10)

    publisher.__exit__()

    assert not publisher._thread.is_alive()
    assert publisher.faults() == []


def test_what_is_live_is_noted(started, to_bucket, site, bucket, there):
    """What was built before the publication began is recorded once it is published."""
    noted, built = [], {"status": 1}
    bucket.before = lambda method, key: built.update(status=2)
    publisher = started(
        to_bucket,
        find_generations=built.copy,
        on_published=lambda found: noted.append((found, bool(there()))),
    )
    publisher.wake()
    assert eventually(lambda: publisher.progress.done == 1)
    publisher.wake()

    assert eventually(lambda: publisher.progress.done == 2)
    assert noted == [({"status": 1}, True), ({"status": 2}, True)]


def test_busy_database_when_it_is_noted(started, to_folder, site):
    """A site that is published is no fault, and noted as soon as that is possible."""
    noted = []

    def note(generations):
        if not noted:
            noted.append("busy")
            raise StorageBusy("The database is busy.")
        noted.append(generations)

    built = {"status": 7}
    publisher = started(to_folder, find_generations=built.copy, on_published=note)
    publisher.wake()

    assert eventually(lambda: len(noted) == 2)
    assert noted == ["busy", built]
    assert publisher.progress.broken == 0
    assert not publisher.faults()
