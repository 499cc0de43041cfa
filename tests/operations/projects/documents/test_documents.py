"""Documents over HTTP."""

import pytest

from models.changes import behind, marks
from models.projects.documents.rows import DocumentRevisionRow
from models.projects.projects.activity import ActivityRow
from models.projects.projects.projects import ensure_docs_project
from tests.factories.projects import CONTRIBUTOR, MAINTAINER, STRANGER, make_project

CREATE = "POST /projects/v1/documents/create"
UPDATE = "POST /projects/v1/documents/update"
PUBLISH = "POST /projects/v1/documents/publish"
UNPUBLISH = "POST /projects/v1/documents/unpublish"
GET = "GET /projects/v1/documents/get"
LIST = "GET /projects/v1/documents/list"


@pytest.fixture
def docs(store, clock, settings):
    return ensure_docs_project(
        clock.now, slug=settings.docs_slug, owner_id=settings.docs_owner_id
    )


@pytest.fixture
def new_document(docs):
    return {
        "projectId": docs.id,
        "title": " Getting started ",
        "slug": "getting-started",
        "type": "note",
        "content": "# Hello\n\nSecret words.\n",
        "summary": "",
        "collection": "guides",
    }


@pytest.fixture
def document(api, new_document):
    return api(CREATE, new_document).json["data"]


def test_create(api, new_document, woken):
    """A new document is version 1, by the key that wrote it, and not published."""
    response = api(CREATE, new_document)

    assert response.status_code == 200
    document = response.json["data"]
    assert document["title"] == "Getting started"
    assert (document["summary"], document["section"]) == (None, None)
    assert (document["version"], document["publishedVersion"]) == (1, None)
    assert document["creatorType"] == "key"
    assert document["content"] == "# Hello\n\nSecret words.\n"
    assert (behind(), woken) == (set(), [])


def test_create_twice(api, new_document):
    """A slug is unique in a project; the repeat of a request gets its response."""
    repeat = {"Idempotency-Key": "one"}
    first = api(CREATE, new_document, headers=repeat)

    assert api(CREATE, new_document, headers=repeat).data == first.data
    refused = api(CREATE, new_document)
    assert (refused.status_code, refused.json["type"].split("/")[-2]) == (
        409,
        "slug-taken",
    )
    assert (
        refused.json["detail"]
        == "The project 'docs' already has a document 'getting-started'."
    )


def test_way_of_a_document(api, document, woken):
    """
    The site follows a document that is written, published, updated, rolled back,
    withdrawn.
    """
    id = {"id": document["id"]}

    published = api(PUBLISH, id).json["data"]
    changed = api(UPDATE, id | {"content": "New.", "note": "Shorter"}).json["data"]
    moved_on = api(PUBLISH, id).json["data"]
    taken_back = api(PUBLISH, id | {"version": 1}).json["data"]
    withdrawn = api(UNPUBLISH, id).json["data"]

    versions = [published, changed, moved_on, taken_back, withdrawn]
    assert [(d["version"], d["publishedVersion"]) for d in versions] == [
        (1, 1),
        (2, 1),
        (2, 2),
        (2, 1),
        (2, None),
    ]
    assert withdrawn["publishedAt"] is None
    # The change of the draft shows nowhere.
    assert woken == ["docs"] * 4
    assert behind() == {"docs"}


@pytest.mark.both_engines
def test_changes_that_no_page_shows(api, document, clock, woken):
    """A draft, or a publication in another project, starts no build; a move does."""
    id = {"id": document["id"]}
    draft = api(UPDATE, id | {"content": "Draft.", "position": 2})
    api(PUBLISH, id)
    elsewhere = {"projectId": make_project("atlas", clock.now).id, "slug": "t"}
    text = {"title": "T", "type": "note", "content": "", **elsewhere}
    other = {"id": api(CREATE, text).json["data"]["id"]}
    before = marks(), len(woken)

    responses = [
        draft,
        api(UPDATE, id | {"title": "New", "content": "New.", "position": 2}),
        api(UPDATE, id | {"note": "No other words."}),
        api(PUBLISH, other),
        api(UPDATE, other | {"collection": "guides"}),
        api(UNPUBLISH, other),
    ]

    assert [response.status_code for response in responses] == [200] * 6
    assert not any("Site-Generation" in response.headers for response in responses)
    assert (marks(), len(woken)) == before
    assert api(UPDATE, id | {"position": 3}).headers["Site-Generation"] == "2"


