"""Which revisions were public when."""

from datetime import UTC, datetime

import pytest

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
    newest_publication,
    publications_after,
    revisions_at,
)
from models.projects.projects.projects import ensure_docs_project
from models.settings import NIL_UUID
from tests.projects import KEY

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


@pytest.fixture
def document(store):
    """A document of two versions; the first was public, taken back, then the second."""
    project = ensure_docs_project(NOW, slug="docs", owner_id=NIL_UUID)
    asked = CreateDocument(
        project_id=project.id,
        title="Keys",
        slug="keys",
        type="note",
        content="First.",
        collection="guides",
    )
    made = create_document(asked, NOW, KEY)
    publish_document(PublishDocument(id=made.id), NOW, KEY)
    unpublish_document(UnpublishDocument(id=made.id), NOW, KEY)
    update_document(UpdateDocument(id=made.id, content="Second."), NOW, KEY)
    publish_document(PublishDocument(id=made.id), NOW, KEY)
    publish_document(PublishDocument(id=made.id, version=1), NOW, KEY)
    return made.id


def test_publications(document):
    """Each says which version it replaced; none, where the page had been taken back."""
    found = publications_after(0)

    assert [each.previous for each in found] == [None, None, 2]
    assert {each.document_id for each in found} == {document}
    assert publications_after(found[1].number) == found[2:]
    assert newest_publication() == found[2].number


def test_newest_of_none(store):
    """Before the first publication the number is 0."""
    assert newest_publication() == 0


def test_revisions(document):
    """A version that is public and one that is not are told alike."""
    assert [each.content for each in revisions_at({document: 1})] == ["First."]
    assert [each.content for each in revisions_at({document: 2})] == ["Second."]
