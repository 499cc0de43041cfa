"""The Statuspage v2 documents: their schemas in every situation, and their values."""

import json

import pytest

from tests.factories.status import ADD_UPDATE, UPDATE_INCIDENT, UPDATE_WINDOW, World
from tests.samples.statuspage_shapes import DOCUMENTS
from tests.samples.vectors import IDS, VECTORS

PLANNED = "scheduled_maintenances"


@pytest.fixture
def world(api, clock):
    return World(api, clock)


@pytest.fixture
def read_document(build_site, output):
    """Build, and return one document."""

    def read(name):
        build_site()
        return json.loads((output / f"api/v2/{name}.json").read_text())

    return read


@pytest.fixture
def second(world):
    """An operational second service."""
    world.service("mail")
    world.sample("mail", "a", "operational", -1)


@pytest.mark.parametrize("vector", VECTORS, ids=IDS)
def test_shapes(vector, world, build_site, output):
    """In every situation all eight documents are valid for strict clients."""
    world.play(vector)
    world.service("db", group="Core")
    build_site()

    for name, shape in DOCUMENTS.items():
        shape.model_validate_json((output / f"api/v2/{name}.json").read_bytes())


def test_nothing_at_all(read_document):
    """Without services the page is not operational, and still a valid document."""
    summary = read_document("summary")

    DOCUMENTS["summary"].model_validate(summary)
    assert summary["status"]["description"] == "Status Data Unavailable"


OVERALLS = {
    "just fresh": ("none", "All Systems Operational", "operational"),
    "nothing": ("minor", "Status Data Unavailable", "degraded_performance"),
    "one, down": ("critical", "Major System Outage", "major_outage"),
    "half down": ("major", "Partial System Outage", "partial_outage"),
    "degraded": ("minor", "Degraded System Service", "degraded_performance"),
    "maintenance hides a probe": (
        "maintenance",
        "Service Under Maintenance",
        "under_maintenance",
    ),
    "maintenance, unseen": ("minor", "Status Data Unavailable", "under_maintenance"),
}


@pytest.mark.parametrize("name", OVERALLS)
def test_all_services_alike(name, world, read_document):
    """The overall state if every service has the same state."""
    world.play(VECTORS[IDS.index(name)])

    summary = read_document("summary")

    indicator, description, component = OVERALLS[name]
    assert summary["status"] == {"indicator": indicator, "description": description}
    assert [each["status"] for each in summary["components"]] == [component]


PARTLY = {
    "one, down": ("major", "Partial System Outage"),
    "half down": ("minor", "Minor Service Outage"),
    "degraded": ("minor", "Partially Degraded Service"),
}


@pytest.mark.parametrize("name", PARTLY)
def test_some_services(name, world, second, read_document):
    """The same states weigh less if only some services have them."""
    world.play(VECTORS[IDS.index(name)])

    indicator, description = PARTLY[name]
    assert read_document("status")["status"] == {
        "indicator": indicator,
        "description": description,
    }


def test_incident_raises_the_indicator(world, second, read_document):
    """An incident with a higher severity than the services raises the indicator."""
    world.service("api")
    world.sample("api", "a", "operational", -1)
    world.incident("api", "major-outage")

    status = read_document("status")["status"]

    assert status == {"indicator": "critical", "description": "Major System Outage"}


def test_unknown_is_never_operational(world, read_document):
    """The description says why it is shown as degraded."""
    world.service("api", description="The API.")

    (component,) = read_document("components")["components"]

    assert component["status"] == "degraded_performance"
    assert component["description"] == "The API. No recent measurement."


def test_groups(world, read_document):
    """A group precedes its services and has the worst of their states."""
    world.service("lone", displayOrder=1)
    world.service("api", group="Core", displayOrder=2)
    world.service("db", group="Core", displayOrder=3)
    world.sample("api", "a", "down", -1)
    world.sample("db", "a", "operational", -1)

    ungrouped, core, api, db = read_document("components")["components"]

    assert (ungrouped["position"], core["position"]) == (1, 2)
    assert (api["position"], db["position"]) == (1, 2)
    assert core["group"] is True
    assert core["components"] == [api["id"], db["id"]]
    assert core["status"] == "major_outage"
    assert {api["group_id"], db["group_id"]} == {core["id"]}
    assert ungrouped["group_id"] is None


