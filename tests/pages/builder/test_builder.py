"""The builder's thread: woken, on time, and with correct fault reports."""

import json
import re
import time
from dataclasses import replace
from datetime import timedelta
from types import SimpleNamespace

import pytest

from models.changes import AREAS, behind
from models.storage.database import database
from sitegen.builder.builder import Builder, Timing, deferral_pause
from sitegen.docs.body_cache import BodyCache
from sitegen.page import BuildContext
from sitegen.theme.site_theme import site_theme
from tests.pages.status.test_status import measured

ADMIN = "POST /status/v1/admin"


# Without a wake-up, the builder does nothing while a test waits.
UNWOKEN = Timing(tick=600.0)


def eventually(condition, seconds=60):
    """Wait until another thread makes the condition true, also on a slow machine."""
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    return condition()


@pytest.fixture
def context(settings, clock):
    theme, bodies = site_theme(settings), BodyCache()

    def create():
        return BuildContext(clock(), settings=settings, theme=theme, bodies=bodies)

    return create


@pytest.fixture
def started(store, context, clock, woken):
    """Start a builder on the test's clock, and record when it asks to be woken."""
    due, builders = [], []

    def start(context=context, **more):
        builder = Builder(AREAS, clock, context, due.append, **more)
        builders.append(builder)
        builder.start()
        return SimpleNamespace(wake=builder.wake, faults=builder.faults, due=due)

    yield start
    for each in builders:
        each.stop()


def text_of(path):
    return path.read_text() if path.exists() else ""


def test_start_catches_up(api, started, output):
    """
    Writes that were acknowledged before a crash are on the page after the next start.
    """
    api(f"{ADMIN}/services/add", {"slug": "api", "name": "Public API"})
    assert behind() == {"status"}

    started()

    page = output / "status/index.html"
    assert eventually(lambda: "Public API" in text_of(page))
    assert eventually(lambda: behind() == set())


def test_woken(api, started, output):
    """A page is current once the builder was woken after its write."""
    builder = started(timing=UNWOKEN)
    page = output / "status/services/api/index.html"
    assert eventually(lambda: builder.due)

    api(f"{ADMIN}/services/add", {"slug": "api", "name": "Public API"})
    builder.wake()

    assert eventually(page.exists)
    assert builder.faults() == []


def test_wake_for_nothing(started, output):
    """A wake-up without changes builds nothing."""
    builder = started()
    assert eventually(lambda: len(builder.due) == 1)

    builder.wake()
    time.sleep(0.3)

    assert len(builder.due) == 1


@pytest.fixture
def measured_once(api, clock):
    """A service that was measured as operational, and again a minute later."""
    api(f"{ADMIN}/services/add", {"slug": "api", "name": "Public API"})
    api(f"{ADMIN}/measurements/record", measured(clock, "api", "operational"))

    def again():
        clock.pass_(minutes=1)
        api(f"{ADMIN}/measurements/record", measured(clock, "api", "operational"))

    return again


def test_deferrable_wakes_are_gathered(measured_once, started, output):
    """Deferrable writes wait together for one build, up to a maximum time."""
    builder, page = (
        started(timing=UNWOKEN._replace(deferral=3.0)),
        output / "status/index.html",
    )
    assert eventually(lambda: len(builder.due) == 1)

    for _ in range(3):
        measured_once()
        builder.wake(is_deferrable=True)
        time.sleep(0.1)

    assert "12:00 UTC" not in text_of(page)
    assert eventually(lambda: "12:02 UTC" in text_of(page))
    assert eventually(lambda: len(builder.due) == 2)


@pytest.mark.parametrize(
    ("cpu_seconds", "freshness", "pause"),
    [(0.1, 300, 1.0), (1.4, 300, 14.0), (9.0, 300, 20.0), (9.0, 30, 3.0)],
)
def test_deferral_pause(cpu_seconds, freshness, pause):
    """
    The pause is ten times the cost, limited by the fault threshold and a tenth of the
    freshness.
    """
    assert deferral_pause(cpu_seconds, timedelta(seconds=freshness)) == pause


def test_deferrable_wake_after_a_costly_build(measured_once, started, context, output):
    """
    Deferrable writes wait after an expensive build; any other write builds them too.
    """

    def costly_context():
        end = time.thread_time() + 1.0
        while time.thread_time() < end:
            pass
        return context()

    timing, page = UNWOKEN._replace(deferral=0.0), output / "status/index.html"
    builder = started(costly_context, timing=timing)
    assert eventually(lambda: builder.due)

    measured_once()
    builder.wake(is_deferrable=True)
    time.sleep(1)
    assert len(builder.due) == 1
    builder.wake()

    assert eventually(lambda: "12:00 UTC" in text_of(page))


def test_reading_ahead_of_the_clock(api, started, clock):
    """
    No wake-up follows when the time of a future reading comes, because it is shown
    already.
    """
    api(f"{ADMIN}/services/add", {"slug": "api", "name": "Public API"})
    sample = measured(clock, "api", "operational", ago=-5)
    api(f"{ADMIN}/measurements/record", sample)

    builder = started(timing=UNWOKEN)

    assert eventually(lambda: builder.due)
    assert builder.due == [clock.now + timedelta(seconds=305, milliseconds=1)]


