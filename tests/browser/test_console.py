"""The console in a browser: on a phone, by keyboard, without scripts."""

from datetime import datetime, timedelta

import pytest
from playwright.sync_api import expect

from models.platform.keys import KeyRow
from models.status.incidents.incidents import IncidentRow
from models.status.maintenance.windows import MaintenanceRow
from tests import world
from tests.browser.axe import findings
from tests.browser.phone import (
    EXCESS,
    FLOWS,
    correct,
    menu_of,
    open_incident,
    post_update,
    resolve,
    sign_in,
)
from tests.factories.manual import import_basics
from tests.pages.builder.test_builder import eventually

# Where the first and the last letter of an element are.
LETTERS = """element => {
  const range = document.createRange(), text = element.firstChild;
  const at = index => {
    range.setStart(text, index);
    range.setEnd(text, index + 1);
    return range.getBoundingClientRect();
  };
  const [first, last] = [at(0), at(text.length - 1)];
  return { first: first.left, last: last.left, below: last.top - first.top };
}"""
# Each width and each scheme once.
LOOKS = (360, "light", "none"), (1280, "dark", "none")


@pytest.fixture(autouse=True)
def sample_world(store, clock):
    """The services, incidents and documents of the demo."""
    world.populate(clock.now)
    import_basics(clock.now)


@pytest.mark.parametrize("has_scripts", [True, False])
def test_an_incident_from_a_phone(phone, has_scripts):
    """
    An incident is opened with six taps, updated and resolved, with and without scripts.
    """
    phone = phone(java_script_enabled=has_scripts)
    phone.taps = phone.texts = 0

    open_incident(phone)
    assert (phone.taps, phone.texts) <= (6, 2)
    post_update(phone)
    resolve(phone)
    correct(phone)

    row = IncidentRow.get(IncidentRow.title == "Uploads fail")
    assert (row.status, row.severity) == ("resolved", "partial-outage")


@pytest.mark.parametrize("has_scripts", [True, False])
def test_the_day_after(phone, has_scripts):
    """Plan, write, picture, key: each on a phone, with and without scripts."""
    phone = phone(java_script_enabled=has_scripts)

    for _, flow in FLOWS[5:]:
        flow(phone)

    assert MaintenanceRow.select().where(MaintenanceRow.title == "New switches").count()
    assert KeyRow.select().where(KeyRow.name == "Probe in Oslo").count() == 1


def test_by_keyboard(phone):
    """The focus follows the shown order of a form, and Enter sends it."""
    page = phone().page
    page.goto(page.url + "incidents/open/")
    expect(page.get_by_label("Title")).to_be_focused()
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


@pytest.mark.parametrize("has_scripts", [True, False])
def test_what_is_answered_is_in_view(phone, has_scripts):
    """A page opens at its preview or its problem, even far down."""
    phone = phone(java_script_enabled=has_scripts)
    open_incident(phone)
    page = phone.page

    phone.unfold("Correct")
    page.locator("form[action$='/correct/']").get_by_text("Preview").click()
    expect(page.get_by_label("Preview", exact=True)).to_be_in_viewport()
    phone.unfold("Change the incident")
    form = page.locator("form[action$='/change/']")
    form.get_by_label("Title").fill("x" * 161)
    form.get_by_role("button", name="Save").click()

    expect(page.get_by_role("alert")).to_be_in_viewport()


def test_pages_for_everybody(phone):
    """No page of the menu has a finding, or is wider than the screen."""
    phone = phone()
    found = {}

    for path in [*menu_of(phone), "incidents/open/"]:
        phone.open(path)
        barriers = findings(phone.page, LOOKS)
        found |= {f"{path} {kind}": at for kind, at in barriers.items()}
        phone.page.set_viewport_size({"width": 320, "height": 800})
        if (excess := phone.page.evaluate(EXCESS)) > 0:
            found[f"{path} overflow"] = excess

    assert found == {}


def test_codes_and_placeholders_from_right_to_left(phone):
    """On right-to-left pages, codes are left-to-right, and an empty field is not."""
    page = phone().page
    page.set_extra_http_headers({"Accept-Language": "ar"})
    page.goto(page.url + "keys/issue/")
    scope = page.locator("code", has_text="platform:*").first.evaluate(LETTERS)
    page.goto(page.url.replace("keys/issue", "services"))
    search = page.locator("#q")

    assert scope["first"] < scope["last"]
    expect(search).to_have_css("direction", "rtl")
    search.fill("api")
    expect(search).to_have_css("direction", "ltr")


@pytest.mark.parametrize(
    ("width", "has_room"), [(320, False), (390, False), (1280, True)]
)
def test_name_of_the_site_on_a_phone(phone, width, has_room):
    """The name stays whole on one line, and what does not fit beside it is hidden."""
    page = phone().page
    page.set_viewport_size({"width": width, "height": 844})
    page.set_extra_http_headers({"Accept-Language": "vi"})
    page.reload()

    name = page.locator(".brand bdi")

    assert name.evaluate(LETTERS)["below"] == 0
    assert name.evaluate("name => name.scrollWidth <= name.clientWidth + 1")
    # Content below the box of the name is cut off.
    brand, where = (page.locator(each).bounding_box() for each in (".brand", ".where"))
    assert (where["y"] < brand["y"] + brand["height"] - 1) is has_room


def test_placeholder_of_a_search(phone):
    """The field is wide enough for its placeholder, even a long one."""
    page = phone().page
    page.set_extra_http_headers({"Accept-Language": "ar"})
    page.goto(page.url + "services/")

    available, size, letters = page.locator("#q").evaluate(
        "field => [field.clientWidth, parseFloat(getComputedStyle(field).fontSize),"
        " field.placeholder.length]"
    )

    assert letters * size * 0.6 < available - 24


def test_ages_of_times(phone):
    """The distance of times is worded as on the site."""
    page = phone().page
    page.goto(page.url + "incidents/")
    text = page.locator("main time").first.get_attribute("datetime")
    moment = datetime.fromisoformat(text)
    ages = []

    for seconds in (30, -30, 60, 3599, 5399, 5460, -90_000):
        page.clock.set_fixed_time(moment + timedelta(seconds=seconds))
        page.reload()
        ages.append(page.locator("main .age").first.inner_text().strip())

    assert ages == [
        *("(less than a minute ago)", "(in less than a minute)", "(1 minute ago)"),
        *("(59 minutes ago)", "(1 hour ago)", "(2 hours ago)", "(in 1 day)"),
    ]


def test_drafts_end_with_signing_out(phone, issue):
    """Signing out deletes the drafts; a link from elsewhere to that page does not."""
    phone = phone(key=(key := issue("*")))
    page = phone.page
    phone.open("documents/new/")
    phone.enter("Title", "Secret plans")
    drafts = (
        "Object.keys(localStorage).filter(name => name.startsWith('masthead.draft'))"
    )
    assert eventually(lambda: page.evaluate(drafts))
    page.context.clear_cookies()
    phone.open("sign-in/?done=signed-out")
    assert len(page.evaluate(drafts)) == 1
    sign_in(phone, key)

    phone.unfold("Menu")
    phone.press("Sign out")

    expect(page.get_by_text("You are signed out.")).to_be_visible()
    assert page.evaluate(drafts) == []
