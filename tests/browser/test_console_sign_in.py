"""Signing in to the console from links, and what other sites can do with a session."""

import pytest
from playwright.sync_api import expect

from models.platform.console_sessions import ConsoleSessionRow
from tests import world
from tests.browser.phone import WIDTH, Phone, sign_in

ELSEWHERE = "http://chat.example/"
PAGE = """<a href="{console}incidents/?status=resolved">What happened</a>
<form method="post" action="{console}sign-out/"><button>Win a prize</button></form>"""


@pytest.fixture(autouse=True)
def sample_world(store, clock):
    world.populate(clock.now)


@pytest.fixture
def visitor(browser, console):
    """Return a visitor with a phone, who is not signed in."""
    contexts = []

    def made(**options):
        contexts.append(browser.new_context(viewport=WIDTH, **options))
        return Phone(contexts[-1].new_page(), console)

    yield made
    for context in contexts:
        context.close()


@pytest.fixture
def elsewhere(visitor, console, issue):
    """A page of another site, opened by a visitor who is signed in to the console."""
    someone = visitor()
    sign_in(someone, issue("*"))
    expect(someone.page.get_by_role("link", name="Open incident")).to_be_visible()
    html = PAGE.format(console=f"{console}/console/")
    someone.page.route(ELSEWHERE, lambda route: route.fulfill(body=html))
    someone.page.goto(ELSEWHERE)
    return someone.page


def test_a_link_on_another_site(elsewhere, console):
    """A link in a chat or an email opens its page for a signed-in visitor."""
    elsewhere.get_by_role("link", name="What happened").click()

    expect(elsewhere).to_have_url(f"{console}/console/incidents/?status=resolved")
    expect(elsewhere.get_by_role("heading", name="Incidents")).to_be_visible()


def test_a_form_on_another_site(elsewhere):
    """A form on another site is rejected, and the session continues."""
    with elsewhere.expect_navigation() as navigation:
        elsewhere.get_by_role("button", name="Win a prize").click()

    assert navigation.value.status == 403
    assert ConsoleSessionRow.select().count() == 1


@pytest.mark.parametrize("has_scripts", [True, False])
def test_next_page(visitor, console, issue, has_scripts):
    """After signing in the linked page opens, also after a wrong key."""
    someone = visitor(java_script_enabled=has_scripts)
    someone.open("incidents/?status=resolved#page.main")
    someone.enter("Key", "mh_wrong")
    someone.press("Sign in")

    someone.enter("Key", issue("*"))
    someone.press("Sign in")

    part = "#page.main" if has_scripts else ""
    address = f"{console}/console/incidents/?status=resolved{part}"
    expect(someone.page).to_have_url(address)
