"""The status pages: golden files, changes by time, and the values of the API."""

import json
from datetime import timedelta

import pytest

from models.status.services.rows import ServiceRow
from models.status.snapshot.event_index import (
    EventIndex,
    read_event_index,
    read_service_versions,
)
from models.status.snapshot.last_change import (
    last_changes_by_service,
    next_page_change,
    next_state_change,
)
from models.status.snapshot.snapshot import StatusSnapshot
from tests.conftest import NOON

ADMIN = "POST /status/v1/admin"


def measured(clock, slug, status, ago=10, source="probe-a"):
    at = clock.now - timedelta(seconds=ago)
    sample = {"slug": slug, "status": status, "responseTimeMs": 42}
    return {
        "source": source,
        "measurements": [sample | {"observedAt": at.isoformat()}],
    }


@pytest.fixture
def sample_status(api, clock, monkeypatch):
    """Two services, an incident on one of them, a future window; with fixed ids."""
    ids = iter(f"00000000-0000-7000-8000-{n:012}" for n in range(1000))
    for module in (
        "services.catalogue",
        "incidents.incidents",
        "maintenance.windows",
    ):
        monkeypatch.setattr(f"models.status.{module}.new_id", lambda _: next(ids))
    for order, (slug, name) in enumerate((("api", "Public <API>"), ("mail", "Mail"))):
        service = {"slug": slug, "name": name, "displayOrder": order, "group": "Core"}
        api(f"{ADMIN}/services/add", service)
        sample = measured(clock, slug, "operational")
        api(f"{ADMIN}/measurements/record", sample)
    incident = {"title": "Slow <b>mail</b>", "severity": "degraded", "body": "Looking."}
    api(f"{ADMIN}/incidents/add", incident | {"services": ["mail"]})
    window = {"title": "New disks", "services": ["api"]}
    window |= {"startsAt": "2026-03-02T01:00:00Z", "endsAt": "2026-03-02T02:00:00Z"}
    api(f"{ADMIN}/maintenance/add", window)


PAGES = (
    "index.html",
    "status/index.html",
    "status/index.json",
    "status/services/api/index.html",
    "status/services/mail.json",
    "status/history/index.html",
    "status/history/2026-03/index.html",
    "status/how/index.html",
    "status/incidents/00000000-0000-7000-8000-000000000002/index.html",
    "status/incidents.json",
    "status/maintenance.json",
)


def test_golden(sample_status, build_site, golden):
    """The pages of the sample equal the golden files, byte for byte."""
    build_site()

    for each in PAGES:
        golden(each)


@pytest.mark.parametrize(
    ("route", "body", "path"),
    [
        ("services/list", {}, "status/index.json"),
        ("services/get", {"slug": "api"}, "status/services/api.json"),
        ("incidents/list", {}, "status/incidents.json"),
        ("maintenance/list", {}, "status/maintenance.json"),
    ],
)
def test_twin_says_what_the_api_says(
    sample_status, api, build_site, output, route, body, path
):
    """The static JSON is the API's response at the page's instant."""
    build_site()

    answer = api(f"GET /status/v1/{route}", body)

    assert json.loads((output / path).read_text())["data"] == answer.json["data"]


def test_probe_that_stops(sample_status, build_site, clock, output):
    """Time alone changes the page: after five minutes the state is stale."""
    build_site()
    assert "Public" in (output / "status/index.html").read_text()
    data = json.loads((output / "status/index.json").read_text())
    assert data["meta"]["nextChangeAt"] == "2026-03-01T12:04:50.001Z"

    clock.pass_(minutes=5)
    build_site(["status"])

    data = json.loads((output / "status/index.json").read_text())["data"]
    assert [each["state"] for each in data["services"]] == ["unknown", "degraded"]
    assert data["stale"] is True
    assert "No data since" in (output / "status/index.html").read_text()


@pytest.mark.parametrize(
    ("minutes", "state"), [(-1, "unknown"), (0, "maintenance"), (60, "unknown")]
)
def test_window_by_the_minute(sample_status, build_site, clock, output, minutes, state):
    """A window opens at startsAt and ends at endsAt, without a write."""
    clock.now = NOON + timedelta(hours=13, minutes=minutes)

    build_site(["status"])

    data = json.loads((output / "status/index.json").read_text())["data"]
    assert data["services"][0]["state"] == state


def test_hostile_names_are_escaped(sample_status, build_site, output):
    """A name or title is escaped."""
    build_site()

    for each in output.rglob("*.html"):
        text = each.read_text()
        assert "<API>" not in text
        assert "<b>mail" not in text


HOSTILE = (
    """# <script>alert(1)</script>

- **bold** [here](javascript:alert) ![x](http://elsewhere.example.com/x.png)

\u202eright to left \u05e9\u05dc\u05d5\u05dd

"""
    + "x" * 500
)


def test_hostile_timeline(sample_status, api, build_site, output):
    """Markdown in an update is safe everywhere, in its own box."""
    incident = {"title": "\u202eTitle", "severity": "degraded", "body": HOSTILE}
    id = api(f"{ADMIN}/incidents/add", incident | {"services": ["api"]}).json["data"][
        "id"
    ]
    window = {"title": "\u202eWork", "services": ["api"], "description": HOSTILE}
    window |= {"startsAt": "2026-03-01T12:00:00Z", "endsAt": "2026-03-02T02:00:00Z"}
    work = api(f"{ADMIN}/maintenance/add", window).json["data"]["id"]

    build_site(["status"])

    for path in ("index", f"incidents/{id}/index", f"maintenance/{work}/index"):
        html = (output / f"status/{path}.html").read_text()
        box = html[html.index('<div class="said" dir="auto">\n<p># &lt;script&gt;') :]
        assert "<strong>bold</strong> here" in box
        assert "<script>alert" not in html
        assert "javascript:" not in html
        assert "elsewhere.example.com" not in html


