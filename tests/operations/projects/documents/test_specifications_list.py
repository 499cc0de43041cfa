"""The list of specifications over HTTP."""

import pytest

from tests.factories.projects import KEY, OWNER, account, make_project
from tests.factories.specifications import specify

LIST = "GET /projects/v1/specifications/list"


@pytest.fixture
def specifications(store, clock):
    """
    Three of one project, a minute apart, one archived; one of an archived project.
    """
    project = make_project("atlas", clock.now)
    found = []
    for slug, title, status in (
        ("login", "Sign in", "approved"),
        ("billing", "Bills", "draft"),
        ("audit", "Trail", "review"),
    ):
        actor = account(OWNER) if slug == "billing" else KEY
        more = {"slug": slug, "title": title, "status": status}
        found.append(specify(project, clock, actor=actor, **more))
        clock.pass_(minutes=1)
    found[2].change({"archived_at": clock.now}, clock.now)
    archived = make_project("gone", clock.now)
    specify(archived, clock, slug="old")
    archived.change({"archived_at": clock.now}, clock.now)
    return found


def slugs(api, query):
    return [each["slug"] for each in api(LIST, query).json["data"]]


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ({}, ["billing", "login"]),
        ({"order": "asc"}, ["login", "billing"]),
        ({"sort": "slug"}, ["billing", "login"]),
        ({"sort": "title"}, ["billing", "login"]),
        ({"sort": "slug", "order": "desc"}, ["login", "billing"]),
        ({"sort": "createdAt"}, ["billing", "login"]),
        ({"status": "approved,review"}, ["login"]),
        ({"archived": "only"}, ["audit"]),
        ({"archived": "include", "sort": "slug"}, ["audit", "billing", "login", "old"]),
        ({"projectSlug": "gone"}, ["old"]),
        ({"creatorId": OWNER}, ["billing"]),
        ({"q": "SIGN"}, ["login"]),
        ({"q": "bill"}, ["billing"]),
        ({"q": "One."}, []),
        ({"q": "%"}, []),
        ({"updatedAfter": "2026-03-01T12:01:00Z"}, ["billing"]),
        ({"updatedBefore": "2026-03-01T12:01:00Z"}, ["login"]),
    ],
)
def test_filters(api, specifications, body, found):
    """Each filter narrows the list, and each sort key orders it."""
    assert slugs(api, body) == found


def test_pages(api, specifications):
    """The cursor continues after the page, and only with the same filters."""
    body = {"archived": "include", "sort": "title", "limit": 3}
    first = api(LIST, body).json
    onward = body | {"cursor": first["meta"]["cursor"]}

    assert len(first["data"]) == 3
    assert len(api(LIST, onward).json["data"]) == 1
    other = api(LIST, onward | {"sort": "slug"})
    assert other.status_code == 400
    assert other.json["type"].endswith("/invalid-cursor/")


def test_content(api, specifications):
    """The texts are returned unless they are omitted."""
    whole = api(LIST, {}).json["data"]

    assert {each["content"] for each in whole} == {"One.\n"}
    bare = api(LIST, {"content": "omit"}).json["data"]
    assert bare == [each | {"content": ""} for each in whole]


@pytest.mark.parametrize(
    "body",
    [{"status": "ghost"}, {"sort": "status"}, {"q": ""}, {"limit": 101}, {"x": "1"}],
)
def test_wrong_shape(api, specifications, body):
    """A wrong parameter is rejected."""
    assert api(LIST, body).status_code == 422
