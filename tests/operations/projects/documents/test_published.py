"""The published documents over HTTP."""

import pytest

from tests.factories.projects import make_project
from tests.rules.projects.documents.test_documents import save, write
from tests.rules.projects.documents.test_publication import publish

LIST = "GET /projects/v1/published/list"
GET = "GET /projects/v1/published/get"
OUTLINE = "GET /projects/v1/published/outline"


@pytest.fixture
def document(store, clock):
    """A published page with newer text, and a document of an ordinary project."""
    document = write(make_project("docs", clock.now, builtin=True), clock)
    publish(document, clock)
    clock.pass_(minutes=1)
    save(document, clock, content="Not yet.")
    publish(write(make_project("atlas", clock.now), clock, slug="map"), clock)
    return document


def test_get(api, document):
    """The published text is returned, without its authors."""
    assert api(GET, {"slug": "probes"}).json["data"] == {
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


def test_get_of_another_project(api, document):
    """Only the docs project is public."""
    refused = api(GET, {"slug": "map"})

    assert refused.status_code == 404
    assert refused.json["detail"] == "No published document has the slug 'map'."


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ({}, ["probes"]),
        ({"collection": "guides,support"}, ["probes"]),
        ({"collection": "products"}, []),
        ({"section": "Other"}, []),
        ({"revisedAfter": "2026-03-01T12:00:00Z"}, ["probes"]),
        ({"revisedAfter": "2026-03-01T12:00:01Z"}, []),
    ],
)
def test_list(api, document, body, found):
    """Each filter narrows the list."""
    assert [each["slug"] for each in api(LIST, body).json["data"]] == found


@pytest.mark.parametrize("body", [{"collection": "none"}, {"q": "x"}, {"limit": 0}])
def test_list_in_a_wrong_shape(api, document, body):
    """A wrong parameter is rejected."""
    assert api(LIST, body).status_code == 422


def test_outline(api, document, clock):
    """The table of contents has sections as on the site, and pages without text."""
    docs = document.project
    for slug, section, position in (("b", "Setup", 2), ("a", "Setup", 1)):
        page = {"slug": slug, "section": section, "position": position}
        publish(write(docs, clock, **page), clock)
    publish(write(docs, clock, slug="c", collection="products"), clock)
    write(docs, clock, slug="private")

    data = api(OUTLINE).json["data"]

    assert [(each["collection"], group_titles(each)) for each in data] == [
        ("guides", {None: ["probes"], "Setup": ["a", "b"]}),
        ("products", {None: ["c"]}),
    ]
    (page,) = data[0]["sections"][0]["pages"]
    expected = {"slug": "probes", "title": "Probes", "summary": None, "position": 0}
    assert page == expected


def group_titles(collection):
    """Return the slugs of each section."""
    return {
        each["section"]: [page["slug"] for page in each["pages"]]
        for each in collection["sections"]
    }


@pytest.mark.parametrize(
    ("route", "body"), [(LIST, {}), (GET, {"slug": "probes"}), (OUTLINE, None)]
)
def test_etag(api, document, clock, route, body):
    """A client with the current ETag gets a 304 until the response changes."""
    first = api(route, body)
    known = {"If-None-Match": first.headers["ETag"]}
    again = api(route, body, headers=known)

    assert first.headers["Cache-Control"] == "private, no-cache"
    assert (again.status_code, again.data) == (304, b"")
    assert again.headers["ETag"] == first.headers["ETag"]
    assert "RateLimit" in again.headers
    save(document, clock, title="Better")
    assert api(route, body, headers=known).status_code == 304
    publish(document, clock)
    assert api(route, body, headers=known).status_code == 200


@pytest.mark.parametrize(
    ("sent", "status"),
    [('"x"', 200), ('"x", {tag}', 304), ("W/{tag}", 304), ("*", 304), ("{bare}", 304)],
)
def test_if_none_match(api, document, sent, status):
    """If-None-Match may have several tags, weak ones, or a star."""
    tag = api(OUTLINE).headers["ETag"]
    sent = sent.format(tag=tag, bare=tag.strip('"'))

    assert api(OUTLINE, headers={"If-None-Match": sent}).status_code == status


def test_etag_of_what_is_refused(api, document):
    """A rejected request has no ETag."""
    refused = api(GET, {"slug": "ghost"}, headers={"If-None-Match": "*"})

    assert refused.status_code == 404
    assert "ETag" not in refused.headers


def test_etag_of_what_is_not_published(api, document):
    """Only an operation that declares it has an ETag."""
    listed = api("GET /projects/v1/documents/list")

    assert "ETag" not in listed.headers
    assert listed.headers["Cache-Control"] == "no-store"
