"""The console in a browser: on a phone, by keyboard, without scripts, for everybody."""

import pytest

from api.http.application import create_app
from models.status.incidents.incidents import IncidentRow
from sitegen.build.preview import Preview
from sitegen.theme.console_look import ConsoleLook
from tests import world
from tests.browser.axe import findings
from tests.browser.phone import (
    WIDTH,
    Phone,
    correct,
    open_incident,
    post_update,
    resolve,
    sign_in,
)
from tests.ports import served

# Each width and each scheme once.
LOOKS = (360, "light", "none"), (1280, "dark", "none")


@pytest.fixture
def console(store, settings, clock):
    """The address of a server with the sample world and its console."""
    world.populate(clock.now)
    app = create_app(
        settings,
        clock=clock,
        preview=Preview(settings.output),
        console_look=ConsoleLook(settings),
    )
    with served(app, threads=4) as port:
        yield f"http://127.0.0.1:{port}"


@pytest.fixture
def phone(browser, console, issue):
    """A phone that is signed in; no script fails, and nothing is blocked."""
    contexts, errors = [], []

    def made(*scopes, key=None, **circumstances):
        context = browser.new_context(viewport=WIDTH, **circumstances)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda said: errors.append(said.text))
        page.on("dialog", lambda shown: errors.append(shown.message))
        phone = Phone(page, console)
        sign_in(phone, key or issue(*scopes or ["*"]))
        return phone

    yield made
    for context in contexts:
        context.close()
    assert errors == []


@pytest.mark.parametrize("has_scripts", [True, False])
def test_an_incident_from_a_phone(phone, has_scripts):
    """Open, update and resolve, with and without scripts; six taps open one."""
    phone = phone(java_script_enabled=has_scripts)
    phone.taps = phone.texts = 0

    open_incident(phone)
    assert (phone.taps, phone.texts) <= (6, 2)
    post_update(phone)
    resolve(phone)
    correct(phone)

    row = IncidentRow.get(IncidentRow.title == "Uploads fail")
    assert (row.status, row.severity) == ("resolved", "partial-outage")


def test_by_keyboard(phone):
    """The focus goes through a form in the order that is shown, and Enter sends it."""
    page = phone().page
    page.goto(page.url + "incidents/open/")
    assert page.evaluate("document.activeElement.name") == "title"
    page.keyboard.type("By keyboard")
    page.keyboard.press("Tab")
    page.keyboard.type("object storage")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    page.keyboard.type("A message")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="By keyboard").wait_for()

    row = IncidentRow.get(IncidentRow.title == "By keyboard")
    assert row.severity == "degraded"


def paths_of(phone):
    """Return the pages of the menu, and those that they lead to first."""
    menu = phone.page.locator("nav[aria-label=Console] a")
    return [link.get_attribute("href") for link in menu.all()]


def test_pages_for_everybody(phone):
    """No page of the menu has a barrier, or is wider than the screen."""
    phone = phone()
    found = {}

    for path in [*paths_of(phone), "/console/incidents/open/"]:
        phone.open(path.removeprefix("/console/"))
        barriers = findings(phone.page, LOOKS)
        found |= {f"{path} {kind}": at for kind, at in barriers.items()}
        phone.page.set_viewport_size({"width": 320, "height": 800})
        excess = phone.page.evaluate(
            "document.documentElement.scrollWidth - window.innerWidth"
        )
        if excess > 0:
            found[f"{path} overflow"] = excess

    assert found == {}