def test_timeline_newest_first(world, api, clock, read_document):
    """Each entry has its changes of services."""
    world.service("api", group="Core", name="API")
    id = world.incident("api", "partial-outage")
    clock.pass_(minutes=5)
    api(ADD_UPDATE, {"incidentId": id, "status": "monitoring", "body": "Fixed?"})
    seen = world.text()
    clock.pass_(minutes=5)
    api(ADD_UPDATE, {"incidentId": id, "status": "resolved", "body": "Fixed."})

    (incident,) = read_document("incidents")["incidents"]

    statuses = [each["status"] for each in incident["incident_updates"]]
    assert statuses == ["resolved", "monitoring", "investigating"]
    assert incident["monitoring_at"] == seen
    assert incident["resolved_at"] == world.text()
    changed = [each["affected_components"][0] for each in incident["incident_updates"]]
    assert changed[0]["name"] == "Core - API"
    assert [(each["old_status"], each["new_status"]) for each in changed] == [
        ("partial_outage", "operational"),
        ("partial_outage", "partial_outage"),
        ("operational", "partial_outage"),
    ]


def test_which_incidents(world, api, read_document):
    """Resolved incidents are only in the list of all."""
    world.service("api")
    open_one = world.incident("api")
    resolved = world.incident("api")
    api(UPDATE_INCIDENT, {"id": resolved, "status": "resolved"})

    for name in ("summary", "incidents/unresolved"):
        assert [each["id"] for each in read_document(name)["incidents"]] == [open_one]
    assert len(read_document("incidents")["incidents"]) == 2


def test_which_windows(world, api, read_document):
    """Windows are listed by phase; a cancelled one is in no document."""
    world.service("api")
    past = world.window("api", -60, -30)
    active = world.window("api", -10, 10)
    coming = world.window("api", 30, 60)
    cancelled = world.window("api", 30, 60)
    api(UPDATE_WINDOW, {"id": cancelled, "status": "cancelled"})

    found = {
        name: [(each["id"], each["status"]) for each in read_document(name)[PLANNED]]
        for name in DOCUMENTS
        if "maint" in name or name == "summary"
    }

    assert found == {
        "summary": [(coming, "scheduled"), (active, "in_progress")],
        "scheduled-maintenances": [
            (coming, "scheduled"),
            (active, "in_progress"),
            (past, "completed"),
        ],
        "scheduled-maintenances/upcoming": [(coming, "scheduled")],
        "scheduled-maintenances/active": [(active, "in_progress")],
    }


def test_when_a_window_ended(world, api, clock, read_document):
    """The end is planned by the clock, or set by an operator."""
    world.service("api")
    world.window("api", -60, -30)
    early = world.window("api", -10, 600)
    ended = world.text(-30)
    clock.pass_(minutes=1)
    now = world.text()
    api(UPDATE_WINDOW, {"id": early, "status": "completed"})
    clock.pass_(hours=1)

    windows = read_document("scheduled-maintenances")[PLANNED]

    assert [each["resolved_at"] for each in windows] == [now, ended]


def test_newest_fifty(world, read_document):
    """The lists of the past are limited."""
    world.service("api")
    for seconds in range(51):
        world.incident("api", started=-seconds)
        world.window("api", -seconds - 1, 60)

    assert len(read_document("incidents")["incidents"]) == 50
    assert len(read_document("scheduled-maintenances")[PLANNED]) == 50
    assert len(read_document("incidents/unresolved")["incidents"]) == 51


def test_page_is_as_new_as_its_facts(world, clock, read_document):
    """updated_at is the newest measurement or write, not the build's time."""
    world.service("api")
    world.sample("api", "a", "operational", 0)
    newest = world.text()
    clock.pass_(seconds=90)

    assert read_document("status")["page"]["updated_at"] == newest
