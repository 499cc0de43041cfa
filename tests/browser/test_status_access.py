"""axe has no findings in any state of a status page, fresh or stale."""

import pytest

from tests.browser.axe import FEW_LOOKS, findings
from tests.browser.status_crowd import write_everything
from tests.browser.status_site import NOW, OLD, StatusSite

OPEN = "document.querySelectorAll('details').forEach((each) => (each.open = true))"
# Each represents its kind, in a state that no other has.
KINDS = (
    *("overview", "down", "never", "severity degraded", "resolved", "running"),
    *("cancelled", "month", "how", "frame of partial"),
)


@pytest.fixture(scope="module")
def everything(tmp_path_factory, empty_database):
    site = StatusSite(tmp_path_factory.mktemp("everything"), empty_database)
    site.pages = write_everything(site)
    yield site
    site.close()


@pytest.fixture(scope="module")
def tab(browser):
    """One page for all tests, whose clock advances only on request."""
    context = browser.new_context()
    page = context.new_page()
    page.clock.install(time=NOW)
    yield page
    context.close()


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_found(everything, tab, kind):
    """No kind of page has a finding."""
    tab.goto(everything.url + everything.pages[kind])

    assert findings(tab, FEW_LOOKS) == {}


def test_nothing_is_found_in_tables(everything, tab):
    """There are no findings in the tables behind their disclosures."""
    tab.goto(everything.url + everything.pages["maintenance"])
    tab.evaluate(OPEN)

    assert findings(tab, FEW_LOOKS[1:2]) == {}


def test_nothing_is_found_out_of_date(everything, tab):
    """There are no findings on a stale page."""
    tab.goto(everything.url + everything.pages["overview"])
    tab.clock.fast_forward(3600 * 1000)

    assert tab.get_by_text(OLD).is_visible()
    assert findings(tab, FEW_LOOKS[1:]) == {}


@pytest.mark.parametrize("path", ["/status/", "/status/history/"])
def test_nothing_is_found_without_services(world, tab, path):
    """There are no findings on an empty page."""
    world.build()
    tab.goto(world.url + path)

    assert findings(tab, FEW_LOOKS[:1]) == {}


@pytest.mark.parametrize("kind", ["overview", "severity degraded", "month"])
def test_links_are_underlined(everything, tab, kind):
    """Linked titles look like links, and not only by their colour."""
    tab.goto(everything.url + everything.pages[kind])

    titles = tab.locator("main :is(h2, h3, h4, dd, .reason) a:visible")
    lines = titles.evaluate_all(
        "all => all.map((link) => getComputedStyle(link).textDecorationLine)"
    )
    assert set(lines) == {"underline"}
