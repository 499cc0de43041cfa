"""
The menu of the console has the pages that the key opens, and no other is shown as
empty.
"""

import re

import pytest

from api.console.console_page import CONSOLE, PAGES, declare_pages
from tests.conftest import ROUTES

declare_pages()
ALWAYS = {"", "operations/"}
OPENED_BY = {
    page.path.removeprefix(CONSOLE): page.opened_by for page in PAGES if page.opened_by
}
ROUTES_OF_MENU = [(path, route) for path in OPENED_BY for route in OPENED_BY[path]]


def menu_of(person):
    menu = person.get().text.partition('<nav class="areas"')[2].partition("</ul>")[0]
    return set(re.findall(r'href="/console/([^"]*)"', menu))


@pytest.fixture
def with_scope(visitor, issue):
    """Return a visitor who is signed in with a key for these scopes."""

    def signed_in(*scopes):
        someone = visitor()
        someone.sign_in(issue(*scopes))
        return someone

    return signed_in


@pytest.mark.parametrize(("path", "route"), ROUTES_OF_MENU)
def test_menu_of_a_key(with_scope, path, route):
    """A key with access to one list has its page in the menu, and the page opens."""
    someone = with_scope(ROUTES[route].scope)

    assert menu_of(someone) == ALWAYS | {path}
    assert someone.get(path).status_code == 200


def test_menu_of_all(person):
    """A key for all scopes has all pages in the menu, and each opens."""
    paths = menu_of(person)

    assert paths == ALWAYS | OPENED_BY.keys()
    assert {person.get(path).status_code for path in paths} == {200}


def test_what_a_key_may_not_see(with_scope):
    """
    A list without the required scope is refused by its page, and never shown as empty.
    """
    someone = with_scope("probe:nothing")

    for path in OPENED_BY:
        page = someone.get(path)
        assert page.status_code == 403, path
        assert "This operation requires the scope" in page.text
        assert '<li class="quiet">' not in page.text


def test_a_filter_that_is_refused(person):
    """A problem with a filter is shown beside it, on the page of the list."""
    page = person.get("subscriptions/?channel=pigeon")

    assert page.status_code == 422
    assert 'aria-invalid="true"' in page.text