def test_urgent_wake_takes_deferrable_changes_along(
    api, measured_once, started, output
):
    """
    A write that is not deferrable never waits for others, and all are shown at once.
    """
    builder, page = (
        started(timing=UNWOKEN._replace(deferral=600.0)),
        output / "status/index.html",
    )
    assert eventually(lambda: builder.due)
    measured_once()
    builder.wake(is_deferrable=True)
    time.sleep(0.2)

    incident = {"title": "Errors", "severity": "degraded", "body": "Looking."}
    api(f"{ADMIN}/incidents/add", incident | {"services": ["api"]})
    builder.wake()

    assert eventually(lambda: "Errors" in text_of(page))
    assert "12:00 UTC" in text_of(page)


def test_inspection_while_deferrable_wakes_never_cease(started, output):
    """A damaged file is found and restored even if the builder is never idle."""
    builder = started(timing=Timing(deferral=0.0, tick=0.3))
    page = output / "status/index.html"
    assert eventually(lambda: builder.due)
    before = page.read_text()
    page.write_text("damaged")

    def is_repaired():
        builder.wake(is_deferrable=True)
        return page.read_text() == before

    assert eventually(is_repaired, seconds=20)


def test_site_in_another_language(
    docs_project, started, clock, settings, output, tmp_path
):
    """A page links to its translation soon after the other site has it."""
    german, sites = tmp_path / "german", tmp_path / "sites.json"
    entry = {"name": "Deutsch", "language": "de", "url": "https://example.com/de"}
    own = {"name": "English", "language": "en", "url": settings.site_url}
    sites.write_text(json.dumps([own, entry | {"output": str(german)}]))
    result = replace(settings, switcher=str(sites))
    theme = site_theme(result)
    docs_project.publish("welcome")
    page, link = output / "guides/welcome/index.html", 'hreflang="de" href="https'
    builder = started(
        lambda: BuildContext(clock(), result, theme), timing=Timing(tick=0.1)
    )
    assert eventually(lambda: builder.due)
    assert link not in text_of(page)

    (german / "sitemaps").mkdir(parents=True)
    listed = german / "sitemaps/guides-1.xml"
    listed.write_text(f"<loc>{entry['url']}/guides/welcome/</loc>")
    assert eventually(lambda: link in text_of(page))

    listed.unlink()
    assert eventually(lambda: link not in text_of(page))


def test_death_while_deferrable_writes_wait(measured_once, started, output):
    """
    Writes that waited when the process died are in the first build of the next one.
    """
    first, page = started(timing=Timing(deferral=60.0)), output / "status/index.html"
    assert eventually(lambda: first.due)
    measured_once()
    first.wake(is_deferrable=True)
    time.sleep(0.2)
    assert behind() == {"status"}

    started()

    assert eventually(lambda: "12:00 UTC" in text_of(page))
    assert eventually(lambda: behind() == set())


def test_page_by_the_clock(api, started, clock, output):
    """Once a reading is stale the page says so, without a write."""
    api(f"{ADMIN}/services/add", {"slug": "api", "name": "Public API"})
    api(f"{ADMIN}/measurements/record", measured(clock, "api", "operational"))
    builder = started()
    page = output / "status/index.html"
    assert eventually(lambda: builder.due)
    due_at = builder.due[-1]
    assert due_at == clock.now + timedelta(seconds=290, milliseconds=1)
    assert "No data since" not in text_of(page)

    clock.now = due_at
    builder.wake()

    assert eventually(lambda: "No data since" in text_of(page))


def test_output_that_cannot_be_written(api, started, settings, output, tmp_path):
    """
    An unwritable output folder is a fault until it is writable, and then everything is
    built.
    """
    output.write_text("not a folder")
    builder = started()
    assert eventually(builder.faults)
    assert "cannot be written" in builder.faults()[0].detail

    output.unlink()
    builder.wake()

    assert eventually(lambda: not builder.faults())
    assert (output / "index.html").exists()


def test_storage_that_cannot_be_read(api, started, output, monkeypatch):
    """The thread survives every error, and retries at the next wake-up."""
    builder = started()
    assert eventually(lambda: builder.due)
    api(f"{ADMIN}/services/add", {"slug": "api", "name": "Public API"})
    database.execute_sql("ALTER TABLE area RENAME TO elsewhere")
    builder.wake()
    assert eventually(builder.faults)
    assert re.search(
        'no such table: area|relation "area" does not', builder.faults()[0].detail
    )

    database.execute_sql("ALTER TABLE elsewhere RENAME TO area")
    builder.wake()

    assert eventually((output / "status/services/api.json").exists)
    assert eventually(lambda: not builder.faults())


def test_waiting_is_a_trouble_in_time(started, settings, clock):
    """An area that has waited too long is a fault; a short queue is none."""

    def never():
        time.sleep(0.5)
        raise RuntimeError("no edition")

    builder = started(never)
    builder.wake()
    assert builder.faults() == []

    clock.pass_(seconds=31)

    assert any("behind since 12:00:00 UTC" in each.detail for each in builder.faults())
