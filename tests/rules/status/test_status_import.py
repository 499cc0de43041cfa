"""Importing another status page."""

import json
from datetime import timedelta
from pathlib import Path

import pytest

from models.audit import AuditRow, broken_links
from models.changes import behind, marks
from models.errors import ReferenceNotFound
from models.status.importers.imported_rows import ImportedRow
from models.status.importers.page_formats import parse_status_page, status_page_files
from models.status.importers.status_import import import_status_page
from models.status.incidents.incidents import (
    IncidentRow,
    IncidentUpdateRow,
    StatusRemoveIncident,
    incident_detail,
    remove_incident,
)
from models.status.maintenance.windows import MaintenanceRow
from models.status.services.catalogue import StatusAddService, add_service
from models.status.services.rows import ServiceRow
from models.storage.database import writing
from tests.factories.events import all_incidents, all_maintenance

ELSEWHERE = Path(__file__).parents[2] / "elsewhere"
ROWS = (
    ServiceRow,
    IncidentRow,
    IncidentUpdateRow,
    MaintenanceRow,
    ImportedRow,
    AuditRow,
)

pytestmark = pytest.mark.usefixtures("store")
each_page = pytest.mark.parametrize("name", ["statuspage", "cstate", "upptime"])


def imported(name):
    return parse_status_page(status_page_files(ELSEWHERE / name))


def stored_rows():
    return [list(row.select().dicts()) for row in ROWS]


@pytest.fixture
def import_page(clock):
    def run(name, **more):
        return import_status_page(imported(name), clock.now, **more)

    return run


@pytest.mark.parametrize(
    ("name", "added", "left_out"),
    [
        ("statuspage", {"service": 3, "incident": 2, "maintenance": 2}, 1),
        ("cstate", {"service": 3, "incident": 2}, 3),
        ("upptime", {"service": 3, "incident": 2, "maintenance": 1}, 1),
    ],
)
def test_everything_comes(import_page, audited, name, added, left_out):
    """Each object is added once and audited once; what is left out is reported."""
    report = import_page(name)

    assert {type: len(each) for type, each in report.added.items()} == added
    assert len(report.left_out) == left_out
    assert len(audited()) == ImportedRow.select().count() == sum(added.values())
    assert {row.actor for row in AuditRow} == {"command line"}
    assert broken_links("status") == []
    assert behind() == {"status", "docs"}


@each_page
def test_second_run(import_page, clock, name):
    """A second import finds everything and changes nothing, not even a mark."""
    first = import_page(name)
    before, marked = stored_rows(), marks()
    clock.pass_(days=1)

    second = import_page(name)

    assert second.added == {}
    counts = {type: len(each) for type, each in first.added.items()}
    assert second.unchanged == counts
    assert (stored_rows(), marks()) == (before, marked)


@each_page
def test_dry_run(import_page, name):
    """A dry run reports what would be imported, and stores nothing."""
    before = stored_rows(), marks()

    report = import_page(name, is_dry_run=True)

    assert (stored_rows(), marks()) == before
    assert report == import_page(name)


def test_past_is_as_it_was(import_page):
    """Times, states and services of an incident are those of the old page."""
    import_page("statuspage")
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
    result = [(each["createdAt"][:16], each["status"]) for each in lost["updates"]]
    assert result == [
        ("2026-01-09T00:21", "investigating"),
        ("2026-01-09T01:15", "identified"),
        ("2026-01-09T03:40", "resolved"),
        ("2026-01-12T10:00", "resolved"),
    ]


def test_windows_go_by_the_clock(import_page, clock):
    """A future window starts by itself; one that ended early stays completed."""
    import_page("statuspage")

    coming, done = all_maintenance(clock.now)

    assert (coming.status, coming.written) == ("scheduled", "scheduled")
    assert (done.status, done.written) == ("completed", "completed")
    assert done.status_changed_at.isoformat() == "2025-12-07T00:30:00+00:00"


def test_window_that_was_called_off(clock):
    """A cancelled window keeps its address, and does not start by the clock."""
    files = status_page_files(ELSEWHERE / "upptime")
    issues = json.loads(files["issues.json"])
    for each in issues:
        each |= {"state": "CLOSED", "closedAt": each["createdAt"]}

    import_status_page(
        parse_status_page(files | {"issues.json": json.dumps(issues)}), clock.now
    )

    (oil,) = all_maintenance(clock.now)
    assert (oil.status, oil.written) == ("cancelled", "cancelled")
    assert oil.status_changed_at == oil.created_at


def test_service_that_is_here(import_page, clock):
    """An existing service with the slug is used unchanged, and reported."""
    mine = StatusAddService(slug="crane-control", name="My cranes")
    add_service(mine, clock.now)

    report = import_page("statuspage")

    assert report.adopted == ["crane-control"]
    slow = all_incidents()[0]
    assert [(each.slug, each.name) for each in slow.services] == [
        ("crane-control", "My cranes")
    ]
    assert import_page("statuspage").adopted == []


def test_incident_of_no_service(import_page):
    """
    An incident without services is left out until it is assigned to an existing one.
    """
    first = import_page("statuspage")

    ((old, why),) = first.left_out
    assert old == "n0thing00001"
    assert "--otherwise" in why
    with pytest.raises(ReferenceNotFound, match="'ghost'"):
        import_page("statuspage", default_service="ghost")
    second = import_page("statuspage", default_service="web-site")
    assert second.added == {"incident": ["A word about storms"]}
    assert second.left_out == []


def test_purged_service_stays_away(import_page):
    """A purged service is not imported again, nor are incidents that affect only it."""
    import_page("statuspage")
    ImportedRow.delete().where(ImportedRow.type == "incident").execute()
    ServiceRow.get(ServiceRow.slug == "crane-control").delete_instance()

    report = import_page("statuspage")

    assert report.added == {"incident": ["Bookings were lost after midnight"]}
    assert {old for old, _ in report.left_out} == {"n0thing00001", "w8r4n2j6yy7d"}


def test_time_to_come(import_page, clock):
    """Events in the future are left out; future windows are imported."""
    clock.now -= timedelta(days=30)

    report = import_page("statuspage")

    assert report.added["incident"] == ["Bookings were lost after midnight"]
    assert (
        "w8r4n2j6yy7d",
        "It has a time in the future.",
    ) in report.left_out


def test_two_pages(import_page):
    """Pages are independent; a name in both is one service."""
    import_page("statuspage")

    report = import_page("cstate")

    assert report.unchanged == {}
    assert ImportedRow.select(ImportedRow.source).distinct().count() == 2


def test_removed_incident(import_page, clock):
    """An imported incident that was removed is not imported again."""
    import_page("statuspage")
    count = len(all_incidents())
    with writing():
        removed = StatusRemoveIncident(id=all_incidents()[0].id)
        remove_incident(removed, clock.now)

    report = import_page("statuspage")

    assert report.added == {}
    assert len(all_incidents()) == count - 1
