"""Publication: which revision is public, and at which address."""

from datetime import timedelta

import pytest

from models.errors import (
    Archived,
    CollectionRequired,
    DocumentNotFound,
    ProjectArchived,
    RevisionNotFound,
    RoleRequired,
)
from models.projects.documents.linking.aliases import redirects
from models.projects.documents.publication import (
    PublishDocument,
    UnpublishDocument,
    publish_document,
    unpublish_document,
)
from models.projects.documents.published import (
    GetPublished,
    ListPublished,
    get_published,
    list_published,
    published_contents,
    published_documents,
)
from models.projects.projects.activity import ActivityRow
from tests.factories.projects import CONTRIBUTOR, KEY, MAINTAINER, account, make_project
from tests.rules.projects.documents.test_documents import newest_record, save, write


@pytest.fixture
def docs(store, clock):
    return make_project("docs", clock.now, builtin=True)


def publish(document, clock, actor=KEY, version=None):
    request = PublishDocument(
        id=document.id, **({"version": version} if version else {})
    )
    return publish_document(request, clock.now, actor)


def unpublish(document, clock, actor=KEY):
    return unpublish_document(UnpublishDocument(id=document.id), clock.now, actor)


def former_addresses():
    return [address for address, _ in redirects(published_documents())]


def test_pinned_version(docs, clock):
    """The published version stays public until another one is published."""
    document = write(docs, clock, summary="Old line")
    clock.pass_(minutes=1)
    publish(document, clock)
    clock.pass_(minutes=1)
    save(document, clock, title="New", content="New.", summary=None)

    page = get_published(GetPublished(slug="probes"))

    assert (page.title, page.summary) == ("Probes", "Old line")
    assert page.content == "How to probe: the secret way."
    assert page.published_version == 1
    assert page.published_at - page.revised_at == timedelta(minutes=1)
    assert published_contents([document.id]) == {document.id: page.content}


def test_rollback(docs, clock):
    """An older version can be published again, recorded as a rollback."""
    document = write(docs, clock)
    save(document, clock, content="New.")
    publish(document, clock)

    publish(document, clock, version=1)

    assert get_published(GetPublished(slug="probes")).content.startswith("How to")
    assert newest_record().metadata == {
        "version": 1,
        "previousVersion": 2,
        "rollback": True,
        "requestId": "r1",
    }


def test_publish_twice(docs, clock):
    """
    Publishing a published version changes nothing, not even its time, and leaves no
    record.
    """
    document = write(docs, clock)
    first, changed = publish(document, clock)
    records = ActivityRow.select().count()
    clock.pass_(minutes=1)

    second, changed_again = publish(document, clock)

    assert (changed, changed_again) == (True, False)
    assert second.published_at == first.published_at
    assert second.updated_at == first.updated_at
    assert ActivityRow.select().count() == records


def test_unpublish_twice(docs, clock):
    """The page is removed; an unpublished document stays unchanged."""
    document = write(docs, clock)
    publish(document, clock)

    assert unpublish(document, clock)[1]
    assert newest_record().metadata == {"version": 1, "requestId": "r1"}
    assert not unpublish(document, clock)[1]
    assert published_documents() == []
    with pytest.raises(DocumentNotFound, match="No published document"):
        get_published(GetPublished(slug="probes"))


def test_who_may_publish(docs, clock):
    """Publishing and withdrawing require a maintainer."""
    document = write(docs, clock)

    for change in (publish, unpublish):
        with pytest.raises(RoleRequired, match="needs the role maintainer"):
            change(document, clock, account(CONTRIBUTOR))
        assert change(document, clock, account(MAINTAINER))[1]


def test_version_that_is_not_there(docs, clock):
    """A version must exist to be published."""
    document = write(docs, clock)

    with pytest.raises(RevisionNotFound, match="has no version 2"):
        publish(document, clock, version=2)


def test_page_without_a_collection(docs, clock):
    """
    In the docs project it is rejected, because it would appear nowhere; elsewhere it
    works.
    """
    page = write(docs, clock, collection=None)
    elsewhere = write(make_project("atlas", clock.now), clock, collection=None)

    with pytest.raises(CollectionRequired, match="has no collection"):
        publish(page, clock)
    assert publish(elsewhere, clock)[1]
    assert published_documents() == []


def test_publishing_what_is_archived(docs, clock):
    """Neither an archived document nor one of an archived project can be published."""
    project = make_project("atlas", clock.now)
    document, other = write(project, clock), write(project, clock, slug="other")
    document.archived_at = clock.now
    document.save()

    with pytest.raises(Archived):
        publish(document, clock)
    publish(other, clock)
    project.archived_at = clock.now
    project.save()
    with pytest.raises(ProjectArchived):
        publish(document, clock)
    with pytest.raises(ProjectArchived):
        unpublish(other, clock)


def test_archived_page(docs, clock):
    """An archived document is not public, even if it was never withdrawn."""
    document, _ = publish(write(docs, clock), clock)
    document.archived_at = clock.now
    document.save()

    assert published_documents() == []


def test_order(docs, clock):
    """By collection, section (none first, then by name), position, title, slug."""
    places = [
        ("a", "support", None, 0, "A"),
        ("b", "guides", "Zoo", 0, "A"),
        ("c", "guides", "Ant", 2, "A"),
        ("d", "guides", "Ant", 1, "B"),
        ("e", "guides", "Ant", 1, "A"),
        ("f", "guides", None, 9, "A"),
        ("g", "products", None, 0, "A"),
        ("h", "guides", "Ant", 1, "A"),
    ]
    for slug, collection, section, position, title in places:
        place = {"collection": collection, "section": section, "position": position}
        publish(write(docs, clock, slug=slug, title=title, **place), clock)

    assert [page.slug for page in published_documents()] == list("fehdcbga")
    page, found = list_published(ListPublished(limit=3)), []
    while True:
        found += [each.slug for each in page.items]
        if page.meta["cursor"] is None:
            break
        page = list_published(ListPublished(limit=3, cursor=page.meta["cursor"]))
    assert found == list("fehdcbga")


def test_former_address(docs, clock):
    """
    The former address of a page redirects, until the page returns or is withdrawn.
    """
    document = write(docs, clock)
    publish(document, clock)

    save(document, clock, collection="products")
    save(document, clock, collection="support")

    assert former_addresses() == ["/guides/probes/", "/products/probes/"]
    save(document, clock, collection="guides")
    assert former_addresses() == ["/products/probes/", "/support/probes/"]
    unpublish(document, clock)
    assert former_addresses() == []


def test_former_address_of_a_page_that_was_withdrawn(docs, clock):
    """A withdrawn page that is published elsewhere later has redirects from before."""
    document = write(docs, clock)
    publish(document, clock)
    unpublish(document, clock)
    save(document, clock, collection="support")

    publish(document, clock)

    assert former_addresses() == ["/guides/probes/"]
