"""Importing a tree of files into the docs project."""

from pathlib import Path

import pytest

from models.changes import marks
from models.errors import PathTaken, ValidationFailed
from models.projects.document_imports import document_batch
from models.projects.document_imports.document_import import import_documents
from models.projects.document_imports.options import ImportOptions
from models.projects.document_imports.sources import document_source
from models.projects.documents.linking.tree_names import file_slug
from models.projects.documents.publication import (
    UnpublishDocument,
    unpublish_document,
)
from models.projects.documents.published import published_contents, published_documents
from models.projects.documents.rows import DocumentRevisionRow, DocumentRow
from models.projects.fields import Actor
from models.projects.projects.activity import ActivityRow
from sitegen.sources.tree import read_tree
from tests.factories.projects import KEY, OWNER, make_project
from tests.rules.projects.documents.test_documents import write

PROMETHEUS = Path(__file__).parents[5] / "shared" / "data" / "prometheus-docs"


@pytest.fixture
def docs(store, clock):
    return make_project("docs", clock.now, builtin=True)


def source(path="start.md", **more):
    members = {
        "path": path,
        "slug": file_slug(Path(path).stem),
        "section": None,
        "position": 0,
        "title": "Start",
        "summary": None,
        "content": "Words.",
    }
    return document_source(**members | more)


def import_sources(clock, *sources, **more):
    body = {"collection": "guides", "tree": "docs", "publish": True, "actor": KEY}
    return import_documents(sources, ImportOptions(now=clock.now, **body | more))


def test_import(docs, clock):
    """New files become documents of the collection, and are published on request."""
    report = import_sources(clock, source("a.md"), source("b.md"))

    assert (report.created, report.published) == (["a", "b"], ["a", "b"])
    assert [page.source_path for page in published_documents()] == ["a.md", "b.md"]
    assert {page.collection for page in published_documents()} == {"guides"}
    assert marks()["docs"] == 1


def test_second_import(docs, clock):
    """Unchanged files cause no revision, no record and no build."""
    import_sources(clock, source())
    records = ActivityRow.select().count()

    report = import_sources(clock, source())

    assert report.unchanged == ["start"]
    assert not report.changed
    assert DocumentRevisionRow.select().count() == 1
    assert ActivityRow.select().count() == records
    assert marks()["docs"] == 1


@pytest.mark.both_engines
def test_queries_do_not_grow(docs, clock, raw_database):
    """The number of queries does not depend on the number of files."""
    owner = Actor("account", OWNER)

    def queries(count, content):
        sources = [source(f"{n}.md", content=content) for n in range(count)]
        with raw_database.statements() as statements:
            import_sources(clock, *sources, actor=owner)
        return [query for query in statements if query.startswith("SELECT")]

    import_sources(clock, source("other.md"))
    few = len(queries(5, "Words.")), len(queries(5, "New words."))
    DocumentRow.delete().execute()
    import_sources(clock, source("other.md"))
    many = len(queries(50, "Words.")), len(queries(50, "New words."))

    assert few == many > (2, 2)


def records():
    rows = ActivityRow.select(ActivityRow.action, DocumentRow.slug)
    rows = rows.join(DocumentRow, on=DocumentRow.id == ActivityRow.entity_id)
    return list(rows.order_by(ActivityRow.number).tuples())


@pytest.mark.both_engines
@pytest.mark.parametrize("max_records", [1, 3, document_batch.MAX_RECORDS])
def test_order_of_records(docs, clock, raw_database, monkeypatch, max_records):
    """
    The records are in the order of the files, in however many batches they are stored.
    """
    monkeypatch.setattr(document_batch, "MAX_RECORDS", max_records)
    import_sources(clock, source("b.md"), source("c.md"))
    import_sources(clock, source("c.md"), prune=True)
    before = len(records())

    files = (
        source("a.md"),
        source("b.md"),
        source("c.md", content="New."),
        source("d.md"),
    )
    import_sources(clock, *files)

    assert records()[before:] == [
        ("document.created", "a"),
        ("document.published", "a"),
        ("document.restored", "b"),
        ("document.published", "b"),
        ("document.updated", "c"),
        ("document.published", "c"),
        ("document.created", "d"),
        ("document.published", "d"),
    ]
    raw_database.require_words()
    assert import_sources(clock, *files).changed is False


