"""Which revisions were published, and when."""

from datetime import UTC, datetime

import pytest

from models.projects.documents import publication_history
from models.projects.documents.documents import (
    CreateDocument,
    UpdateDocument,
    create_document,
    update_document,
)
from models.projects.documents.publication import (
    PublishDocument,
    UnpublishDocument,
    publish_document,
    unpublish_document,
)
from models.projects.documents.publication_history import (
    earlier_published_revisions,
    last_publication_number,
    publications_after,
    revisions_at,
)
from models.projects.projects.projects import ensure_docs_project
from models.settings import NIL_UUID
from tests.factories.projects import KEY

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


@pytest.fixture
def republished_document(store):
    """
    A document with two versions: the first published and withdrawn, then the second.
    """
    project = ensure_docs_project(NOW, slug="docs", owner_id=NIL_UUID)
    request = CreateDocument(
        project_id=project.id,
        title="Keys",
        slug="keys",
        type="note",
        content="First.",
        collection="guides",
    )
    made = create_document(request, NOW, KEY)
    publish_document(PublishDocument(id=made.id), NOW, KEY)
    unpublish_document(UnpublishDocument(id=made.id), NOW, KEY)
    update_document(UpdateDocument(id=made.id, content="Second."), NOW, KEY)
    publish_document(PublishDocument(id=made.id), NOW, KEY)
    publish_document(PublishDocument(id=made.id, version=1), NOW, KEY)
    return made.id


def test_publications(republished_document):
    """Each publication names the version it replaced; none after a withdrawal."""
    found = publications_after(0)

    assert [each.previous for each in found] == [None, None, 2]
    assert {each.document_id for each in found} == {republished_document}
    assert publications_after(found[1].number) == found[2:]
    assert last_publication_number() == found[2].number


def test_newest_of_none(store):
    """Before the first publication the number is 0."""
    assert last_publication_number() == 0


def test_revisions(republished_document):
    """A published and an unpublished revision have the same shape."""
    assert [each.content for each in revisions_at({republished_document: 1})] == [
        "First."
    ]
    assert [each.content for each in revisions_at({republished_document: 2})] == [
        "Second."
    ]


@pytest.fixture
def document(docs_project):
    """
    A document that was published at versions 1, 2, 4, 1 and 5; version 3 was a draft.
    """
    document = docs_project.publish("keys", "1")
    docs_project.release(docs_project.update(document, content="22"))
    docs_project.update(document, content="333")
    docs_project.release(docs_project.update(document, content="4444"))
    docs_project.release(document, version=1)
    docs_project.release(docs_project.update(document, content="55555"))
    return document


def versions(found):
    return [each.version for each in found]


def test_earlier(document, docs_project):
    """
    Each earlier version once, by its last publication; without drafts and the current
    one.
    """
    other = docs_project.publish("other")

    found = earlier_published_revisions({document["id"]: 5, other["id"]: 1})

    assert list(found) == [document["id"]]
    assert versions(found[document["id"]]) == [2, 4, 1]
    assert [e.content() for e in found[document["id"]]] == ["22", "4444", "1"]


def test_queries_do_not_grow(document, docs_project, raw_database):
    """Documents with a single published version need no query of their own."""

    def queries():
        with raw_database.statements() as statements:
            earlier_published_revisions(current)
        return len(statements)

    current = {document["id"]: 5}
    few = queries()
    current |= {docs_project.publish(f"page-{number}")["id"]: 1 for number in range(5)}

    assert queries() == few


def test_earlier_than_what_is_not_public_yet(document):
    """For a draft, the published version is the last of the earlier ones."""
    found = earlier_published_revisions({document["id"]: 3})

    assert versions(found[document["id"]]) == [2, 4, 1, 5]


@pytest.mark.parametrize(
    ("bound", "most", "left"),
    [("MAX_REVISIONS", 2, [4, 1]), ("MAX_BYTES", 5, [4, 1]), ("MAX_BYTES", 0, [])],
)
def test_bounds(document, monkeypatch, bound, most, left):
    """The newest are returned, up to a number and a number of bytes."""
    monkeypatch.setattr(publication_history, bound, most)

    found = earlier_published_revisions({document["id"]: 5})

    assert versions(found.get(document["id"], [])) == left
