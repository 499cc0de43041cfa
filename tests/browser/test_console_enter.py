"""The Enter key in the forms of the console, in a real browser."""

import re

import pytest

from tests import world
from tests.factories.manual import import_basics

ID = re.compile(r"[0-9a-f-]{36}|\d+|[?#].*")
# Not pages, or one of many that are alike.
LEFT_OUT = re.compile(r"documents/files/|assets/|operations/.|sign-")
# The button that each field's Enter presses, where it is not the main one.
PRESS = """() => {
  const minor = (button) => button.matches(".quiet-button, .plain");
  const shown = (form) => [...form.elements].filter(
    (each) => each.type === "submit" && !each.hidden);
  const main = (form) => {
    const major = shown(form).filter((button) => !minor(button));
    return shown(form).length === 1 ? shown(form)[0] : major.length ? major[0] : null;
  };
  const sent = (button) => button && [button.name, button.value, button.formNoValidate];
  window.pressed = [];
  for (const part of document.querySelectorAll("details")) part.open = true;
  for (const form of document.forms) {
    form.noValidate = true;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      // Outside of a dialog, that sends nothing.
      if (event.submitter?.formMethod === "dialog") return;
      const wanted = JSON.stringify(sent(main(form)));
      const found = JSON.stringify(sent(event.submitter));
      window.pressed.push({ action: form.action, isMain: wanted === found, found });
    });
  }
}"""
FIELDS = "form :is(input:not([type=hidden]), select, textarea)"


@pytest.fixture(autouse=True)
def sample_world(store, clock):
    world.populate(clock.now)
    import_basics(clock.now)


def links(page):
    """Return the pages that a page links to, each with its kind."""
    found = page.locator("a[href^='/console/']").evaluate_all(
        "links => links.map(link => link.getAttribute('href'))"
    )
    paths = [href.removeprefix("/console/") for href in found]
    return {ID.sub("", path): path for path in paths if not LEFT_OUT.match(path)}


def test_enter_in_every_form(phone):
    """Enter presses the main button of a form, or does nothing."""
    phone, seen, ahead, wrong, count = phone(), set(), {"": ""}, [], 0
    page = phone.page
    while ahead:
        kind, path = ahead.popitem()
        seen.add(kind)
        phone.open(path)
        found = links(page)
        page.evaluate(PRESS)
        for field in page.locator(FIELDS).all():
            if field.is_visible():
                field.focus()
                page.keyboard.press("Enter")
        pressed = page.evaluate("window.pressed")
        wrong += [each for each in pressed if not each["isMain"]]
        count += len(pressed)
        ahead |= {new: found[new] for new in found if new not in seen}

    assert wrong == []
    assert len(seen) > 25
    assert count > 100
