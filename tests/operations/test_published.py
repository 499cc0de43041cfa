"""The public docs through HTTP."""

import pytest

from tests.projects import make_project
from tests.rules.test_documents import save, write
from tests.rules.test_publication import publish

LIST = "GET /projects/v1/published/list"
GET = "GET /projects/v1/published/get"


@pytest.fixture
def document(store, clock):
    """A published page with newer words, and a release of an ordinary project."""
    document = write(make_project("docs", clock.now, builtin=True), clock)
    publish(document, clock)
    clock.pass_(minutes=1)
    save(document, clock, content="Not yet.")
    publish(write(make_project("atlas", clock.now), clock, slug="map"), clock)
    return document


def test_get(ask, document):
    """The words as they were published, and nothing of who wrote them."""
    assert ask(GET, {"slug": "probes"}).json["data"] == {
        "slug": "probes",
        "collection": "guides",
        "section": None,
        "position": 0,
        "title": "Probes",
        "summary": None,
        "content": "How to probe: the secret way.",
        "publishedVersion": 1,
        "publishedAt": "2026-03-01T12:00:00.000Z",
        "revisedAt": "2026-03-01T12:00:00.000Z",
    }


def test_get_of_another_project(ask, document):
    """Only the docs project is public."""
    refused = ask(GET, {"slug": "map"})

    assert refused.status_code == 404
    assert refused.json["detail"] == "No published document has the slug 'map'."


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({}, ["probes"]),
        ({"collection": "guides,support"}, ["probes"]),
        ({"collection": "products"}, []),
        ({"section": "Other"}, []),
        ({"revisedAfter": "2026-03-01T12:00:00Z"}, ["probes"]),
        ({"revisedAfter": "2026-03-01T12:00:01Z"}, []),
    ],
)
def test_list(ask, document, asked, found):
    """Each filter narrows the list."""
    assert [each["slug"] for each in ask(LIST, asked).json["data"]] == found


@pytest.mark.parametrize("asked", [{"collection": "none"}, {"q": "x"}, {"limit": 0}])
def test_list_in_a_wrong_shape(ask, document, asked):
    """What cannot be asked is refused."""
    assert ask(LIST, asked).status_code == 422