@pytest.mark.parametrize(
    "change",
    [{"content": "New."}, {"title": "New"}, {"summary": "New"}, {"position": 2}],
)
def test_changed_file(docs, clock, change):
    """A changed file becomes the next version, which is published on request."""
    import_sources(clock, source(), source("other.md"))

    report = import_sources(clock, source(**change), source("other.md"))

    assert (report.updated, report.published) == (["start"], ["start"])
    assert report.unchanged == ["other"]
    assert DocumentRow.get(DocumentRow.slug == "start").published_version == 2


def test_without_publish(docs, clock):
    """Published pages stay unchanged until a later import with publish."""
    import_sources(clock, source())
    import_sources(clock, source(content="New."), publish=False)
    [page] = published_documents()
    assert published_contents([page.id]) == {page.id: "Words."}

    report = import_sources(clock, source(content="New."))

    assert (report.unchanged, report.published) == (["start"], ["start"])


def test_slug_of_a_file_that_is_renamed_by_another(docs, clock):
    """A document keeps its address even if another file is renamed to its name."""
    import_sources(clock, source("a/pushing.md"))

    report = import_sources(
        clock,
        source("a/pushing.md", slug="a-pushing"),
        source("b/pushing.md", slug="b-pushing"),
    )

    assert (report.unchanged, report.created) == (["pushing"], ["b-pushing"])


def test_file_that_moved(docs, clock):
    """A moved file of the same name keeps its document, however short its text is."""
    import_sources(clock, source("a/start.md"))

    assert import_sources(clock, source("b/start.md")).updated == ["start"]
    row = DocumentRow.get()
    assert (row.source_path, row.path, row.slug) == ("b/start.md", "b/start", "start")


def test_slug_of_another_collection(docs, clock):
    """A slug of another collection is not taken; the new document gets a number."""
    write(docs, clock, slug="start", collection="support")

    report = import_sources(clock, source("start.md"), source("start-2.md"))
    again = import_sources(clock, source("start.md"), source("start-2.md"))

    assert report.created == ["start-2", "start-2-2"]
    assert report.notes == [
        ("start.md", "The slug 'start' is taken, so its slug is 'start-2'."),
        ("start-2.md", "The slug 'start-2' is taken, so its slug is 'start-2-2'."),
    ]
    assert (again.unchanged, again.notes) == (report.created, [])


def test_many_files_of_one_slug(docs, clock):
    """Each file gets the next free number."""
    import_sources(clock, source("same-3.md"))

    sources = [source(f"{n}/same.md") for n in range(5)]
    report = import_sources(clock, *sources)

    assert report.created == ["same", "same-2", "same-4", "same-5", "same-6"]


@pytest.mark.parametrize(
    "other", [{"collection": "support"}, {"tree": "more", "path": "more"}]
)
def test_same_file_name_in_another_tree(docs, clock, other):
    """A path identifies a document only within its tree and collection."""
    import_sources(clock, source("start.md"))

    report = import_sources(clock, source("start.md", content="Else."), **other)

    assert report.created == ["start-2"]
    assert DocumentRow.get(DocumentRow.slug == "start").version == 1


def test_address_in_another_tree(docs, clock):
    """An import is refused as a whole if a page would have another tree's address."""
    import_sources(clock, source("start.md"))
    files = source("new.md"), source("start.md", content="Else.")

    with pytest.raises(PathTaken) as refused:
        import_sources(clock, *files, tree="more")

    assert "start.md would have the address /guides/start/" in refused.value.detail
    assert "'start' of the tree 'docs'" in refused.value.detail
    assert [row.slug for row in DocumentRow] == ["start"]