def test_two_writes_in_one_millisecond(sample_status, api, clock):
    """The second write is dated a millisecond ahead, at which a build is due."""
    api(f"{ADMIN}/services/update", {"slug": "api", "name": "Once"})
    due_at = next_page_change(clock.now, timedelta(minutes=5))

    assert due_at == clock.now + timedelta(milliseconds=1)


def test_next_told(sample_status, clock):
    """Time changes the page when a reading becomes stale, and at midnight."""
    stale_at = NOON - timedelta(seconds=10) + timedelta(minutes=5, milliseconds=1)
    clock.pass_(seconds=1)

    assert next_page_change(clock.now, timedelta(minutes=5)) == stale_at
    assert next_page_change(stale_at, timedelta(minutes=5)) == NOON + timedelta(
        hours=12
    )


def test_reading_ahead_of_the_clock(sample_status, api, clock):
    """A future reading is shown when its time comes, without a change of state."""
    api(f"{ADMIN}/measurements/record", measured(clock, "mail", "operational", ago=-5))
    clock.pass_(seconds=1)
    freshness = timedelta(minutes=5)

    assert next_page_change(clock.now, freshness) == NOON + timedelta(seconds=5)
    assert next_state_change(clock.now, freshness) == NOON + timedelta(
        minutes=4, seconds=50, milliseconds=1
    )


# What shows the overall state, and so the newest measurement of all.
OF_THE_WHOLE = {
    "index.html",
    "status/index.html",
    "status/index.json",
    "status/badge.svg",
    "status/embed/index.html",
    "status.txt",
}
OF_MAIL = {
    "status/services/mail.json",
    "status/services/mail/index.html",
    "status/badges/mail.svg",
    "status/embed/mail/index.html",
}


def test_deferrable_batch_touches_its_numbers(sample_status, api, build_site, clock):
    """A measurement without a change of state updates only its numbers."""
    clock.pass_(seconds=30)
    build_site()
    clock.pass_(seconds=30)
    api(f"{ADMIN}/measurements/record", measured(clock, "mail", "operational"))

    written = set(build_site().written)

    statuspage = {path for path in written if path.startswith("api/v2/")}
    assert written - statuspage - {"build.json", "manifest.json"} == (
        OF_THE_WHOLE | OF_MAIL
    )
    assert len(statuspage) == 8


@pytest.mark.parametrize(
    ("write", "body"),
    [
        ("incidents/add", {"title": "Slow", "severity": "degraded", "body": "Hm."}),
        (
            "maintenance/add",
            {
                "title": "Disks",
                "startsAt": "2026-03-01T11:00:00Z",
                "endsAt": "2026-03-01T12:00:10Z",
            },
        ),
    ],
)
def test_figures_end_at_each(sample_status, api, clock, write, body):
    """A service's figures end at its own last instant, independently of others."""
    fresh, midnight = timedelta(minutes=5), NOON - timedelta(hours=12)
    other, mail = (ServiceRow.get(slug=slug).number for slug in ("api", "mail"))
    clock.pass_(seconds=30)

    def changes_at(now):
        return last_changes_by_service(
            now, fresh, read_event_index(EventIndex(), read_service_versions())
        )

    first = changes_at(clock.now)[other]
    api(f"{ADMIN}/{write}", body | {"services": ["mail"]})

    assert first < NOON + timedelta(seconds=1)
    assert changes_at(clock.now) == {other: first, mail: clock.now}
    stale_at = NOON + timedelta(minutes=4, seconds=50, milliseconds=1)
    at_dawn = NOON + timedelta(hours=12)
    assert changes_at(stale_at) == {other: stale_at, mail: stale_at}
    assert changes_at(at_dawn) == {other: at_dawn, mail: at_dawn}
    assert changes_at(midnight)[other] == midnight


def test_page_is_old_when_its_first_reading_is(
    sample_status, api, build_site, clock, output
):
    """A reporting probe keeps no other service green beyond its own deadline."""
    clock.pass_(minutes=2)
    api(f"{ADMIN}/measurements/record", measured(clock, "mail", "operational"))

    build_site(["status"])

    overview = (output / "status/index.html").read_text()
    mail = (output / "status/services/mail/index.html").read_text()
    assert 'data-stale-at="2026-03-01T12:04:50.000Z"' in overview
    assert 'data-stale-at="2026-03-01T12:06:50.000Z"' in mail


def test_reason_leads_to_the_incident(sample_status, build_site, output):
    """The reason for a state links to the incident, or has its time as an element."""
    build_site(["status"])

    overview = (output / "status/index.html").read_text()
    api = (output / "status/services/api/index.html").read_text()
    incident = "/status/incidents/00000000-0000-7000-8000-000000000002/"
    title = f'<a href="{incident}"><bdi>Slow &lt;b&gt;mail&lt;/b&gt;</bdi></a>'
    assert f'<p class="reason">Incident: {title}</p>' in overview
    time = '<time datetime="2026-03-01T11:59:50.000Z" data-utc="time">11:59 UTC</time>'
    assert f">The probe found it operational at {time}</p>" in api


def test_service_list_of_a_build(sample_status, build_site, monkeypatch):
    """The list of all services is computed once in a build, for all pages."""
    lists, make = [], StatusSnapshot.service_list
    monkeypatch.setattr(
        StatusSnapshot, "service_list", lambda self: lists.append(1) or make(self)
    )

    build_site(["status"])

    assert len(lists) == 1