def test_publish_again(api, document, woken, clock):
    """Publishing a published version changes nothing and wakes no builder."""
    id = {"id": document["id"]}
    first = api(PUBLISH, id)
    clock.pass_(minutes=1)

    second = api(PUBLISH, id)

    assert second.json == first.json
    assert woken == ["docs"]
    assert (
        ActivityRow.select().where(ActivityRow.entity_type == "document").count() == 2
    )


def test_update_of_what_has_changed(api, document):
    """
    An update of an older version is rejected with the current one; nothing is stored.
    """
    id = {"id": document["id"]}
    api(UPDATE, id | {"content": "First."})

    refused = api(UPDATE, id | {"content": "Second.", "expectedVersion": 1})

    assert refused.status_code == 409
    assert refused.json["current"] == 2
    assert "at version 2, not 1" in refused.json["detail"]
    assert DocumentRevisionRow.select().count() == 2


@pytest.mark.parametrize(
    ("account", "status"), [(STRANGER, 403), (CONTRIBUTOR, 403), (MAINTAINER, 200)]
)
def test_publish_as(api, issue, clock, account, status):
    """Publishing requires a maintainer: the account that the key acts for decides."""
    project = make_project("atlas", clock.now)
    new_document = {"title": "T", "slug": "t", "type": "note", "content": ""}
    document = api(CREATE, new_document | {"projectId": project.id}).json["data"]
    key = issue("projects:documents:publish", "platform:actors:assert")

    response = api(
        PUBLISH,
        {"id": document["id"]},
        key=key,
        headers={"Act-As-Account": account},
    )

    assert response.status_code == status
    assert response.json.get("requiredRole") == (
        "maintainer" if status == 403 else None
    )


@pytest.mark.parametrize(
    ("members", "sentence"),
    [
        ({"id": "x"}, "Must be a UUID"),
        ({"position": 10_001}, "position"),
        ({"title": "  "}, "title"),
        ({"title": None}, "Must not be null"),
        ({}, "Give at least one field to change, or a note."),
        ({"note": ""}, "Give at least one field to change, or a note."),
        ({"expectedVersion": 1}, "Give at least one field to change, or a note."),
        ({"ghost": 1}, "Unknown field."),
    ],
)
def test_update_in_a_wrong_shape(api, document, members, sentence):
    """Each invalid member is rejected with a sentence about it."""
    refused = api(UPDATE, {"id": document["id"]} | members)

    assert refused.status_code == 422
    assert sentence in refused.json["detail"]


def test_get_and_list(api, document, docs):
    """A document is addressed by id or slug; a list can omit the text."""
    by_id = api(GET, {"id": document["id"]}).json["data"]
    by_slug = api(GET, {"projectSlug": "docs", "slug": document["slug"]}).json["data"]
    listed = api(LIST, {"collection": "none,guides", "content": "omit"}).json["data"]

    assert by_id == by_slug == document
    assert listed == [document | {"content": ""}]
    assert api(LIST, {"published": "true"}).json["data"] == []


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({"slug": "x"}, 422),
        ({"slug": "x", "projectSlug": "docs"}, 404),
        ({"slug": "x", "projectSlug": "ghost"}, 404),
        ({"id": "00000000-0000-0000-0000-000000000000"}, 404),
        ({}, 422),
    ],
)
def test_get_of_nothing(api, docs, query, status):
    """An unknown id is a 404 and a wrong parameter a 422, each with a sentence."""
    refused = api(GET, query)

    assert refused.status_code == status
    assert refused.json["detail"].endswith(".")
