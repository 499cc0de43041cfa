"""Long lists of boxes in the console: searching them, and showing the chosen ones."""

import pytest
from playwright.sync_api import expect

from models.platform.keys import KeyRow
from tests import world

RECORD = "status:admin:measurements:record"


@pytest.fixture(autouse=True)
def sample_world(store, clock):
    world.populate(clock.now)


def box(page, scope):
    return page.locator(f'input[value="{scope}"]')


def test_chosen_scopes_stay_in_sight(phone):
    """Chosen scopes are above the list, and search results within it."""
    page = phone().page
    page.goto(page.url + "keys/issue/?set=on-call")
    chosen = page.get_by_role("list", name="Chosen").get_by_role("button")
    expect(chosen).to_have_count(page.locator('[name="scopes"]:checked').count())
    search = page.get_by_label("Search scopes")

    search.fill(RECORD)
    box(page, RECORD).check()
    search.fill("projects:documents:create")

    page.locator(".options").evaluate(
        "list => (list.scrollIntoView(), list.scroll(0, 0))"
    )
    expect(box(page, "projects:documents:create")).to_be_in_viewport()
    expect(chosen.filter(has_text=RECORD)).to_be_visible()
    chosen.filter(has_text=RECORD).click()
    expect(box(page, RECORD)).not_to_be_checked()
    expect(chosen.filter(has_text=RECORD)).to_have_count(0)


@pytest.mark.parametrize("has_scripts", [True, False])
def test_scopes_for_a_purpose(phone, has_scripts):
    """A button chooses the scopes of a purpose, and keeps other input."""
    phone = phone(java_script_enabled=has_scripts)
    phone.open("keys/issue/")
    phone.enter("Name", "Probe in Oslo")
    phone.enter("Expires after days", "30")

    phone.page.get_by_role("button", name="Probe records").click()
    phone.press("Issue key")

    assert "mh_" in phone.page.content()
    key = KeyRow.get(KeyRow.name == "Probe in Oslo")
    assert key.scopes == [RECORD]
    assert key.expires_at is not None
