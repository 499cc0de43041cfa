"""Documents from elsewhere: a tree of files brought into the docs project."""

from pathlib import Path

import pytest

from models.changes import marks
from models.errors import SlugTaken, ValidationFailed
from models.projects.activity import ActivityRow
from models.projects.document import DocumentRevisionRow, DocumentRow
from models.projects.exchange import document_source, import_documents
from models.projects.published import published_contents, published_documents
from sitegen.sources.tree import read_tree
from tests.projects import KEY, make_project
from tests.rules.test_documents import save, write

PROMETHEUS = Path(__file__).parents[3] / "shared" / "data" / "prometheus-docs"


@pytest.fixture
def docs(store, clock):
    return make_project("docs", clock.now, builtin=True)


def source(path="start.md", **more):
    members = {
        "path": path,
        "slug": Path(path).stem,
        "section": None,
        "position": 0,
        "title": "Start",
        "summary": None,
        "content": "Words.",
    }
    return document_source(**members | more)


def brought(clock, *sources, collection="guides", publish=True):
    return import_documents(sources, collection, clock.now, KEY, publish=publish)


def test_import(docs, clock):
    """New files become documents of the collection, published when asked."""
    report = brought(clock, source("a.md"), source("b.md"))

    assert (report.created, report.published) == (["a", "b"], ["a", "b"])
    assert [page.source_path for page in published_documents()] == ["a.md", "b.md"]
    assert {page.collection for page in published_documents()} == {"guides"}
    assert marks()["docs"] == 1


def test_second_import(docs, clock):
    """What is the same is left alone: no revision, no record, no build."""
    brought(clock, source())
    records = ActivityRow.select().count()

    report = brought(clock, source())

    assert report.unchanged == ["start"]
    assert not report.changed
    assert DocumentRevisionRow.select().count() == 1
    assert ActivityRow.select().count() == records
    assert marks()["docs"] == 1


@pytest.mark.parametrize(
    "change",
    [{"content": "New."}, {"title": "New"}, {"summary": "New"}, {"position": 2}],
)
def test_changed_file(docs, clock, change):
    """It becomes the next version, and with publish the public one."""
    brought(clock, source(), source("other.md"))

    report = brought(clock, source(**change), source("other.md"))

    assert (report.updated, report.published) == (["start"], ["start"])
    assert report.unchanged == ["other"]
    assert DocumentRow.get(DocumentRow.slug == "start").published_version == 2


def test_without_publish(docs, clock):
    """The public keeps what it has; a later import with publish catches up."""
    brought(clock, source())
    brought(clock, source(content="New."), publish=False)
    [page] = published_documents()
    assert published_contents([page.id]) == {page.id: "Words."}

    report = brought(clock, source(content="New."))

    assert (report.unchanged, report.published) == (["start"], ["start"])


def test_change_made_here(docs, clock):
    """The file wins, as the next version."""
    brought(clock, source())
    save(DocumentRow.get(), clock, content="Edited here.")

    assert brought(clock, source()).updated == ["start"]
    assert DocumentRow.get().version == 3


def test_slug_of_a_file_that_is_renamed_by_another(docs, clock):
    """A document stays at its address for the file it came from."""
    brought(clock, source("a/pushing.md"))

    report = brought(
        clock,
        source("a/pushing.md", slug="a-pushing"),
        source("b/pushing.md", slug="b-pushing"),
    )

    assert (report.unchanged, report.created) == (["pushing"], ["b-pushing"])


def test_file_that_moved(docs, clock):
    """It is found again by its slug, and its new place is noted."""
    brought(clock, source("a/start.md"))

    assert brought(clock, source("b/start.md")).updated == ["start"]
    row = DocumentRow.get()
    assert (row.source_path, row.version) == ("b/start.md", 1)


def test_slug_of_another_collection(docs, clock):
    """No page is taken from another collection, and nothing is half imported."""
    write(docs, clock, slug="start", collection="support")

    with pytest.raises(SlugTaken, match=r"'start.md' .* a page of support"):
        brought(clock, source("first.md"), source("start.md"))

    assert DocumentRow.select().count() == 1
    assert marks()["docs"] == 0


def test_same_file_name_in_another_tree(docs, clock):
    """A path says which document it is only within its collection."""
    brought(clock, source("start.md"))

    report = brought(clock, source("start.md", slug="first"), collection="support")

    assert report.created == ["first"]


def test_slug_of_another_file(docs, clock):
    """Two files cannot be one document."""
    with pytest.raises(SlugTaken, match=r"belongs to the file 'a/start.md'"):
        brought(clock, source("a/start.md"), source("b/start.md"))


def test_source_that_cannot_be_a_document():
    """What is wrong is said in a sentence."""
    with pytest.raises(ValidationFailed) as refused:
        source(title="x" * 201)

    assert refused.value.detail.startswith("The title cannot be used: ")
    assert refused.value.detail.endswith(".")


@pytest.mark.skipif(not PROMETHEUS.is_dir(), reason="The sample tree is not here.")
def test_real_tree(docs, clock):
    """All pages with text come in, each once; again, nothing changes."""
    tree, done = read_tree(PROMETHEUS), []

    first = import_documents(
        tree.sources, "guides", clock.now, KEY, publish=True, progress=done.append
    )
    second = brought(clock, *tree.sources)

    # 72 files, of which 13 are an index without text.
    assert tree.skipped == []
    assert len(first.created) == len(set(first.created)) == 72
    assert first.published == first.created
    assert done == [each.path for each in tree.sources]
    assert second.unchanged == first.created
    assert len(published_documents()) == 72
