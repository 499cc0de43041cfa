"""The list of documents over HTTP."""

import pytest

from tests.factories.projects import make_project
from tests.rules.projects.documents.test_documents import save, write
from tests.rules.projects.documents.test_publication import publish

LIST = "GET /projects/v1/documents/list"


@pytest.fixture
def register(store, clock):
    """Four documents of docs, a minute apart, and two in other projects."""
    docs = make_project("docs", clock.now, builtin=True)
    for slug, more in {
        "a": {"title": "Zebra", "section": "One", "position": 2},
        "b": {"title": "Ant", "type": "rfc", "collection": None},
        "c": {"title": "Bee", "summary": "100% sure", "position": 1},
        "d": {"title": "Old", "collection": "support", "position": 3},
    }.items():
        clock.pass_(minutes=1)
        document = write(docs, clock, slug=slug, **more)
        if slug in "ac":
            publish(document, clock)
    document.archived_at = clock.now
    document.save()
    clock.pass_(minutes=1)
    write(make_project("atlas", clock.now), clock, slug="e")
    clock.pass_(minutes=1)
    old = make_project("old", clock.now)
    write(old, clock, slug="f")
    old.archived_at = clock.now
    old.save()


def slugs(response):
    assert response.status_code == 200, response.json
    return "".join(each["slug"] for each in response.json["data"])


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ({}, "ecba"),
        ({"order": "asc"}, "abce"),
        ({"projectSlug": "docs", "sort": "title"}, "bca"),
        ({"projectSlug": "docs", "sort": "title", "order": "desc"}, "acb"),
        ({"projectSlug": "docs", "sort": "position"}, "bca"),
        ({"projectSlug": "docs", "sort": "createdAt"}, "cba"),
        ({"projectSlug": "old"}, "f"),
        ({"archived": "only"}, "d"),
        ({"archived": "include", "sort": "createdAt", "order": "asc"}, "abcdef"),
        ({"type": "rfc,design"}, "b"),
        ({"collection": "none"}, "b"),
        ({"collection": "none,guides"}, "ecba"),
        ({"section": "One"}, "a"),
        ({"published": "true"}, "ca"),
        ({"published": "false"}, "eb"),
        ({"stale": "true"}, ""),
        ({"stale": "false"}, "ecba"),
        ({"q": "zeb"}, "a"),
        ({"q": "100%"}, "c"),
        ({"q": "_"}, ""),
        ({"updatedAfter": "2026-03-01T12:03:00Z"}, "ec"),
        ({"updatedBefore": "2026-03-01T12:02:00Z"}, "a"),
    ],
)
def test_list(api, register, body, found):
    """The default list is without archived documents, last changed first."""
    assert slugs(api(LIST, body)) == found


def test_list_of_stale_documents(api, store, clock):
    """A document is stale if its newest text is not the published one."""
    docs = make_project("docs", clock.now, builtin=True)
    document = write(docs, clock)
    publish(document, clock)
    save(document, clock, content="Newer.")

    assert slugs(api(LIST, {"stale": "true"})) == "probes"
    assert slugs(api(LIST, {"stale": "false"})) == ""


def test_list_in_pages(api, register):
    """Pages have no gaps, in every order."""
    for sort in ("updatedAt", "createdAt", "title", "position"):
        body, found = {"sort": sort, "limit": 1, "archived": "include"}, ""
        whole = slugs(api(LIST, body | {"limit": 100}))
        while "cursor" not in body or body["cursor"] is not None:
            response = api(LIST, body)
            found += slugs(response)
            body["cursor"] = response.json["meta"]["cursor"]
        assert found == whole
        assert len(found) == 6


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        (
            {
                "projectSlug": "docs",
                "projectId": "0" * 8 + "-0000" * 3 + "-" + "0" * 12,
            },
            "The query: Give projectId or projectSlug, not both.",
        ),
        ({"type": "rfc,"}, "type: Must be 'rfc', 'runbook', 'note' or 'design'."),
        ({"ghost": "1"}, "ghost: Unknown parameter."),
        ({"published": "yes"}, "published: Must be true or false."),
    ],
)
def test_list_in_a_wrong_shape(api, body, detail):
    """A wrong parameter is rejected with a sentence."""
    refused = api(LIST, body)

    assert (refused.status_code, refused.json["detail"]) == (422, detail)


def test_description_of_a_list_in_a_query(app):
    """In the OpenAPI document, the list is one parameter with comma-separated words."""
    data = app.test_client().get("/openapi.json").json["paths"]
    parameters = data["/projects/v1/documents/list"]["get"]["parameters"]

    [found] = [each for each in parameters if each["name"] == "type"]

    assert (found["style"], found["explode"]) == ("form", False)
    assert found["schema"]["items"]["enum"] == ["rfc", "runbook", "note", "design"]
