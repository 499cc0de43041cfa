"""Rules for every page of the console and every form."""

from api.console.operations.operations import _entries
from models.audit import AuditRow
from models.projects.projects.activity import ActivityRow
from tests.console.forms_of_page import FormsOfPage, enter_is_safe, is_confirmed_first
from tests.console.test_pseudo_locale import Crawl, act, life, marked_app, visit
from tests.factories.projects import OWNER

__all__ = ["act", "life", "marked_app", "visit"]


def pages_of(person, clock):
    """Open all pages with a key for all scopes."""
    crawl = Crawl(person, set(), clock)
    crawl.open("", "nothing/")
    assert len(crawl.pages) > 100
    others = ["sign-in/", "operations/", *(each.path for each in _entries())]
    return crawl.pages | {path: person.get(path).text for path in others}


def records():
    return AuditRow.select().count(), ActivityRow.select().count()


def test_every_page(act, life, clock):
    """
    Reading changes nothing, and the Enter key never presses a secondary button.

    It presses the main button, or does nothing. A removal requires a confirmation.
    """
    person, before = act(OWNER), records()

    forms = {
        path: FormsOfPage(page).forms for path, page in pages_of(person, clock).items()
    }

    assert records() == before
    wrong = {
        form["action"]: path
        for path, found in forms.items()
        for form in found
        if not (enter_is_safe(form) and is_confirmed_first(form))
    }
    assert wrong == {}
