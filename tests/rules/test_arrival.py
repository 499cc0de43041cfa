"""What another status page held, brought in."""

import json
from datetime import timedelta
from pathlib import Path

import pytest

from models.audit import AuditRow, broken_links
from models.changes import behind, marks
from models.errors import ReferenceNotFound
from models.status.importers.detection import cargo_of, files_in
from models.status.importers.origins import MovedRow
from models.status.importers.status_import import bring_in
from models.status.incidents.incidents import EntryRow, IncidentRow, incident_detail
from models.status.incidents.listing import all_incidents
from models.status.maintenance.windows import MaintenanceRow, all_maintenance
from models.status.services.catalogue import ServiceRow, StatusAddService, add_service

ELSEWHERE = Path(__file__).parents[1] / "elsewhere"
ROWS = (ServiceRow, IncidentRow, EntryRow, MaintenanceRow, MovedRow, AuditRow)

pytestmark = pytest.mark.usefixtures("store")
each_page = pytest.mark.parametrize("name", ["statuspage", "cstate", "upptime"])


def cargo(name):
    return cargo_of(files_in(ELSEWHERE / name))


def kept():
    return [list(row.select().dicts()) for row in ROWS]


@pytest.fixture
def bring(clock):
    def brought(name, **more):
        return bring_in(cargo(name), clock.now, **more)

    return brought


@pytest.mark.parametrize(
    ("name", "added", "left_out"),
    [
        ("statuspage", {"service": 3, "incident": 2, "maintenance": 2}, 1),
        ("cstate", {"service": 3, "incident": 2}, 3),
        ("upptime", {"service": 3, "incident": 2, "maintenance": 1}, 1),
    ],
)
def test_everything_comes(bring, audited, name, added, left_out):
    """Each thing is added once and audited once; what stays behind is told."""
    report = bring(name)

    assert {type: len(each) for type, each in report.added.items()} == added
    assert len(report.left_out) == left_out
    assert len(audited()) == MovedRow.select().count() == sum(added.values())
    assert {row.actor for row in AuditRow} == {"command line"}
    assert broken_links("status") == []
    assert behind() == {"status", "docs"}


@each_page
def test_second_run(bring, clock, name):
    """It finds everything here and changes nothing, not even a mark."""
    first = bring(name)
    before, marked = kept(), marks()
    clock.pass_(days=1)

    second = bring(name)

    assert second.added == {}
    counts = {type: len(each) for type, each in first.added.items()}
    assert second.unchanged == counts
    assert (kept(), marks()) == (before, marked)


@each_page
def test_trial(bring, name):
    """It tells what would come, and nothing is kept."""
    before = kept(), marks()

    trial = bring(name, is_trial=True)

    assert (kept(), marks()) == before
    assert trial == bring(name)


def test_past_is_as_it_was(bring):
    """Times, states and services of an incident are those of its old page."""
    bring("statuspage")
    lost = incident_detail(all_incidents()[-1].id).to_json()

    assert lost["incident"] | {"id": ""} == {
        "id": "",
        "title": "Bookings were lost after midnight",
        "status": "resolved",
        "severity": "major-outage",
        "startedAt": "2026-01-09T00:02:00.000Z",
        "resolvedAt": "2026-01-09T03:40:00.000Z",
        "createdAt": "2026-01-09T00:02:00.000Z",
        "updatedAt": "2026-01-12T10:00:00.000Z",
        "services": [{"slug": "berth-booking", "name": "Berth booking"}],
    }
    told = [(each["createdAt"][:16], each["status"]) for each in lost["updates"]]
    assert told == [
        ("2026-01-09T00:21", "investigating"),
        ("2026-01-09T01:15", "identified"),
        ("2026-01-09T03:40", "resolved"),
        ("2026-01-12T10:00", "resolved"),
    ]


def test_windows_go_by_the_clock(bring, clock):
    """A coming one opens by itself; one that was over early stays over."""
    bring("statuspage")

    coming, done = all_maintenance(clock.now)

    assert (coming.status, coming.written) == ("scheduled", "scheduled")
    assert (done.status, done.written) == ("completed", "completed")
    assert done.turned_at.isoformat() == "2025-12-07T00:30:00+00:00"


def test_window_that_was_called_off(clock):
    """It is kept at its address, and does not begin by the clock."""
    files = files_in(ELSEWHERE / "upptime")
    issues = json.loads(files["issues.json"])
    for each in issues:
        each |= {"state": "CLOSED", "closedAt": each["createdAt"]}

    bring_in(cargo_of(files | {"issues.json": json.dumps(issues)}), clock.now)

    (oil,) = all_maintenance(clock.now)
    assert (oil.status, oil.written) == ("cancelled", "cancelled")
    assert oil.turned_at == oil.created_at


def test_service_that_is_here(bring, clock):
    """One with the slug is taken for it as it is, and said to be."""
    mine = StatusAddService(slug="crane-control", name="My cranes")
    add_service(mine, clock.now)

    report = bring("statuspage")

    assert report.adopted == ["crane-control"]
    slow = all_incidents()[0]
    assert [(each.slug, each.name) for each in slow.services] == [
        ("crane-control", "My cranes")
    ]
    assert bring("statuspage").adopted == []


def test_incident_of_no_service(bring):
    """It stays behind until it is given one, which must be there."""
    first = bring("statuspage")

    ((old, why),) = first.left_out
    assert old == "n0thing00001"
    assert "--otherwise" in why
    with pytest.raises(ReferenceNotFound, match="'ghost'"):
        bring("statuspage", otherwise="ghost")
    second = bring("statuspage", otherwise="web-site")
    assert second.added == {"incident": ["A word about storms"]}
    assert second.left_out == []


def test_purged_service_stays_away(bring):
    """What was taken out here is not brought again, nor what affects it alone."""
    bring("statuspage")
    MovedRow.delete().where(MovedRow.type == "incident").execute()
    ServiceRow.get(ServiceRow.slug == "crane-control").delete_instance()

    report = bring("statuspage")

    assert report.added == {"incident": ["Bookings were lost after midnight"]}
    assert {old for old, _ in report.left_out} == {"n0thing00001", "w8r4n2j6yy7d"}


def test_time_to_come(bring, clock):
    """What is said to have happened later than now is left out; windows may."""
    clock.now -= timedelta(days=30)

    report = bring("statuspage")

    assert report.added["incident"] == ["Bookings were lost after midnight"]
    assert (
        "w8r4n2j6yy7d",
        "It tells of a time that is yet to come.",
    ) in report.left_out


def test_two_pages(bring):
    """Pages do not know each other; a name of both is one service."""
    bring("statuspage")

    report = bring("cstate")

    assert report.unchanged == {}
    assert MovedRow.select(MovedRow.source).distinct().count() == 2
