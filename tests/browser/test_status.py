"""A page recognises that it is stale: the reader's clock advances without a builder."""

import re
from datetime import datetime

import pytest

from tests.browser.status_site import (
    FRONT,
    GREEN,
    MINUTE,
    NOW,
    OLD,
    OVERVIEW,
    SERVICE,
    headline,
    states,
)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", [OVERVIEW, SERVICE, FRONT])
def test_nothing_is_green_past_the_deadline(works, visit, path, scheme):
    """While fresh, operational services are green; past the deadline nothing is."""
    page = visit(path, color_scheme=scheme)
    assert page.evaluate(GREEN) > 0
    assert page.locator(".state .is-operational:visible").count() > 0

    page.clock.run_for(4.9 * MINUTE)

    assert page.get_by_text(OLD).is_visible()
    assert page.title().startswith("Out of date: ")
    assert page.evaluate(GREEN) == 0
    assert page.locator(".state .is-operational:visible").count() == 0


def test_deadline(works, visit):
    """The page is stale exactly at its deadline; its clock advances in between."""
    page = visit(OVERVIEW)

    page.clock.run_for(275_000)
    assert headline(page) == "All systems operational"
    page.clock.run_for(15_000)

    assert headline(page) == OLD
    assert states(page) == dict.fromkeys(
        ("Api", "Mail"), "Operational when last checked"
    )


def test_deadline_of_an_embed(world, visit):
    """An embed has no script: its styles alone mark it, after the time of the site."""
    world.set_theme(freshness_seconds=60)
    world.service("api")
    world.sample("api")
    world.build()

    page = visit("/status/embed/api/")

    delay = "(each) => getComputedStyle(each).animationDelay"
    marked = [page.locator(each).evaluate(delay) for each in (".card", ".late")]
    assert marked == ["60s", "60s"]


@pytest.mark.parametrize("at", [290, 3600, 40 * 86400])
@pytest.mark.parametrize("path", [OVERVIEW, SERVICE, FRONT])
def test_copy_served_late(works, visit, path, at):
    """A copy that a cache serves past the deadline is stale from the start."""
    page = visit(path, at=at)

    assert page.get_by_text(OLD).is_visible()
    assert page.evaluate(GREEN) == 0


def test_page_that_slept(works, visit):
    """A page of a suspended machine is stale as soon as it is visible again."""
    page = visit(OVERVIEW)

    page.clock.fast_forward(3600 * 1000)

    assert headline(page) == OLD


@pytest.fixture
def planned(works):
    """A window over api, from two minutes on for one minute; then the builder stops."""
    works.window("api", starts=120, ends=180)
    works.build()
    return works


def places(page):
    """Return where the window is on the overview, as visible to readers."""
    ids = ("coming", "running")
    found = [i for i in ids if page.locator(f"#{i} article:visible").count()]
    return "".join(found) or "gone"


def test_window_moves_at_its_minutes(planned, visit):
    """A window is planned, then active, then gone, and the states follow it."""
    page = visit(OVERVIEW)
    assert (places(page), headline(page)) == ("coming", "All systems operational")

    # The page's clock advances between its steps: on a busy machine for seconds.
    page.clock.run_for(100_000)
    assert places(page) == "coming"
    page.clock.run_for(20_000)
    assert (places(page), headline(page)) == ("running", "Maintenance in progress")
    assert states(page) == {"Api": "Maintenance", "Mail": "Operational"}
    assert "is-maintenance" in page.locator(".banner").get_attribute("class")
    page.clock.run_for(60_000)

    assert places(page) == "gone"
    assert not page.locator("#running").is_visible()


@pytest.mark.parametrize(("path", "at"), [(SERVICE, ".verdict"), (FRONT, ".pulse")])
def test_window_turns_every_page(planned, visit, path, at):
    """No page shows services under maintenance as operational."""
    page = visit(path)
    assert "perational" in page.locator(at).inner_text()

    page.clock.run_for(120_000)

    assert "Maintenance" in page.locator(at).inner_text()
    assert page.locator(".banner .is-operational:visible").count() == 0


def test_service_beside_the_window_stays(planned, visit):
    """A window does not affect services that it does not name."""
    page = visit("/status/services/mail/")

    page.clock.run_for(120_000)

    assert page.locator(".verdict").inner_text().strip() == "Operational"


