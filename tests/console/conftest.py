"""A visitor with a browser, signed in to the console."""

from html.parser import HTMLParser

import pytest

from models.settings import Settings
from sitegen.theme.console_theme import ConsoleTheme

SAME_ORIGIN = {"Sec-Fetch-Site": "same-origin"}


class Controls(HTMLParser):
    """
    The controls of the forms of a page, with the values that they send if unchanged.
    """

    def __init__(self, page):
        super().__init__()
        self.forms, self._textarea, self._select = {}, None, None
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        name = attributes.get("name")
        if tag == "form":
            self._form = self.forms[attributes.get("action")] = {}
        elif tag == "input" and name:
            is_box = attributes.get("type") in ("checkbox", "radio")
            if not is_box or "checked" in attributes:
                self._form.setdefault(name, []).append(attributes.get("value", "on"))
        elif tag == "textarea":
            self._textarea, self._form[name] = name, [""]
        elif tag == "select":
            self._select, self._form[name] = name, [""]
        elif tag == "option" and "selected" in attributes:
            self._form[self._select] = [attributes["value"]]

    def handle_endtag(self, tag):
        if tag == "textarea":
            # A browser drops the line break behind the tag.
            self._form[self._textarea][0] = self._form[self._textarea][0][1:]
            self._textarea = None

    def handle_data(self, data):
        if self._textarea:
            self._form[self._textarea][0] += data


class Person:
    """Reads pages, fills in forms as shown, and sends them."""

    def __init__(self, client):
        self.client = client

    def sign_in(self, key, **fields):
        return self.post("sign-in/", {"key": key, **fields})

    def get(self, path="", **more):
        return self.client.get(f"/console/{path}", **more)

    def post(self, path, data, headers=SAME_ORIGIN, **more):
        return self.client.post(f"/console/{path}", data=data, headers=headers, **more)

    def fill(self, page, action, **fields):
        """Send the form of a page with this action, with some fields changed."""
        response = self.get(page)
        assert response.status_code == 200, response.text
        return self.refill(response, action, **fields)

    def refill(self, response, action, **fields):
        sent = Controls(response.text).forms[f"/console/{action}"] | fields
        return self.post(action, sent)


@pytest.fixture(scope="session")
def console_theme():
    return ConsoleTheme(Settings())


@pytest.fixture
def console_app(make_app, console_theme):
    return make_app(console_theme=console_theme)


@pytest.fixture
def visitor(console_app):
    """A visitor who is not signed in; each call returns another browser."""
    return lambda: Person(console_app.test_client())


@pytest.fixture
def person(visitor, issue):
    """A visitor who is signed in with a key for all scopes."""
    someone = visitor()
    assert someone.sign_in(issue("*", name="On call")).status_code == 303
    return someone
