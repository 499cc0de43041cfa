"""Built documents and operations: headings, tables, and examples beside fields."""

from playwright.sync_api import expect

WIDTHS = """() => [...document.querySelectorAll(".prose th")]
  .map((each) => each.getBoundingClientRect().width)"""
TOP = "each => each.getBoundingClientRect().top"


def test_old_address_of_a_heading(watched, site):
    """It leads to the heading as it is called now, which is marked; no key stops."""
    still = {"java_script_enabled": False, "reduced_motion": "reduce"}
    page = watched(f"{site}/guides/renamed/#rates", **still)

    heading = page.locator("h2#quotas")
    assert abs(heading.evaluate(TOP)) < 200
    line = "each => getComputedStyle(each).textDecorationLine"
    assert heading.evaluate(line) == "underline"
    page.locator("h2#quotas a").focus()
    page.keyboard.press("Shift+Tab")
    assert page.evaluate("!document.activeElement.closest('.prose')")


def test_words_get_the_room_of_a_table(watched, site):
    """Beside short columns, the one that holds sentences is the widest by far."""
    for width in (360, 1280):
        viewport = {"width": width, "height": 800}
        page = watched(f"{site}/guides/renamed/", viewport=viewport)

        *short, words = page.evaluate(WIDTHS)

        assert words > 2 * max(short), width
        assert page.evaluate("document.documentElement.scrollWidth") == width


def test_example_beside_the_fields(watched, site):
    """On wide screens an operation's example is beside its fields, else below them."""
    address = f"{site}/reference/status/incidents/"
    for width, is_beside in ((1280, True), (800, False)):
        page = watched(address, viewport={"width": width, "height": 900})
        section = page.locator(".operation").first
        fields = section.locator(".members").last.bounding_box()
        example = section.locator(".sample").bounding_box()
        assert (example["x"] >= fields["x"] + fields["width"]) is is_beside
        assert (example["y"] >= fields["y"] + fields["height"]) is not is_beside


def test_operations_in_the_navigation(watched, site):
    """The navigation has the operations of the page, and marks the one in view."""
    page = watched(
        f"{site}/reference/status/incidents/", viewport={"width": 1280, "height": 900}
    )
    links = page.locator(".pages a[href^='#']")
    assert links.all_inner_texts()[:3] == ["add", "remove", "update"]

    page.evaluate("document.querySelector('#update').scrollIntoView()")

    expect(page.locator(".pages a[href='#update']")).to_have_attribute(
        "aria-current", "location"
    )
