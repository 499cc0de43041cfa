"""The days of a service, with a mouse, a finger or a keyboard."""

import pytest

from tests.browser.status_site import MINUTE, OVERVIEW

WITHOUT_SCRIPTS = {"java_script_enabled": False}
CHOSEN = "getComputedStyle(document.querySelector(':checked'), '::after').content"


@pytest.fixture
def site_with_incident(works):
    """A site whose services had an incident today."""
    works.incident("api", "mail", title="Trouble")
    works.build()
    return works


def bars(page, slug="api"):
    return page.locator(f".bars > input[name={slug}]")


@pytest.mark.parametrize("options", [{}, WITHOUT_SCRIPTS])
def test_day_with_events(site_with_incident, visit, options):
    """Choosing a day shows its events, with links, also without scripts."""
    page = visit(OVERVIEW, **options)
    link = page.locator(".bars a:visible")
    assert link.count() == 0

    bars(page).last.click()

    assert link.all_inner_texts() == ["Trouble"]
    # The pointer can reach the link, across the axis.
    link.click()
    page.wait_for_url("**/status/incidents/*/")


@pytest.mark.parametrize("options", [{}, WITHOUT_SCRIPTS])
def test_keyboard(site_with_incident, visit, options):
    """The days of a service are one tab stop, and the arrow keys move between days."""
    page = visit(OVERVIEW, **options)
    page.get_by_role("link", name="Api").last.focus()

    names = []
    for key in ("Tab", "Tab", "ArrowLeft"):
        page.keyboard.press(key)
        focused = page.locator(":focus")
        names.append(focused.get_attribute("aria-label") or focused.inner_text())

    assert names == [
        "Trouble",
        "2 Dec 2025: No data",
        "1 Mar 2026: Degraded, 100 % uptime",
    ]
    assert page.locator(".bars a:visible").all_inner_texts() == ["Trouble"]
    page.keyboard.press("ArrowLeft")
    assert "28 Feb 2026: No data" in page.evaluate(CHOSEN)


def test_choice_that_is_taken_back(site_with_incident, visit):
    """Escape hides the chosen day, and so does choosing it again."""
    page = visit(OVERVIEW)
    last = bars(page).last

    for take_back in (last.click, lambda: page.keyboard.press("Escape")):
        last.click()
        assert last.is_checked()
        take_back()
        assert not last.is_checked()


def test_phone(works, visit):
    """
    On a phone the last thirty days fill two lines, each large enough for a thumb (24
    pixels, as WCAG 2.2 requires), and swiping shows the others.
    """
    page = visit(OVERVIEW, viewport={"width": 360, "height": 800}, **WITHOUT_SCRIPTS)

    sizes = [bar.bounding_box() for bar in bars(page).all()]
    left = [round(size["x"]) for size in sizes]
    box = page.locator(".strip").first.bounding_box()

    assert {min(size["width"], size["height"]) >= 24 for size in sizes} == {True}
    assert left[60] == left[75] == round(box["x"])
    assert left[89] + 10 <= round(box["x"] + box["width"]) <= 360
    page.locator(".strip").first.evaluate("each => each.scrollBy(-10000, 0)")
    assert bars(page).first.bounding_box()["x"] >= 0
    assert page.get_by_text("Last 30 days").first.is_visible()


@pytest.mark.parametrize(("width", "days"), [(360, 30), (1200, 90)])
def test_uptime_of_the_days_shown(works, visit, width, days):
    """The uptime beside the bars is that of the shown days."""
    page = visit(OVERVIEW, viewport={"width": width, "height": 800})

    figures = page.locator(".axis span:visible", has_text="uptime").all_inner_texts()

    assert figures
    assert [each for each in figures if not each.endswith(f"of {days} days)")] == []


def test_choice_follows_its_day(site_with_incident, visit):
    """At midnight the bars move on, and the chosen day stays chosen."""
    site_with_incident.sample("api", at=43_170)
    site_with_incident.build(at=43_199)
    page = visit(OVERVIEW, at=43_199)
    bars(page).last.check()

    site_with_incident.build(at=43_201)
    with page.expect_response("**/status/"):
        page.clock.run_for(2 * MINUTE)
    bars(page).and_(page.locator("[value='2026-03-02']")).wait_for()

    assert page.locator(":checked").get_attribute("value") == "2026-03-01"


def test_folded_group(world, visit):
    """A folded group stays folded; one with a new problem is unfolded."""
    for number in range(31):
        world.service(f"s{number}", group="Core" if number else "Edge")
        world.sample(f"s{number}", at=-10)
    world.build()
    page = visit(OVERVIEW)
    core, edge = (page.locator(f"summary[data-key={key}]") for key in ("Core", "Edge"))
    is_open = "each => each.parentNode.open"
    assert (core.evaluate(is_open), edge.evaluate(is_open)) == (False, False)
    core.click()

    for number in range(31):
        world.sample(f"s{number}", "operational" if number else "down", at=30)
    world.build(at=31)
    page.clock.run_for(2 * MINUTE)
    page.get_by_role("heading", level=1, name="Major outage").wait_for()

    assert (core.evaluate(is_open), edge.evaluate(is_open)) == (True, True)
    edge.click()
    world.build(at=32)
    world.sample("s1", "down", at=90)
    world.build(at=91)
    page.clock.run_for(2 * MINUTE)
    page.get_by_text("S1 (Major outage)").wait_for()
    assert (core.evaluate(is_open), edge.evaluate(is_open)) == (True, False)