def test_phases_of_a_window(planned, visit):
    """A window's own page goes through its phases by the reader's clock."""
    found = re.search(r"/status/maintenance/[^/]+/", planned.text("status/index.html"))
    page = visit(found[0])
    status = page.locator(".facts dd").first

    phases = [status.inner_text()]
    for _ in range(2):
        page.clock.run_for(2 * MINUTE)
        phases.append(status.inner_text())

    assert phases == ["Scheduled", "Active", "Completed"]


def test_incident_dated_ahead(works, visit):
    """A future incident begins at its minute, with its severity."""
    works.incident("api", severity="major-outage", started=90)
    works.build()
    page = visit(OVERVIEW)
    assert headline(page) == "All systems operational"

    page.clock.run_for(90_000)

    assert headline(page) == "Major outage"
    assert states(page) == {"Api": "Major outage", "Mail": "Operational"}


def test_without_scripts(works, visit):
    """
    The page has the time of the check, and the time from which it is stale, in words.
    """
    page = visit(OVERVIEW, java_script_enabled=False)

    banner = page.locator(".banner").inner_text()
    assert "As of 1 Mar 2026, 11:59 UTC. The next update is due by 12:04 UTC." in banner
    assert "After that, this page is out of date." in banner


@pytest.mark.parametrize(
    ("zone", "instant", "shown"),
    [
        ("UTC", "2026-03-01T11:59:50.000Z", "1 Mar 2026, 11:59 UTC"),
        ("Asia/Kolkata", "2026-03-01T11:59:50.000Z", "1 Mar 2026, 17:29 GMT+5:30"),
        # The hour that occurs twice, and the one that does not exist.
        ("Europe/Berlin", "2026-10-25T00:30:00.000Z", "25 Oct 2026, 02:30 CEST"),
        ("Europe/Berlin", "2026-10-25T01:30:00.000Z", "25 Oct 2026, 02:30 CET"),
        ("Europe/Berlin", "2026-03-29T01:00:00.000Z", "29 Mar 2026, 03:00 CEST"),
        ("America/New_York", "2026-03-01T00:00:00.000Z", "28 Feb 2026, 19:00 GMT-5"),
    ],
)
def test_times_are_the_readers_own(works, visit, zone, instant, shown):
    """Times are in the reader's zone with its name, so that no hour is ambiguous."""
    starts = (datetime.fromisoformat(instant) - NOW).total_seconds()
    works.window("api", starts=starts, ends=starts + 2 * 86400)
    works.build()

    page = visit(OVERVIEW, timezone_id=zone, locale="de-DE")

    time = page.locator(f'time[datetime="{instant}"]').first
    assert time.inner_text() == shown
    assert time.get_attribute("title").endswith(" UTC")


@pytest.mark.parametrize(
    ("zone", "due"),
    [
        ("Asia/Kolkata", "The next update is due by 17:34 GMT+5:30."),
        ("Asia/Kamchatka", "The next update is due by 2 Mar 2026, 00:04 GMT+12."),
    ],
)
def test_times_of_the_readers_next_day(works, visit, zone, due):
    """A time on another day than the page has its date, in the reader's zone."""
    page = visit(OVERVIEW, timezone_id=zone)

    assert page.get_by_text(due).is_visible()


def test_tables_stay_in_utc(works, visit):
    """A column that says UTC has UTC, wherever the reader is."""
    works.sample("api", at=-5000)
    works.build()
    page = visit(SERVICE, timezone_id="Asia/Kolkata")
    page.evaluate(
        "document.querySelectorAll('details').forEach((d) => (d.open = true))"
    )

    times = page.locator("td time[datetime*=T]").all_inner_texts()

    assert times
    assert all(each.endswith(" UTC") for each in times)


def test_relative_times(works, visit):
    """The age of an update is rounded down, and never zero minutes."""
    works.incident("api", started=0)
    works.build()
    page = visit(OVERVIEW)
    # So that the page is not replaced between two of its minutes.
    page.context.set_offline(True)
    update = page.locator("time[data-ago]")

    ages = []
    for _ in range(3):
        ages.append(update.get_attribute("data-ago"))
        page.clock.run_for(MINUTE)

    assert ages == ["less than a minute ago", "1 minute ago", "2 minutes ago"]
