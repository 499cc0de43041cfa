"""Subscribing from the status page, and unsubscribing."""

from dataclasses import replace

import pytest
from playwright.sync_api import expect

from models.notifications.rows import SubscriptionRow
from models.notifications.subscriptions.links import CONFIRM, MANAGE
from models.notifications.subscriptions.secrets import token_of
from models.status.services.catalogue import StatusAddService, add_service
from models.storage.database import writing
from tests.browser.axe import findings
from tests.factories.readers import ADA, MAIL, app_for_readers
from tests.ports import served

NARROW = {"width": 360, "height": 800}


@pytest.fixture
def settings(settings):
    return replace(settings, **MAIL)


@pytest.fixture
def site(build_site, settings, clock):
    """The URL of a server with a site of two services, and with a relay."""
    for slug, name in (("api", "Public API"), ("mail", "Mail")):
        with writing():
            add_service(StatusAddService(slug=slug, name=name), clock.now)
    assert build_site().failed == []
    with served(app_for_readers(settings, clock), threads=4) as port:
        yield f"http://127.0.0.1:{port}"


@pytest.fixture
def open_page(browser):
    """Open an address; script errors and blocked requests fail the test."""
    contexts, errors = [], []

    def go(address, **options):
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda message: errors.append(message.text))
        page.goto(address)
        return page

    yield go
    for context in contexts:
        context.close()
    assert errors == []


def the_row():
    return SubscriptionRow.get()


@pytest.mark.parametrize("has_scripts", [True, False])
def test_there_and_out_again(site, open_page, has_scripts):
    """On a phone, with and without scripts: subscribe, confirm, choose, unsubscribe."""
    page = open_page(
        f"{site}/status/services/api/",
        viewport=NARROW,
        java_script_enabled=has_scripts,
    )
    page.get_by_text("Subscribe by email").click()
    page.get_by_label("Email address").fill(ADA)
    page.get_by_label("Scheduled maintenance").uncheck()
    page.get_by_role("button", name="Subscribe").click()
    expect(page.locator("h1")).to_have_text("Check your mailbox")
    assert the_row().services == ["api"]

    page.goto(site + CONFIRM + token_of(the_row().id, "confirm"))
    assert the_row().state == "pending"
    page.get_by_role("button", name="Confirm the subscription").click()
    expect(page.locator("h1")).to_have_text("You are subscribed")
    assert the_row().state == "active"

    page.get_by_role("link", name="Change or end the subscription").click()
    page.get_by_label("Mail", exact=True).check()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Your choices are saved.")).to_be_visible()
    assert sorted(the_row().services) == ["api", "mail"]
    assert all(event.startswith("incident.") for event in the_row().events)

    page.get_by_role("button", name="Unsubscribe").click()
    expect(page.locator("h1")).to_have_text("The subscription has ended")
    assert the_row().state == "ended"


def test_pages_for_everybody(site, open_page):
    """
    No page has an accessibility finding, at any width and scheme; none scrolls
    sideways.
    """
    page = open_page(f"{site}/status/", bypass_csp=True)
    page.get_by_text("Subscribe by email").click()
    assert findings(page) == {}
    page.get_by_label("Email address").fill(ADA)
    page.get_by_role("button", name="Subscribe").click()
    assert findings(page) == {}

    id = the_row().id
    for path in (
        "/subscribe",
        CONFIRM + token_of(id, "confirm"),
        MANAGE + token_of(id, "manage"),
        f"/subscribe/end/{token_of(id, 'manage')}",
    ):
        page.goto(site + path)
        assert findings(page) == {}, path
        page.set_viewport_size(NARROW)
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= NARROW["width"], path
