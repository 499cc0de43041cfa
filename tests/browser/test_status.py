"""The page that knows it is old: the reader's clock moves, and the builder is dead."""

import re
from datetime import datetime

import pytest

from tests.browser.status_site import NOW

OVERVIEW, SERVICE, FRONT = "/status/", "/status/services/api/", "/"
OLD = "Status data out of date"
MINUTE = 60_000

# Every place that shows the colour of what works, on the page as it stands.
GREEN = """() => {
  const ground = document.createElement("div");
  ground.style.color = "light-dark(#1a774d, #52c08d)";
  document.body.append(ground);
  const green = getComputedStyle(ground).color;
  ground.remove();
  const all = [...document.querySelectorAll("main *")];
  return all.filter((each) => each.checkVisibility()).filter((each) => {
    const style = getComputedStyle(each);
    const { fill, backgroundColor, borderTopColor, borderLeftColor } = style;
    return [fill, backgroundColor, borderTopColor, borderLeftColor].includes(green);
  }).length;
}"""


@pytest.fixture
def works(world):
    """Two services that work, just measured; the page is built, the builder dies."""
    for slug in ("api", "mail"):
        world.service(slug)
        world.sample(slug)
    world.build()
    return world


def headline(page):
    return page.locator("h1").inner_text()


def states(page):
    """The words beside each service of the overview, by its name."""
    rows = [each.inner_text().split("\n") for each in page.locator(".row").all()]
    return {name: state.strip() for name, *_, state in rows}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", [OVERVIEW, SERVICE, FRONT])
def test_nothing_is_green_past_the_deadline(works, visit, path, scheme):
    """While fresh what works is green; past the deadline no place on the page is."""
    page = visit(path, color_scheme=scheme)
    assert page.evaluate(GREEN) > 0
    assert page.locator(".state .is-operational:visible").count() > 0

    page.clock.run_for(4.9 * MINUTE)

    assert page.get_by_text(OLD).is_visible()
    assert page.title().startswith("Out of date: ")
    assert page.evaluate(GREEN) == 0
    assert page.locator(".state .is-operational:visible").count() == 0


def test_deadline_to_the_second(works, visit):
    """The page is old at its deadline, and not a second before."""
    page = visit(OVERVIEW)

    page.clock.run_for(289_000)
    assert headline(page) == "All systems operational"
    page.clock.run_for(1_000)

    assert headline(page) == OLD
    assert states(page) == dict.fromkeys(
        ("Api", "Mail"), "Operational when last checked"
    )


@pytest.mark.parametrize("at", [290, 3600, 40 * 86400])
@pytest.mark.parametrize("path", [OVERVIEW, SERVICE, FRONT])
def test_copy_served_late(works, visit, path, at):
    """What a cache serves past the deadline is old from its first moment on."""
    page = visit(path, at=at)

    assert page.get_by_text(OLD).is_visible()
    assert page.evaluate(GREEN) == 0


def test_page_that_slept(works, visit):
    """A page that the machine laid to sleep is old as soon as it is seen again."""
    page = visit(OVERVIEW)

    page.clock.fast_forward(3600 * 1000)

    assert headline(page) == OLD


@pytest.fixture
def planned(works):
    """A window over api, from two minutes on and for one; then the builder dies."""
    works.window("api", starts=120, ends=180)
    works.build()
    return works


def places(page):
    """Where the window stands on the overview, for whoever looks."""
    ids = ("coming", "running")
    found = [i for i in ids if page.locator(f"#{i} article:visible").count()]
    return "".join(found) or "gone"


def test_window_moves_at_its_minutes(planned, visit):
    """It is coming, then running, then gone, and the states turn with it."""
    page = visit(OVERVIEW)
    assert (places(page), headline(page)) == ("coming", "All systems operational")

    page.clock.run_for(119_000)
    assert places(page) == "coming"
    page.clock.run_for(1_000)
    assert (places(page), headline(page)) == ("running", "Maintenance under way")
    assert states(page) == {"Api": "Maintenance", "Mail": "Operational"}
    assert "is-maintenance" in page.locator(".banner").get_attribute("class")
    page.clock.run_for(60_000)

    assert places(page) == "gone"
    assert not page.locator("#running").is_visible()


