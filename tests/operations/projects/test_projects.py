"""Projects over HTTP."""

import pytest

from tests.factories.projects import OWNER, READER, STRANGER, make_project

LIST = "GET /projects/v1/projects/list"
GET = "GET /projects/v1/projects/get"


@pytest.fixture
def sample_project(store, clock):
    return make_project("atlas", clock.now, description="Maps")


def slugs(response):
    assert response.status_code == 200, response.json
    return [project["slug"] for project in response.json["data"]]


def test_get(api, sample_project):
    """
    A project is addressed by id or slug, and every member of its shape is present.
    """
    by_id, by_slug = api(GET, {"id": sample_project.id}), api(GET, {"slug": "atlas"})

    assert by_id.json == by_slug.json
    assert by_id.json["data"] == {
        "id": sample_project.id,
        "slug": "atlas",
        "name": "Atlas",
        "description": "Maps",
        "status": "active",
        "ownerId": OWNER,
        "builtin": False,
        "createdAt": "2026-03-01T12:00:00.000Z",
        "updatedAt": "2026-03-01T12:00:00.000Z",
        "archivedAt": None,
    }


@pytest.mark.parametrize(
    ("query", "status", "detail"),
    [
        ({"slug": "ghost"}, 404, "No project has the slug 'ghost'."),
        ({}, 422, "The query: Give exactly one of id and slug."),
        ({"id": "x"}, 422, "id: Must be a UUID in lower case with its hyphens."),
    ],
)
def test_get_of_nothing(api, query, status, detail):
    """An unknown project is a 404 and a wrong parameter a 422, each with a sentence."""
    refused = api(GET, query)

    assert (refused.status_code, refused.json["detail"]) == (status, detail)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({}, ["atlas", "docs"]),
        ({"order": "desc"}, ["docs", "atlas"]),
        ({"sort": "createdAt"}, ["docs", "atlas"]),
        ({"archived": "only"}, ["old"]),
        ({"archived": "include"}, ["atlas", "docs", "old"]),
        ({"builtin": "true"}, ["docs"]),
        ({"status": "paused,completed", "archived": "include"}, ["old"]),
        ({"q": "TLA"}, ["atlas"]),
        ({"q": "%"}, []),
        ({"memberId": READER}, ["atlas", "docs"]),
        ({"memberId": STRANGER}, []),
        ({"ownerId": STRANGER}, []),
        ({"updatedAfter": "2026-03-01T12:01:00Z"}, ["docs"]),
        ({"updatedBefore": "2026-03-01T12:01:00Z"}, ["atlas"]),
    ],
)
def test_list(api, sample_project, clock, query, expected):
    """The default list is by name and without archived projects."""
    make_project("old", clock.now, archived_at=clock.now, status="paused")
    clock.pass_(minutes=1)
    make_project("docs", clock.now, builtin=True)

    assert slugs(api(LIST, query)) == expected


def test_list_of_mine(api, issue, sample_project):
    """`me` is the account that the key acts for; without one the list is empty."""
    key = issue("projects:projects:list", "platform:actors:assert")

    mine = api(LIST, {"memberId": "me"}, key=key, headers={"Act-As-Account": OWNER})
    refused = api(LIST, {"memberId": "me"})

    assert slugs(mine) == ["atlas"]
    assert refused.status_code == 422
    assert refused.json["detail"].startswith("memberId: 'me' requires a key")


def test_list_in_pages(api, clock):
    """The cursor continues after the page, and is bound to its filters."""
    for slug in "abc":
        make_project(slug, clock.now)

    first = api(LIST, {"limit": 2})
    cursor = first.json["meta"]["cursor"]

    assert slugs(first) == ["a", "b"]
    assert slugs(api(LIST, {"limit": 2, "cursor": cursor})) == ["c"]
    assert api(LIST, {"q": "c", "cursor": cursor}).status_code == 400
