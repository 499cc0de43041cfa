"""
An open page that replaces itself with a newer one, without moving the reader's focus.
"""

import pytest

from tests.browser.status_site import (
    GREEN,
    MINUTE,
    OLD,
    OVERVIEW,
    SERVICE,
    headline,
    states,
)


def test_page_renews_itself(works, visit):
    """Once a minute the page checks for a newer one, and replaces itself."""
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
    """A stale page shows the newer state, and no longer says that it is stale."""
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
    """Focus, scroll position and opened parts are preserved."""
    page = visit(SERVICE, viewport={"width": 800, "height": 500})
    page.locator("details summary").first.click()
    page.locator(".overline a").focus()
    page.evaluate("scrollTo(0, 300)")
    works.sample("api", "degraded", at=30)
    works.build(at=31)

    page.clock.run_for(MINUTE)

    page.get_by_text("The probe found it degraded").wait_for()
    assert page.evaluate("scrollY") == 300
    assert page.evaluate("document.activeElement.textContent") == "Status"
    assert page.locator("details").first.evaluate("each => each.open")


def test_focus_stays_with_its_link(works, visit):
    """If a link moves down the page, the focus moves with it."""
    page = visit(OVERVIEW)
    page.get_by_role("link", name="Mail").focus()
    works.service("a", name="Aaa", display_order=0)
    works.sample("a", at=30)
    works.build(at=31)

    page.clock.run_for(MINUTE)

    page.get_by_role("link", name="Aaa").wait_for()
    assert page.evaluate("document.activeElement.textContent") == "Mail"


def requests_for(page, path=OVERVIEW):
    return len([each for each in page.requests if each.endswith(path)])


def test_looks_once_a_minute(works, visit):
    """
    In ten minutes there are at most ten checks, however often the page is visible.
    """
    page = visit(OVERVIEW)

    for _ in range(120):
        page.clock.run_for(5_000)
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")

    assert 9 <= requests_for(page) - 1 <= 10


def test_unseen_page_asks_for_nothing(works, visit):
    """
    A page in the background sends no requests, and checks when it is visible again.
    """
    page = visit(OVERVIEW)
    hidden = "value => Object.defineProperty(document, 'hidden', "
    hidden += "{value, configurable: true})"
    page.evaluate(hidden, True)
    page.clock.run_for(10 * MINUTE)
    assert requests_for(page) == 1

    page.evaluate(hidden, False)
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")

    assert requests_for(page) == 2


def test_offline_page_asks_for_nothing(works, visit):
    """Without a network the page sends no requests, and still becomes stale."""
    page = visit(OVERVIEW)
    page.context.set_offline(True)

    page.clock.run_for(10 * MINUTE)

    assert requests_for(page) == 1
    assert headline(page) == OLD


def test_older_copy_is_not_believed(works, visit):
    """An older page from a cache does not replace a newer one."""
    older = works.text("status/index.html")
    for slug in ("api", "mail"):
        works.sample(slug, "down", at=30)
    works.build(at=31)
    page = visit(OVERVIEW, at=31)
    page.route("**/status/", lambda route: route.fulfill(body=older))

    with page.expect_response("**/status/"):
        page.clock.run_for(2 * MINUTE)

    assert headline(page) == "Major outage"


def test_earlier_deadline_is_believed(works, visit):
    """A service that was measured before the others makes the deadline earlier."""
    page = visit(OVERVIEW)
    works.service("late", name="Late")
    works.sample("late", at=-200)
    works.build(at=31)

    page.clock.run_for(1.1 * MINUTE)

    page.get_by_role("link", name="Late").wait_for()
    assert headline(page) == "All systems operational"


@pytest.mark.parametrize("answer", ["<h1>Sign in</h1>", "", "<main>{}</main>"])
def test_stranger_is_not_believed(works, visit, answer):
    """The content of another page at this address is not shown."""
    page = visit(OVERVIEW)
    page.route("**/status/", lambda route: route.fulfill(body=answer))

    with page.expect_response("**/status/"):
        page.clock.run_for(2 * MINUTE)

    assert headline(page) == "All systems operational"