@pytest.mark.parametrize(("path", "at"), [(SERVICE, ".verdict"), (FRONT, ".pulse")])
def test_window_turns_every_page(planned, visit, path, at):
    """No page goes on saying that what is under maintenance works."""
    page = visit(path)
    assert "perational" in page.locator(at).inner_text()

    page.clock.run_for(120_000)

    assert "Maintenance" in page.locator(at).inner_text()
    assert page.locator(".banner .is-operational:visible").count() == 0


def test_service_beside_the_window_stays(planned, visit):
    """A window says nothing of a service that it does not name."""
    page = visit("/status/services/mail/")

    page.clock.run_for(120_000)

    assert page.locator(".verdict").inner_text().strip() == "Operational"


def test_phases_of_a_window(planned, visit):
    """A window's own page goes through its phases by the reader's clock."""
    found = re.search(r"/status/maintenance/[^/]+/", planned.text("status/index.html"))
    page = visit(found[0])
    status = page.locator(".facts dd").first

    said = [status.inner_text()]
    for _ in range(2):
        page.clock.run_for(2 * MINUTE)
        said.append(status.inner_text())

    assert said == ["Scheduled", "Active", "Completed"]


def test_incident_dated_ahead(works, visit):
    """It begins at its minute, with the severity that it will have."""
    works.incident("api", severity="major-outage", started=90)
    works.build()
    page = visit(OVERVIEW)
    assert headline(page) == "All systems operational"

    page.clock.run_for(90_000)

    assert headline(page) == "Major outage"
    assert states(page) == {"Api": "Major outage", "Mail": "Operational"}


def test_without_scripts(works, visit):
    """The page says in words when it was checked, and from when on it is old."""
    page = visit(OVERVIEW, java_script_enabled=False)

    said = page.locator(".banner").inner_text()
    assert "As of 1 Mar 2026, 11:59 UTC, next check due by 12:04 UTC" in said
    assert "after that this page is out of date" in said


@pytest.mark.parametrize(
    ("zone", "instant", "shown"),
    [
        ("UTC", "2026-03-01T11:59:50.000Z", "1 Mar 2026, 11:59 UTC"),
        ("Asia/Kolkata", "2026-03-01T11:59:50.000Z", "1 Mar 2026, 17:29 GMT+5:30"),
        # The hour that comes twice, and the one that never comes.
        ("Europe/Berlin", "2026-10-25T00:30:00.000Z", "25 Oct 2026, 02:30 CEST"),
        ("Europe/Berlin", "2026-10-25T01:30:00.000Z", "25 Oct 2026, 02:30 CET"),
        ("Europe/Berlin", "2026-03-29T01:00:00.000Z", "29 Mar 2026, 03:00 CEST"),
        ("America/New_York", "2026-03-01T00:00:00.000Z", "28 Feb 2026, 19:00 GMT-5"),
    ],
)
def test_times_are_the_readers_own(works, visit, zone, instant, shown):
    """In the reader's zone and with its name, so that no hour is told twice."""
    starts = (datetime.fromisoformat(instant) - NOW).total_seconds()
    works.window("api", starts=starts, ends=starts + 2 * 86400)
    works.build()

    page = visit(OVERVIEW, timezone_id=zone, locale="de-DE")

    time = page.locator(f'time[datetime="{instant}"]').first
    assert time.inner_text() == shown
    assert time.get_attribute("title").endswith(" UTC")


def test_page_renews_itself(works, visit):
    """Once a minute it looks whether there is a newer one, and becomes it."""
    page = visit(OVERVIEW)
    works.sample("api", "down", at=30)
    works.sample("mail", at=30)
    works.build(at=31)

    page.clock.run_for(MINUTE)

    page.get_by_role("heading", level=1, name="Major outage").wait_for()
    assert page.title() == "Status – Masthead"
    page.clock.run_for(4 * MINUTE)
    assert headline(page) == "Major outage"


