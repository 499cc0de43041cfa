"""A severity that was lowered stays in the history of the status page."""

import json
import re

import pytest

from tests.factories.status import ADD_UPDATE, UPDATE_INCIDENT, World
from tests.pages.html import Reader


@pytest.fixture
def world(api, clock):
    world = World(api, clock)
    world.service("api")
    return world


@pytest.fixture
def lowered(world, api, clock):
    """
    Return an incident from 27 February on: a major outage, a partial outage from
    28 February, 12:00, and degraded from 1 March, 12:00, which is now.
    """
    clock.pass_(days=-2)
    id = world.incident("api", "major-outage")
    for severity in ("partial-outage", "degraded"):
        clock.pass_(days=1)
        assert api(UPDATE_INCIDENT, {"id": id, "severity": severity}).status_code == 200
    return id


@pytest.fixture
def read(build_site, output):
    """Build, and return the text of a file."""

    def read(path):
        build_site(["status"])
        return (output / path).read_text()

    return read


def states_of_days(html):
    """Return the states of the last four days, by their labels."""
    bars = [found for found in Reader(html).all("input") if found["name"] == "api"]
    return [bar["aria-label"].partition(": ")[2] for bar in bars[-4:]]


WORST = ["No data", "Major outage", "Major outage", "Partial outage"]


@pytest.mark.parametrize("is_resolved", [False, True])
@pytest.mark.parametrize("page", ["status/", "status/services/api/"])
def test_bars(lowered, api, read, page, is_resolved):
    """Each day has the worst severity that the incident had on it."""
    if is_resolved:
        api(UPDATE_INCIDENT, {"id": lowered, "status": "resolved"})

    html = read(f"{page}index.html")

    assert states_of_days(html) == WORST
    # The incident is one event of a day, however many severities it had.
    (day,) = re.findall('<div data-key="2026-02-28">.*?</div>', html)
    assert day.count(f"/status/incidents/{lowered}/") == 1


def test_bars_of_a_severity_lowered_later(lowered, api, clock, read):
    """Lowering the severity after the incident was resolved rewrites no day."""
    api(UPDATE_INCIDENT, {"id": lowered, "severity": "major-outage"})
    api(UPDATE_INCIDENT, {"id": lowered, "status": "resolved"})
    clock.pass_(days=1)
    api(UPDATE_INCIDENT, {"id": lowered, "severity": "degraded"})

    html = read("status/index.html")

    assert states_of_days(html) == [*["Major outage"] * 3, "No data"]


def test_months(lowered, read):
    """A month has its worst severity, whatever the incident's severity is later."""
    html = read("status/history/index.html")

    for month, worst in (("02", "major-outage"), ("03", "partial-outage")):
        link = f'<li class="is-{worst}"><a href="/status/history/2026-{month}/"'
        assert link in html


def test_resolved_incident(lowered, api, read):
    """After its end, pages show the incident with its worst severity."""
    api(UPDATE_INCIDENT, {"id": lowered, "status": "resolved"})

    texts = {
        f"status/incidents/{lowered}/": "Severity Major outage",
        "status/services/api/": "Major outage · Resolved",
        "status/history/2026-03/": "Resolved · Major outage",
    }
    missing = [
        path
        for path, text in texts.items()
        if text not in Reader(read(f"{path}index.html")).words()
    ]

    assert missing == []


def test_json_of_an_incident(lowered, api, read):
    """The JSON has the severity of the API: the last one that was set."""
    api(UPDATE_INCIDENT, {"id": lowered, "status": "resolved"})

    incident = json.loads(read(f"status/incidents/{lowered}.json"))["data"]["incident"]

    assert incident["severity"] == "degraded"


def test_statuspage_updates(world, api, clock, read):
    """Each update has the status before and after it."""
    id = world.incident("api", "major-outage")
    for changes, update in (
        ({"severity": "degraded"}, {"body": "Better."}),
        ({}, {"status": "resolved", "body": "Over."}),
        ({}, {"status": "investigating", "body": "Again."}),
    ):
        clock.pass_(minutes=5)
        api(UPDATE_INCIDENT, {"id": id, **changes})
        api(ADD_UPDATE, {"incidentId": id, **update})

    (incident,) = json.loads(read("api/v2/incidents.json"))["incidents"]

    changed = [each["affected_components"][0] for each in incident["incident_updates"]]
    assert [(each["old_status"], each["new_status"]) for each in changed[::-1]] == [
        ("operational", "major_outage"),
        ("major_outage", "degraded_performance"),
        ("degraded_performance", "operational"),
        ("operational", "degraded_performance"),
    ]


def test_statuspage_impact(lowered, api, read):
    """An active incident has the impact of its severity, a resolved one its worst."""
    (active,) = json.loads(read("api/v2/incidents.json"))["incidents"]
    api(UPDATE_INCIDENT, {"id": lowered, "status": "resolved"})

    (resolved,) = json.loads(read("api/v2/incidents.json"))["incidents"]

    assert (active["impact"], resolved["impact"]) == ("minor", "critical")
