"""Built documents and operations: headings, tables, and examples beside fields."""

from playwright.sync_api import expect

WIDTHS = """() => [...document.querySelectorAll(".prose th")]
  .map((each) => each.getBoundingClientRect().width)"""
TOP = "each => each.getBoundingClientRect().top"


def test_old_address_of_a_heading(open_strictly, site):
    """
    An old address opens the renamed heading, which is highlighted; no tab stop is
    added.
    """
    still = {"java_script_enabled": False, "reduced_motion": "reduce"}
    page = open_strictly(f"{site}/guides/renamed/#rates", **still)

    heading = page.locator("h2#quotas")
    assert abs(heading.evaluate(TOP)) < 200
    line = "each => getComputedStyle(each).textDecorationLine"
    assert heading.evaluate(line) == "underline"
    page.locator("h2#quotas a").focus()
    page.keyboard.press("Shift+Tab")
    assert page.evaluate("!document.activeElement.closest('.prose')")


def test_words_get_the_room_of_a_table(open_strictly, site):
    """Beside short columns, the one with sentences is by far the widest."""
    for width in (360, 1280):
        viewport = {"width": width, "height": 800}
        page = open_strictly(f"{site}/guides/renamed/", viewport=viewport)

        *short, words = page.evaluate(WIDTHS)

        assert words > 2 * max(short), width
        assert page.evaluate("document.documentElement.scrollWidth") == width


def test_example_beside_the_fields(open_strictly, site):
    """On wide screens an operation's example is beside its fields, else below them."""
    address = f"{site}/reference/status/incidents/"
    for width, is_beside in ((1280, True), (800, False)):
        page = open_strictly(address, viewport={"width": width, "height": 900})
        section = page.locator(".operation").first
        fields = section.locator(".members").last.bounding_box()
        example = section.locator(".sample").bounding_box()
        assert (example["x"] >= fields["x"] + fields["width"]) is is_beside
        assert (example["y"] >= fields["y"] + fields["height"]) is not is_beside


def test_operations_in_the_navigation(open_strictly, site):
    """The navigation has the operations of the page, and marks the visible one."""
    page = open_strictly(
        f"{site}/reference/status/incidents/", viewport={"width": 1280, "height": 900}
    )
    links = page.locator(".pages a[href^='#']")
    assert links.all_inner_texts()[:3] == ["add", "remove", "update"]

    page.evaluate("document.querySelector('#update').scrollIntoView()")

    expect(page.locator(".pages a[href='#update']")).to_have_attribute(
        "aria-current", "location"
    )