def test_old_page_comes_back(works, visit):
    """A page that was old takes a newer one's word, and says no more that it is."""
    page = visit(OVERVIEW, at=600)
    assert headline(page) == OLD
    for slug in ("api", "mail"):
        works.sample(slug, at=640)
    works.build(at=641)

    page.clock.run_for(MINUTE)

    page.get_by_role("heading", level=1, name="All systems operational").wait_for()
    assert page.title() == "Status – Masthead"
    assert page.evaluate(GREEN) > 0
    assert set(states(page).values()) == {"Operational"}


def test_renewal_disturbs_nobody(works, visit):
    """Focus stays with its link, the scroll with its place, open stays open."""
    page = visit(SERVICE, viewport={"width": 800, "height": 500})
    page.locator("details summary").first.click()
    page.locator(".overline a").focus()
    page.evaluate("scrollTo(0, 300)")
    works.sample("api", "degraded", at=30)
    works.build(at=31)

    page.clock.run_for(MINUTE)

    page.get_by_text("1 of 1 probe degraded").wait_for()
    assert page.evaluate("scrollY") == 300
    assert page.evaluate("document.activeElement.textContent") == "Status"
    assert page.locator("details").first.evaluate("each => each.open")


def test_focus_stays_with_its_link(works, visit):
    """A link that moves down the page takes the focus with it."""
    page = visit(OVERVIEW)
    page.get_by_role("link", name="Mail").focus()
    works.service("a", name="Aaa", display_order=0)
    works.sample("a", at=30)
    works.build(at=31)

    page.clock.run_for(MINUTE)

    page.get_by_role("link", name="Aaa").wait_for()
    assert page.evaluate("document.activeElement.textContent") == "Mail"


def asked_for(page, path=OVERVIEW):
    return len([each for each in page.asked if each.endswith(path)])


def test_looks_once_a_minute(works, visit):
    """Ten minutes are ten looks at most, however often the page is seen."""
    page = visit(OVERVIEW)

    for _ in range(120):
        page.clock.run_for(5_000)
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")

    assert 9 <= asked_for(page) - 1 <= 10


def test_unseen_page_asks_for_nothing(works, visit):
    """A page in the background is quiet, and looks when it is seen again."""
    page = visit(OVERVIEW)
    hidden = "value => Object.defineProperty(document, 'hidden', "
    hidden += "{value, configurable: true})"
    page.evaluate(hidden, True)
    page.clock.run_for(10 * MINUTE)
    assert asked_for(page) == 1

    page.evaluate(hidden, False)
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")

    assert asked_for(page) == 2


def test_offline_page_asks_for_nothing(works, visit):
    """Without a network the page asks nobody, and grows old all the same."""
    page = visit(OVERVIEW)
    page.context.set_offline(True)

    page.clock.run_for(10 * MINUTE)

    assert asked_for(page) == 1
    assert headline(page) == OLD


def test_older_copy_is_not_believed(works, visit):
    """A cache that still has an older page does not turn the clock back."""
    older = works.text("status/index.html")
    for slug in ("api", "mail"):
        works.sample(slug, "down", at=30)
    works.build(at=31)
    page = visit(OVERVIEW, at=31)
    page.route("**/status/", lambda route: route.fulfill(body=older))

    page.clock.run_for(2 * MINUTE)

    assert asked_for(page) >= 2
    assert headline(page) == "Major outage"


@pytest.mark.parametrize("answer", ["<h1>Sign in</h1>", "", "<main>{}</main>"])
def test_stranger_is_not_believed(works, visit, answer):
    """What another page answers in the place of this one is not shown."""
    page = visit(OVERVIEW)
    page.route("**/status/", lambda route: route.fulfill(body=answer))

    page.clock.run_for(2 * MINUTE)

    assert asked_for(page) >= 2
    assert headline(page) == "All systems operational"
