"""Dates that scripts write are those of the pages: Gregorian, with Latin digits."""

import re

import pytest

from tests.browser.status_site import SERVICE

# A time that stays in UTC.
CELL = "td > time[datetime*=T]"


@pytest.fixture
def visit_in(world, visit):
    """Open a page of a site in a language, on which the service api has an incident."""

    def go(language, path):
        world.set_theme(language=language)
        world.service("api")
        world.sample("api")
        world.incident("api", title="Errors")
        world.build()
        return visit(path, timezone_id="UTC")

    return go


def is_gregorian(text):
    """Return whether a date in 2026 has ASCII digits, and no other year."""
    numbers = re.findall(r"\d+", text)
    return "2026" in numbers and "".join(numbers).isascii()


# Persian and Thai have calendars and digits of their own; Marathi has digits.
@pytest.mark.parametrize("language", ["fa", "th", "mr"])
def test_dates_in_other_calendars(visit_in, language):
    """Local times, tooltips and search results use the calendar of the pages."""
    page = visit_in(language, SERVICE)
    times = page.locator("time[data-utc='']").all_inner_texts()
    tooltip = page.locator(CELL).first.get_attribute("title")
    page.goto(f"{page.url}../../../search/?q=Errors")
    result = page.locator(".results li", has_text="Errors").first.inner_text()

    dates = [*times, tooltip, result]
    assert len(dates) > 3
    assert [text for text in dates if not is_gregorian(text)] == []


def test_tooltip_in_english(visit_in):
    """A tooltip has the day before the month, and the clock of the page."""
    page = visit_in("en", SERVICE)

    tooltip = page.locator(CELL).last.get_attribute("title")
    assert tooltip.endswith("28 February 2026 at 12:00, your time")
