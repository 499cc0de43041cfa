"""The console's front page."""

import re

import pytest

from api.http.application import create_app
from models.runtime.faults import Fault
from tests.console.conftest import Person

ADD_SERVICE = "POST /status/v1/admin/services/add"
ADD_WINDOW = "POST /status/v1/admin/maintenance/add"
RECORD = "POST /status/v1/admin/measurements/record"

pytestmark = pytest.mark.both_engines


def measure(api, clock, /, **statuses):
    """Record a measurement of each service, as a probe does."""
    at = clock.now.isoformat()
    measured = [
        {"slug": slug, "status": status, "observedAt": at}
        for slug, status in statuses.items()
    ]
    api(RECORD, {"source": "oslo", "measurements": measured})


def test_what_is_wrong(person, api, clock):
    """Each service that is not operational is listed with the reason."""
    for slug in ("api", "mail", "search"):
        api(ADD_SERVICE, {"slug": slug, "name": slug.upper()})
    measure(api, clock, api="operational", mail="down")

    page = person.get().text

    assert "2 of 3 services are not operational." in page
    assert "Never measured" in page
    assert re.search("The probe found it down at <time [^>]+>12:00 UTC</time>", page)
    assert "<bdi>API</bdi>" not in page


def test_the_worst_incident_first(person, api, clock):
    """The most severe incident is first, however many newer ones there are."""
    api(ADD_SERVICE, {"slug": "api", "name": "API"})
    words = {"services": ["api"], "body": "x"}
    severities = ("degraded", "major-outage", *["degraded"] * 21)
    for number, severity in enumerate(severities):
        clock.pass_(seconds=1)
        incident = {"title": f"Trouble {number}", "severity": severity}
        api("POST /status/v1/admin/incidents/add", words | incident)

    titles = re.findall(r"<h3>.*<bdi>(Trouble \d+)</bdi>", person.get().text)

    assert titles[:3] == ["Trouble 1", "Trouble 22", "Trouble 21"]
    assert len(titles) == 20


def test_reason_in_another_language(person, api):
    """The reason is worded as on the site, and links to the page of the incident."""
    api(ADD_SERVICE, {"slug": "api", "name": "API"})
    words = {"title": "Late", "services": ["api"], "severity": "degraded", "body": "x"}
    incident = api("POST /status/v1/admin/incidents/add", words).json["data"]
    link = f'<a href="/console/incidents/{incident["id"]}/"><bdi>Late</bdi></a>'

    page, service = (
        person.get(path, headers={"Accept-Language": "de"}).text
        for path in ("", "services/api/")
    )

    assert f"Störung: {link}" in page
    assert "Störung: <bdi>Late</bdi>" in service


def test_many_services(person, api):
    """After twenty services the others are counted."""
    for number in range(23):
        api(ADD_SERVICE, {"slug": f"s{number}", "name": f"Service {number}"})

    page = person.get().text

    assert "23 of 23 services are not operational." in page
    assert "And 3 more." in page


def test_a_page_that_the_key_does_not_open(visitor, issue):
    """
    A page without the required scope says so, beside the menu and the name of the key.
    """
    someone = visitor()
    someone.sign_in(issue("status:services:list", name="Few"))

    pages = [someone.get(path) for path in ("work/", "services/ghost/", "keys/")]

    assert [page.status_code for page in pages] == [403, 403, 403]
    for page in pages:
        assert 'aria-label="Console"' in page.text
        assert "<bdi>Few</bdi>" in page.text
        assert "This operation requires the scope" in page.text


def test_a_window_of_this_week(person, api):
    """Windows within seven days are shown, later ones are not."""
    api(ADD_SERVICE, {"slug": "api", "name": "API"})
    for title, day in (("Soon", "03"), ("Later", "20")):
        times = {"startsAt": f"2026-03-{day}T02:00:00Z"}
        times["endsAt"] = f"2026-03-{day}T03:00:00Z"
        api(ADD_WINDOW, {"title": title, "services": ["api"], **times})

    page = person.get().text

    assert "Soon" in page
    assert "Later" not in page


def test_what_the_server_complains_of(store, settings, clock, console_theme, issue):
    """The faults of /readyz are shown."""
    fault = Fault("output-full", "The disk of the output folder is full.")
    app = create_app(
        settings, clock=clock, console_theme=console_theme, list_faults=lambda: [fault]
    )
    person = Person(app.test_client())
    person.sign_in(issue("*"))

    assert "The disk of the output folder is full." in person.get().text