def test_paths(docs, clock):
    """A page is at the path of its file, whatever else there is, and in any order."""
    files = ("a/start.md", "b/start.md", "b/README.md", "index.md", "Größe (2).md")
    expected = {"a/start", "b/start", "b", "", "Größe-2"}

    import_sources(clock, *map(source, files))

    assert {row.path for row in DocumentRow} == expected
    DocumentRow.delete().execute()
    import_sources(clock, *map(source, reversed(files)), path="cli")
    below = {f"cli/{path}".rstrip("/") for path in expected}
    assert {row.path for row in DocumentRow} == below


def test_file_beside_its_folder(docs, clock):
    """The index page of a folder has its address; a file of the same name a number."""
    import_sources(clock, source("keys.md"), source("keys/index.md"))

    by_file = {row.source_path: row.path for row in DocumentRow}
    assert by_file == {"keys.md": "keys-2", "keys/index.md": "keys"}


def test_file_that_became_a_folder(docs, clock):
    """The page at an address stays the document if its file is replaced."""
    import_sources(clock, source("keys.md"))

    report = import_sources(clock, source("keys/index.md", content="Other words."))

    assert (report.updated, report.created) == (["keys"], [])


def test_slug_of_another_file(docs, clock):
    """Two files cannot be one document."""
    report = import_sources(clock, source("a/start.md"), source("b/start.md"))

    assert report.created == ["start", "start-2"]


def test_document_that_came_from_no_file(docs, clock):
    """A file replaces a document that was written here, and the report says so."""
    write(docs, clock, slug="start", collection="guides")

    report = import_sources(clock, source())

    result = "It replaces the document 'start', which came from no file."
    assert (report.updated, report.notes) == (["start"], [("start.md", result)])


def public():
    return [page.slug for page in published_documents()]


def test_prune(docs, clock):
    """
    A document whose file was deleted is withdrawn once, and comes back with its file.
    """
    import_sources(clock, source("a.md"), source("b.md"))

    pruned = import_sources(clock, source("a.md"), prune=True).pruned
    again = import_sources(clock, source("a.md"), prune=True)
    remaining = public()
    back = import_sources(clock, source("a.md"), source("b.md"))

    assert (pruned, again.changed, remaining) == (["b"], False, ["a"])
    assert (back.unchanged, back.published) == (["a", "b"], ["b"])


@pytest.mark.parametrize(
    ("remaining", "is_reported"), [(3, False), (2, False), (1, True)]
)
def test_another_folder_of_the_same_name(docs, clock, remaining, is_reported):
    """
    A tree that lost more than half of its documents is reported as possibly another.
    """
    import_sources(clock, source("other.md"), tree="manual")
    import_sources(clock, *(source(f"{n}.md") for n in range(4)))
    left = [source(f"{n}.md") for n in range(remaining)]

    trial = import_sources(clock, *left, source("new.md"), prune=True, is_dry_run=True)
    again = [
        import_sources(clock, *left, source("new.md"), prune=True) for _ in range(2)
    ]

    assert [notes for notes in trial.notes if "--tree" in notes[1]] == trial.notes
    assert [path for path, _ in trial.notes] == ["docs"] * is_reported
    # Pruned documents are no longer missing.
    assert [report.notes for report in again] == [trial.notes, []]


def test_skipped_and_renamed_files_are_in_the_folder(docs, clock):
    """Renamed and unreadable files show that the folder is the same."""
    import_sources(clock, source("a.md", content="Long words. " * 50), source("b.md"))

    report = import_sources(
        clock,
        source("z/a.md", content="Long words. " * 50),
        skipped_paths=frozenset({"b.md"}),
    )

    assert report.notes == []


