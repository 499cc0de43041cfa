"""Revisions of documents over HTTP."""

import pytest

from tests.factories.projects import KEY, make_project
from tests.rules.projects.documents.test_documents import save, write

LIST = "GET /projects/v1/document-revisions/list"
GET = "GET /projects/v1/document-revisions/get"


@pytest.fixture
def document(store, clock):
    """A document with three versions, a minute apart."""
    document = write(make_project("docs", clock.now, builtin=True), clock)
    for text in ("Two.", "Three."):
        clock.pass_(minutes=1)
        save(document, clock, content=text, note=f"Now {text}")
    return document


def test_list(api, document):
    """Newest or oldest first; the texts can be omitted."""
    body = {"documentId": document.id}

    data = api(LIST, body).json["data"]
    other = api(LIST, body | {"order": "asc", "content": "omit"}).json["data"]

    assert [(each["version"], each["content"]) for each in data][:2] == [
        (3, "Three."),
        (2, "Two."),
    ]
    assert [each | {"content": ""} for each in data][::-1] == other
    assert data[0]["note"] == "Now Three."
    assert data[0]["authorId"] == KEY.id


def test_get(api, document):
    """
    A revision is addressed by id, by version, or by a time at which it was the newest.
    """
    body = {"documentId": document.id}
    second = api(GET, body | {"version": 2}).json["data"]

    assert second["content"] == "Two."
    assert api(GET, {"id": second["id"]}).json["data"] == second
    for at in ("2026-03-01T12:01:00Z", "2026-03-01T13:01:59.999+01:00"):
        assert api(GET, body | {"at": at}).json["data"] == second


@pytest.mark.parametrize(
    ("more", "status", "detail"),
    [
        ({"version": 4}, 404, "The document 'probes' has no version 4."),
        (
            {"at": "2026-03-01T11:59:59Z"},
            404,
            "The document 'probes' did not exist at that time.",
        ),
        ({}, 422, "The query: Give exactly one of version and at."),
        ({"version": 1, "id": KEY.id}, 422, "The query: Give exactly one of"),
    ],
)
def test_get_of_nothing(api, document, more, status, detail):
    """An unknown id is a 404 and a wrong parameter a 422, each with a sentence."""
    refused = api(GET, {"documentId": document.id} | more)

    assert refused.status_code == status
    assert refused.json["detail"].startswith(detail)


def test_page_of_long_texts(api, document, clock):
    """A page ends once it has 4 MiB, and the cursor continues after it."""
    for number in range(12):
        save(document, clock, content=str(number % 10) * 500_000)
    body = {"documentId": document.id, "limit": 100}

    first = api(LIST, body).json
    second = api(LIST, body | {"cursor": first["meta"]["cursor"]}).json

    assert [len(first["data"]), len(second["data"])] == [9, 6]
    assert second["meta"]["cursor"] is None
    assert len(api(LIST, body | {"content": "omit"}).json["data"]) == 15
