"""Documents: who may write them, and what is stored when they are saved."""

import pytest

from models.base import LATEST
from models.errors import (
    Archived,
    DocumentPublished,
    ProjectArchived,
    RoleRequired,
    SlugTaken,
    VersionConflict,
)
from models.projects.documents.documents import (
    CreateDocument,
    UpdateDocument,
    create_document,
    update_document,
)
from models.projects.documents.publication import PublishDocument, publish_document
from models.projects.documents.rows import (
    DocumentRevisionRow,
    DocumentRow,
    document_with,
)
from models.projects.projects.activity import ActivityRow
from tests.factories.projects import (
    CONTRIBUTOR,
    KEY,
    MAINTAINER,
    OWNER,
    READER,
    STRANGER,
    account,
    make_project,
)


@pytest.fixture
def project(store, clock):
    return make_project("atlas", clock.now)


@pytest.fixture
def docs(store, clock):
    return make_project("docs", clock.now, builtin=True)


def write(project, clock, actor=KEY, **more):
    members = {
        "project_id": project.id,
        "title": "Probes",
        "slug": "probes",
        "type": "runbook",
        "content": "How to probe: the secret way.",
        "collection": "guides",
    }
    return create_document(CreateDocument(**members | more), clock.now, actor)


def save(document, clock, actor=KEY, **changes):
    request = UpdateDocument(id=document.id, **changes)
    document, _ = update_document(request, clock.now, actor)
    return document


def newest_record():
    return ActivityRow.select().order_by(ActivityRow.number.desc()).get()


@pytest.mark.parametrize(
    ("who", "may"),
    [
        (account(STRANGER), False),
        (account(READER), False),
        (account(CONTRIBUTOR), True),
        (account(MAINTAINER), True),
        (account(OWNER), True),
        (KEY, True),
    ],
)
def test_who_may_write(project, clock, who, may):
    """Contributors and above may write; so may a key without an account."""
    if may:
        document = write(project, clock, who)
        assert (document.creator_type, document.creator_id) == (
            who.type,
            who.id,
        )
        assert save(document, clock, who, content="New.").version == 2
    else:
        with pytest.raises(RoleRequired, match="needs the role contributor"):
            write(project, clock, who)
        with pytest.raises(RoleRequired, match="needs the role contributor"):
            save(write(project, clock), clock, who, content="New.")


def test_stranger_in_the_docs_project(docs, clock):
    """In the docs project every account may write."""
    document = write(docs, clock, account(STRANGER))

    assert save(document, clock, account(READER), title="Better").version == 2


def test_save(project, clock):
    """Every save is one revision, even without a change."""
    document = write(project, clock)

    save(document, clock, content="Other.", note="Rewritten")
    save(document, clock, title="Probes")

    revisions = list(DocumentRevisionRow.select().order_by(DocumentRevisionRow.version))
    assert [(each.version, each.content, each.note) for each in revisions] == [
        (1, "How to probe: the secret way.", None),
        (2, "Other.", "Rewritten"),
        (3, "Other.", None),
    ]
    moments = [each.created_at for each in revisions]
    assert moments == sorted(set(moments))
    assert document_with(document.id).updated_at == moments[-1]


def test_activity_of_a_save(project, clock):
    """The activity has the changes, and of the text only its length."""
    document = write(project, clock)

    save(document, clock, content="Other.", title="Probing", position=3, note="Why")

    record = newest_record()
    assert (record.action, record.entity_id) == ("document.updated", document.id)
    assert record.metadata == {
        "version": 2,
        "note": "Why",
        "requestId": "r1",
        "changes": {
            "title": {"from": "Probes", "to": "Probing"},
            "position": {"from": 0, "to": 3},
            "content": {"fromLength": 29, "toLength": 6},
        },
    }


def test_activity_of_a_new_document(project, clock):
    """The activity names the document, and has no text of it."""
    write(project, clock)

    assert newest_record().metadata == {
        "slug": "probes",
        "title": "Probes",
        "type": "runbook",
        "version": 1,
        "requestId": "r1",
    }


def test_null_and_left_out(project, clock):
    """Members that are not sent stay; null clears."""
    document = write(project, clock, summary="One line", section="First")

    changed = save(document, clock, section=None)

    assert (changed.summary, changed.section) == ("One line", None)


def test_expected_version(project, clock):
    """An update must expect the current version; any other is rejected."""
    document = write(project, clock)

    assert save(document, clock, title="A", expected_version=1).version == 2
    for expected in (1, 3):
        with pytest.raises(VersionConflict) as refused:
            save(document, clock, title="B", expected_version=expected)
        assert refused.value.members["current"] == 2
    assert document_with(document.id).title == "A"


def test_version_before_state(project, clock):
    """A stale version is reported before the state of the document."""
    document = write(project, clock)
    project.archived_at = clock.now
    project.save()

    with pytest.raises(VersionConflict):
        save(document, clock, title="B", expected_version=9)


def test_archived_project(project, clock):
    """An archived project is read-only, even for its owner."""
    document = write(project, clock)
    project.archived_at = clock.now
    project.save()

    with pytest.raises(ProjectArchived, match="'atlas' is archived"):
        write(project, clock, account(OWNER), slug="other")
    with pytest.raises(ProjectArchived, match="'atlas' is archived"):
        save(document, clock, account(OWNER), title="B")


def test_archived_document(project, clock):
    """An archived document is read-only."""
    document = write(project, clock)
    document.archived_at = clock.now
    document.save()

    with pytest.raises(Archived, match="'probes' is archived"):
        save(document, clock, title="B")


def test_slug(project, docs, clock):
    """A slug is unique within a project, not across projects."""
    write(project, clock)
    write(docs, clock)

    with pytest.raises(SlugTaken, match="already has a document 'probes'"):
        write(project, clock)


@pytest.mark.parametrize("move", [{"section": "S"}, {"position": 1}])
def test_moving_a_published_document(project, clock, move):
    """
    Contributors may change the text of a published page; maintainers also its
    placement.
    """
    document = write(project, clock)
    publish_document(PublishDocument(id=document.id), clock.now, KEY)

    save(document, clock, account(CONTRIBUTOR), content="New.", position=0)
    with pytest.raises(RoleRequired, match="needs the role maintainer"):
        save(document, clock, account(CONTRIBUTOR), **move)
    assert save(document, clock, account(MAINTAINER), **move).version == 3


def test_collection_of_a_published_page(docs, project, clock):
    """
    In the docs project the collection of a page cannot be cleared; elsewhere it can.
    """
    page, elsewhere = write(docs, clock), write(project, clock)
    for each in (page, elsewhere):
        publish_document(PublishDocument(id=each.id), clock.now, KEY)

    with pytest.raises(DocumentPublished, match="needs a collection"):
        save(page, clock, collection=None)
    assert save(elsewhere, clock, collection=None).collection is None


def test_last_millisecond(project, clock):
    """A document with the latest possible time can still be saved."""
    document = write(project, clock)
    DocumentRow.update(updated_at=LATEST).execute()

    saved = save(document_with(document.id), clock, title="New")

    assert saved.updated_at == LATEST