def test_pruned_file_that_comes_back(docs, clock):
    """A pruned document is archived, and restored with its file."""
    import_sources(clock, source("a.md"), source("b.md"), publish=True)
    clock.pass_(seconds=1)
    import_sources(clock, source("a.md"), prune=True)
    archived = DocumentRow.get(slug="b").archived_at

    report = import_sources(clock, source("a.md"), source("b.md"), publish=True)

    back = DocumentRow.get(slug="b")
    assert archived == clock.now
    assert (back.archived_at, back.published_version) == (None, back.version)
    assert (report.restored, report.published) == (["b"], ["b"])


def test_deleted_files(docs, clock):
    """
    The report says what --prune would do with their pages, and where these lead then.
    """
    import_sources(clock, source("draft.md"), publish=False)
    import_sources(clock, *(source(f"{name}.md") for name in ("a", "b", "c", "held")))
    held = DocumentRow.get(slug="held")
    unpublish_document(UnpublishDocument(id=held.id), clock.now, KEY)

    report = import_sources(clock, source("a.md", aliases=["/guides/b/"]))

    said = dict(report.notes)
    del said["docs"]
    assert said == {
        "a.md": "The alias /guides/b/ leads to 'b', since it is the address of its"
        " page.",
        "b.md": "The file is gone. --prune archives its page, and /guides/b/ redirects"
        " to a.md.",
        "c.md": "The file is gone. --prune archives its page, and /guides/c/ leads"
        " nowhere, unless another page has it as an alias.",
        "draft.md": "The file is gone. --prune archives its document.",
        "held.md": "The file is gone. --prune holds its document, for it was"
        " unpublished.",
    }


def test_what_prune_leaves_alone(docs, clock):
    """
    Prune ignores other trees and collections, written documents and skipped files.
    """
    import_sources(clock, source("other.md"), tree="more")
    import_sources(clock, source("there.md"), collection="support")
    write(docs, clock, slug="here", collection="guides")
    import_sources(clock, source("a.md"), source("held.md"))

    report = import_sources(
        clock, source("a.md"), prune=True, skipped_paths=frozenset({"held.md"})
    )

    assert not report.changed
    assert set(public()) == {"a", "held", "other", "there"}


def test_prune_of_a_file_that_was_renamed(docs, clock):
    """A renamed file is the same document, which is not pruned."""
    import_sources(clock, source("a/start.md"))

    report = import_sources(clock, source("b/start.md"), prune=True)

    assert (report.updated, report.pruned) == (["start"], [])


def test_trial(docs, clock):
    """
    A dry run returns the report of the import, and stores nothing, not even a mark.
    """
    import_sources(clock, source("a.md"), source("b.md"))
    files = source("a.md", content="New."), source("c.md")
    before, marked = ActivityRow.select().count(), marks()["docs"]

    trial = import_sources(clock, *files, prune=True, is_dry_run=True)

    assert (ActivityRow.select().count(), marks()["docs"]) == (before, marked)
    assert import_sources(clock, *files, prune=True) == trial
    assert (trial.created, trial.updated, trial.pruned) == (["c"], ["a"], ["b"])


def test_source_that_cannot_be_a_document():
    """An invalid source is reported with a sentence."""
    with pytest.raises(ValidationFailed) as refused:
        source(title="x" * 201)

    assert refused.value.detail.startswith("The title cannot be used: ")
    assert refused.value.detail.endswith(".")


@pytest.mark.skipif(not PROMETHEUS.is_dir(), reason="The sample tree is not here.")
def test_real_tree(docs, clock):
    """All pages with text are imported once; a second import changes nothing."""
    tree = read_tree(PROMETHEUS)

    first = import_sources(clock, *tree.sources)
    second = import_sources(clock, *tree.sources)

    # 72 files, of which 13 are an index without text.
    assert tree.skipped == []
    assert len(first.created) == len(set(first.created)) == 72
    assert first.published == first.created
    assert second.unchanged == first.created
    assert len(published_documents()) == 72
