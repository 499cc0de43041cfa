"""The history by month, in UTC."""

import gzip
from datetime import UTC, datetime

import pytest

from models.base import new_id
from models.status.incidents.incidents import IncidentRow, record_severity
from models.status.services.rows import AffectedRow
from models.storage.database import writing
from tests.factories.status import ADD_INCIDENT, UPDATE_INCIDENT, World
from tests.pages.html import Reader

MONTHS = ("2025-12", "2026-01", "2026-02", "2026-03")


@pytest.fixture
def world(api, clock):
    world = World(api, clock)
    world.service("api")
    return world


@pytest.fixture
def read(build_site, output):
    """Build, and return the titles in each month."""

    def found():
        build_site(["status"])
        pages = {
            each: output / "status/history" / each / "index.html" for each in MONTHS
        }
        return {
            month: Reader(path.read_text()).text_of("bdi")
            for month, path in pages.items()
            if path.exists()
        }

    return found


def happened(api, start, end=None):
    """Open an incident, and resolve it."""
    result = {
        "title": "Trouble",
        "severity": "degraded",
        "body": "Oh.",
        "services": ["api"],
    }
    id = api(ADD_INCIDENT, result | {"startedAt": start}).json["data"]["id"]
    if end:
        result = {"id": id, "status": "resolved", "resolvedAt": end}
        assert api(UPDATE_INCIDENT, result).status_code == 200


@pytest.mark.parametrize(
    ("start", "end", "months"),
    [
        ("2026-02-27T23:00:00Z", "2026-02-28T23:59:59Z", {"2026-02"}),
        ("2026-02-28T23:00:00Z", "2026-03-01T00:00:00Z", {"2026-02"}),
        ("2026-02-28T23:00:00Z", "2026-03-01T00:00:00.001Z", {"2026-02", "2026-03"}),
        ("2026-03-01T00:00:00Z", "2026-03-01T00:00:00Z", {"2026-03"}),
        ("2026-03-01T01:30:00+02:00", "2026-03-01T01:40:00+02:00", {"2026-02"}),
        ("2025-12-31T12:00:00Z", None, set(MONTHS)),
        ("2026-03-01T12:00:30Z", None, set()),
    ],
)
def test_months(world, api, read, start, end, months):
    """
    A month has what overlaps it: the end does not count, an open incident lasts until
    now, and future windows are not included.
    """
    happened(api, start, end)

    assert read().keys() == months


def test_windows_and_turning(world, api, read, output):
    """Months without events have no page, and are skipped by the links."""
    world.window("api", -40 * 86400, -40 * 86400 + 60, title="Old")
    world.window("api", -60, 60, title="New")
    world.window("api", 86400, 90000, title="To come")
    happened(api, "2025-12-03T00:00:00Z", "2025-12-03T01:00:00Z")

    found = read()

    assert {month: titles[1:] for month, titles in found.items()} == {
        "2025-12": ["Trouble", "Service api"],
        "2026-01": ["Old", "Service api"],
        "2026-03": ["New", "Service api"],
    }
    page = (output / "status/history/2026-01/index.html").read_text()
    assert '<a rel="prev" href="/status/history/2025-12/">' in page
    assert '<a rel="next" href="/status/history/2026-03/">' in page
    listed = Reader((output / "status/history/index.html").read_text())
    months = ["March 2026", "January 2026", "December 2025"]
    assert [t for t in listed.text_of("time") if t[-4:-2] == "20"] == months


def test_year_at_a_glance(world, api, read, output):
    """Each year with events has its months, with links to those with events."""
    happened(api, "2025-12-03T00:00:00Z", "2025-12-03T01:00:00Z")
    world.window("api", -60, 60, title="New")

    read()

    html = (output / "status/history/index.html").read_text()
    listed = Reader(html)
    assert [found["id"] for found in listed.all("h2") if "id" in found] == [
        "year.2026",
        "year.2025",
    ]
    assert html.count('<time class="month" datetime="2025-12">') == 1
    assert html.count('<time datetime="2025-') == 12 + len(["of the incident"])
    assert html.count('<time datetime="2026-') == 12
    december = '<li class="is-degraded"><a href="/status/history/2025-12/" title="1 inc'
    assert december in html
    assert '<li class="is-none"><a href="/status/history/2026-03/" title="0 inc' in html
    assert '<a href="/status/history/2026-02/"' not in html


def test_titles_of_a_month(world, api, read, output):
    """The list names the newest incidents of a month, with their durations."""
    for day in range(1, 8):
        begun, over = f"2025-12-0{day}T00:00:00Z", f"2025-12-0{day}T01:30:00Z"
        happened(api, begun, over)

    read()

    page = Reader((output / "status/history/index.html").read_text())
    assert page.words().count("Trouble 1 h 30 min") == 5
    assert "2 more incidents" in page.words()


def many(count):
    """Create this number of incidents in one month, resolved within the last days."""
    base = datetime(2026, 2, 26, tzinfo=UTC)
    with writing():
        for number in range(count):
            at = base.replace(hour=number % 24, minute=number % 60)
            incident = IncidentRow.create(
                id=new_id(at),
                title=f"Trouble {number}",
                status="resolved",
                severity="degraded",
                started_at=at,
                resolved_at=at,
                created_at=at,
                updated_at=at,
            )
            record_severity(incident, at)
            AffectedRow.create(
                subject=incident.id, service=1, slug="api", kept_name="API"
            )


def test_thousand_incidents_in_a_month(world, read, build_site, output):
    """
    All incidents are on the page of the month, which stays small; the overview shows
    some and links to the others.
    """
    many(1000)

    assert len(read()["2026-02"]) == 1 + 2 * 1000

    month = (output / "status/history/2026-02/index.html").read_bytes()
    assert len(month) < 500_000
    assert len(gzip.compress(month)) < 30_000
    overview = (output / "status/index.html").read_text()
    assert overview.count('<article class="past">') == 20
    assert "980 more were resolved in the last 14 days." in overview
    assert build_site(["status"]).written == []
