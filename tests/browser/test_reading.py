"""A document for its readers: on paper, in forced colours, by keyboard."""

import pytest

from tests.browser.test_site import PAGES, paths, visit  # noqa: F401  (fixtures)
from tests.browser.test_status_scenes import FINDINGS, LOOKS

SHIFTED = """() => new Promise((tell) => {
  let sum = 0;
  const seen = (list) => { for (const each of list.getEntries()) sum += each.value; };
  new PerformanceObserver(seen).observe({ type: "layout-shift", buffered: true });
  requestAnimationFrame(() => requestAnimationFrame(() => tell(sum)));
})"""
WIDER = """() => [...document.querySelectorAll(".prose *")]
  .filter((each) => each.getBoundingClientRect().right > innerWidth + 1)
  .map((each) => each.tagName)"""
PAPER = {"width": 794, "height": 1000}


@pytest.mark.parametrize("name", PAGES)
def test_nothing_to_stumble_over(visit, name):  # noqa: F811
    """
    Names, levels, lists and contrast are correct in light, dark and forced colours.
    """
    page = visit(name)

    for look in LOOKS:
        page.emulate_media(**look)
        assert page.evaluate(FINDINGS) == [], look


@pytest.mark.parametrize("name", ["front", "collection", "document", "status"])
@pytest.mark.parametrize("width", [360, 1280])
def test_nothing_moves(visit, name, width):  # noqa: F811
    """Text that a reader has begun to read does not move."""
    page = visit(name, viewport={"width": width, "height": 1400})

    page.clock.run_for(1000)

    assert page.evaluate(SHIFTED) == 0


def test_on_paper(visit):  # noqa: F811
    """On paper a wide table is complete, and there are no controls."""
    page = visit("document", viewport=PAPER)

    page.emulate_media(media="print")

    assert page.evaluate(WIDER) == []
    assert page.locator("nav:visible:not(.crumbs), button:visible").count() == 0
    assert page.locator("h1").is_visible()


def test_forced_colours(visit):  # noqa: F811
    """With the system's colours, focus and state are still visible."""
    page = visit("document", forced_colors="active")

    link = page.locator(".prose a").first
    link.focus()

    assert link.evaluate("each => getComputedStyle(each).outlineStyle") == "solid"
    mark = "each => getComputedStyle(each).borderLeftWidth"
    assert page.locator(".admonition").first.evaluate(mark) == "3px"


def test_by_keyboard(visit):  # noqa: F811
    """The first tab stop skips the navigation, and every code block can be reached."""
    page = visit("document", viewport={"width": 1280, "height": 700})

    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")

    assert page.evaluate("document.activeElement.id") == "page.main"
    boxes = page.locator(".prose pre, .prose .table")
    assert boxes.count() > 1
    assert all(box.get_attribute("tabindex") == "0" for box in boxes.all())
