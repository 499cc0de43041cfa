"""The sample world, which tests and the demo use."""

from datetime import UTC, datetime, timedelta

import pytest

from api.commands.keys import issue_admin_key
from models.audit import AuditRow, broken_links
from models.changes import behind
from models.platform.keys import KeyRow
from models.platform.scopes import any_covers
from models.platform.secrets import hash_secret
from models.projects.projects.projects import ensure_docs_project
from models.settings import NIL_UUID
from models.status.incidents.incidents import (
    StatusUpdateIncident,
    update_incident,
    updates_by_incident,
)
from models.status.measurements.measurements import MeasurementRow, record_measurements
from models.status.services.catalogue import (
    StatusAddService,
    add_service,
    services_in_display_order,
)
from models.status.services.rows import ServiceRow
from models.status.snapshot.snapshot import status_snapshot
from models.status.uptime.summary import uptime_summary
from models.storage.database import database, open_database, writing
from tests.factories.events import all_incidents, all_maintenance
from tests.factories.story import outages, planned_works
from tests.rules.projects.documents.test_documents import write
from tests.world import (
    DEMO_EMAIL,
    current_measurements,
    is_demo,
    people,
    populate,
    sample_measurements,
)

NOW = datetime(2026, 3, 1, 12, 0, 33, tzinfo=UTC)
FRESHNESS = timedelta(minutes=5)
COUNTED = ("service", "measurement", "reading", "incident", "entry", "maintenance")


@pytest.fixture(scope="module")
def populated(empty_database, engine, tmp_path_factory):
    """The sample world at NOW, created once and copied for each test."""
    with engine.place(tmp_path_factory.mktemp("world") / "world.db", False) as address:
        engine.copy(empty_database, address)
        open_database(address)
        assert populate(NOW)
        engine.at_rest()
        yield address


@pytest.fixture
def world(settings, populated, engine):
    engine.copy(populated, settings.database)
    open_database(settings.database)
    yield database
    database.close()


def counts():
    return {
        table: database.execute_sql(f"SELECT count(*) FROM {table}").fetchone()[0]
        for table in COUNTED
    }


def measured():
    order = (MeasurementRow.service, MeasurementRow.observed_at, MeasurementRow.source)
    return list(MeasurementRow.select().order_by(*order).tuples())


def record(batches, now):
    with writing():
        for each in batches:
            record_measurements(each, now, retention=timedelta(days=100))


def test_populate_fills_the_page(world):
    """There are a dozen services in four groups, three incidents and two windows."""
    services = services_in_display_order()

    assert counts() | {"measurement": 0} == {
        "service": 13,
        "measurement": 0,
        "reading": 26,
        "incident": 3,
        "entry": 11,
        "maintenance": 2,
    }
    assert list(dict.fromkeys(each.group for each in services)) == [
        "Edge",
        "Core",
        "Data",
        "Developers",
    ]
    assert all(each.description and each.hostname for each in services)
    assert behind() == {"status"}


def test_populate_twice(world):
    """A status page with services is not changed."""
    before = counts()

    assert populate(NOW + timedelta(hours=1)) is False
    assert sample_measurements(NOW)

    assert counts() == before


def test_services_of_others(app):
    """The demo measures no service of another installation with the same slug."""
    add_service(StatusAddService(slug="search", name="Search"), NOW)

    assert populate(NOW) is False

    assert not sample_measurements(NOW)


def test_demo_is_known_again(world):
    """Content that was added to the demo later does not prevent its next start."""
    before = is_demo()
    add_key_of(DEMO_EMAIL)
    add_key_of("somebody@example.com")

    assert (before, is_demo()) == (True, True)


def test_demo_is_at_home_in_a_new_database(store, clock):
    """The docs project, which every database has, does not count as content."""
    ensure_docs_project(clock.now, slug="docs", owner_id=NIL_UUID)

    assert is_demo()


def test_other_content_is_not_the_demo(store):
    """If the first key was not issued by the demo, the content is not the demo."""
    add_key_of("somebody@example.com")
    before = is_demo()
    populate(NOW)

    assert (before, is_demo()) == (False, False)


def test_documents_are_not_the_demo(store, clock):
    """Documents that were imported before any key are not the demo."""
    project = ensure_docs_project(clock.now, slug="docs", owner_id=NIL_UUID)
    write(project, clock)

    assert not is_demo()


def add_key_of(email):
    issue_admin_key(email, ["*"], "Key", NOW)


def test_populate_with_equal_now(populated, store):
    """An equal `now` gives equal measurements."""
    populate(NOW)
    first = measured()
    open_database(str(populated))

    assert measured() == first


def test_overall_is_decided_by_the_running_incident(world):
    """One incident is active, and only because of it the overall state is degraded."""
    seen = status_snapshot(NOW, FRESHNESS)

    ailing = {
        each.slug: str(seen.state_of(each).reason)
        for each in seen.services
        if seen.state_of(each).state != "operational"
    }

    assert seen.service_list().overall == "degraded"
    assert ailing == {"object-storage": "Incident: Slow uploads to object storage"}


def test_every_reading_is_fresh(world):
    """Both probes have measured every service within the last minute."""
    seen = status_snapshot(NOW, FRESHNESS)

    for readings in seen.readings.values():
        assert [each.source for each in readings] == ["probe-fra", "probe-iad"]
        for each in readings:
            assert timedelta(0) <= NOW - each.observed_at < timedelta(minutes=1)


