"""A built document: old addresses of its headings, and the room of its tables."""

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
