"""The subscription form on the pages of the site."""

from dataclasses import replace
from html import unescape

import pytest

from tests.factories.readers import MAIL
from tests.pages.status.test_status import sample_status  # noqa: F401

ELSEWHERE = "https://api.example.com"
INCIDENT = "status/incidents/00000000-0000-7000-8000-000000000002/index.html"
WINDOW = "status/maintenance/00000000-0000-7000-8000-000000000004/index.html"
WITH_FORM = ("status/index.html", "status/services/api/index.html", INCIDENT, WINDOW)


@pytest.fixture
def changes():
    return MAIL


@pytest.fixture
def settings(settings, changes):
    return replace(settings, **changes)


@pytest.fixture
def read(sample_status, build_site, output):  # noqa: F811
    build_site()
    return lambda path: unescape((output / path).read_text(encoding="utf-8"))


def test_form(read):
    """The form is on each page of states and events, with the page's service ticked."""
    for path in WITH_FORM:
        assert 'method="post" action="/subscribe"' in read(path), path
        assert "form-action 'self'\"" in read(path), path
    service = 'name="service" value="api" checked'
    assert [service in read(path) for path in WITH_FORM] == [False, True, False, False]


@pytest.mark.parametrize("changes", [MAIL | {"subscribe_url": ELSEWHERE}])
def test_form_for_another_host(read):
    """Pages and the headers of all files allow forms to be sent to the API's host."""
    for path in WITH_FORM:
        assert f'action="{ELSEWHERE}/subscribe"' in read(path), path
        assert f"form-action 'self' {ELSEWHERE}\"" in read(path), path
    assert f"form-action 'self' {ELSEWHERE}; frame-ancestors" in read("_headers")


@pytest.mark.parametrize("changes", [{"subscribe_url": ELSEWHERE}])
def test_no_form_without_relay(read):
    """
    Without a relay the pages contain no link to the API, and the policy allows none.
    """
    for path in (*WITH_FORM, "_headers"):
        text = read(path)
        assert "<form" not in text.partition("<main")[2], path
        assert ELSEWHERE not in text, path