@pytest.mark.parametrize("period", ["24h", "90d"])
def test_uptimes_are_believable(world, period):
    """No service is below 95 percent, and none is above 100."""
    for service in services_in_display_order():
        result = uptime_summary(service, period, NOW, interval_seconds=60)

        assert 95 <= result.uptime_pct <= 100
        assert result.samples >= 2 * 1440
        assert 5 < result.avg_response_time_ms < 300


def test_down_samples_agree_with_what_was_told(world):
    """A probe finds a service down only in an outage or in maintenance."""
    major_outages = [
        (each.started_at, each.fixed_at(NOW), each.services)
        for each in outages(NOW)
        if each.severity == "major-outage"
    ]
    windows = [
        (each.starts_at, each.ends_at, each.services) for each in planned_works(NOW)
    ]
    down = MeasurementRow.select(MeasurementRow, ServiceRow).join(ServiceRow)

    found = list(down.where(MeasurementRow.status == "down"))

    assert {each.service.slug for each in found} == {
        "accounts",
        "dashboard",
        "managed-postgresql",
    }
    for each in found:
        assert any(
            start <= each.observed_at < end and each.service.slug in slugs
            for start, end, slugs in major_outages + windows
        )


def test_incidents_are_told_at_their_own_times(world):
    """Created, changed and resolved when it happened, not when it was replayed."""
    running, slow, major = all_incidents()
    entries = updates_by_incident([running, slow, major])

    assert NOW - timedelta(minutes=41) < running.started_at < running.created_at
    assert [each.status for each in entries[running.id]] == [
        "identified",
        "investigating",
    ]
    assert [len(entries[each.id]) for each in (slow, major)] == [4, 5]
    for each in (slow, major):
        assert each.resolved_at == entries[each.id][0].created_at == each.updated_at
        assert each.created_at == entries[each.id][-1].created_at
    assert major.resolved_at < NOW - timedelta(days=20)


def test_windows_are_past_and_coming(world):
    """One window is over, one follows within three days."""
    coming, past = all_maintenance(NOW)

    assert (coming.status, past.status) == ("scheduled", "completed")
    assert timedelta(days=1) < coming.starts_at - NOW < timedelta(days=3)
    assert past.created_at < past.starts_at


@pytest.mark.parametrize("clock_time", [(0, 0), (0, 10), (12, 0), (23, 59)])
def test_story_at_any_time_of_day(clock_time):
    """All announcements are in the past, at whatever time the world is created."""
    hour, minute = clock_time
    now = NOW.replace(hour=hour, minute=minute)

    for outage in outages(now):
        minutes = [each.minutes for each in outage.entries]
        assert minutes == sorted(minutes)
        assert outage.at(outage.entries[-1]) < now
    assert all(each.announced_at < now for each in planned_works(now))


def test_audit_chain(world):
    """What the operators did is audited in chronological order, unbroken."""
    rows = list(AuditRow.select().order_by(AuditRow.number))

    assert broken_links("status") == []
    assert len(rows) == 13 + 11 + 2
    assert [each.at for each in rows] == sorted(each.at for each in rows)


def test_beat(world):
    """Each probe measures every service once, and the failing one as slow."""
    batches = current_measurements(NOW)

    assert [each.source for each in batches] == ["probe-fra", "probe-iad"]
    assert batches == current_measurements(NOW)
    assert batches != current_measurements(NOW, world_seed=1)
    for batch in batches:
        slow = [m.slug for m in batch.measurements if m.status != "operational"]
        assert len(batch.measurements) == 13
        assert slow == ["object-storage"]


def test_beat_keeps_the_page_fresh(world):
    """With a batch a minute the page is still fresh an hour later."""
    later = NOW + timedelta(hours=1)
    record(current_measurements(later), later)

    seen = status_snapshot(later, FRESHNESS).service_list()

    assert not seen.stale
    assert not any(each.stale for each in seen.services)


def test_beat_after_the_incident_is_resolved(world):
    """The probes recover with the incident, and the page turns green."""
    later = NOW + timedelta(minutes=1)
    running, *_ = all_incidents()
    resolving = StatusUpdateIncident(id=running.id, status="resolved")
    with writing():
        update_incident(resolving, later)

    record(current_measurements(later), later)

    assert status_snapshot(later, FRESHNESS).service_list().overall == "operational"


def test_people(store):
    """The four keys have the scopes that their names suggest."""
    cast = people(NOW)
    keys = {
        name: KeyRow.get(KeyRow.hash == hash_secret(getattr(cast, name))).scopes
        for name in ("operator", "developer", "probe", "stranger")
    }

    def may(scope):
        return [name for name, scopes in keys.items() if any_covers(scopes, scope)]

    assert may("status:admin:services:add") == ["operator"]
    assert may("status:admin:measurements:record") == ["operator", "probe"]
    assert may("platform:developer:keys:create") == ["operator", "developer"]
    assert may("status:services:list") == ["operator", "developer"]
    assert broken_links("platform") == []


def test_people_twice(store):
    """Every call issues new keys."""
    assert people(NOW).operator != people(NOW).operator
    assert KeyRow.select().count() == 8
