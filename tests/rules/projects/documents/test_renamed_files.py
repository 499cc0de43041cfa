"""A file that was renamed keeps its document: history, comments and addresses."""

import pytest

from models.projects.document_imports.renamed_files import renamed_files
from models.projects.documents.linking.aliases import redirects
from models.projects.documents.published import published_documents
from models.projects.documents.rows import DocumentRevisionRow, DocumentRow
from models.projects.projects.activity import ActivityRow
from tests.factories.projects import make_project
from tests.rules.projects.documents.test_document_import import brought, source
from tests.rules.projects.documents.test_documents import save, write
from tests.rules.projects.documents.test_publication import unpublish

pytestmark = pytest.mark.both_engines

TEXT = "Words that are long enough to tell this page from any other one. " * 2


@pytest.fixture
def docs(store, clock):
    return make_project("docs", clock.now, builtin=True)


@pytest.fixture
def bring(docs, clock):
    def bringing(*paths, text=TEXT, **options):
        clock.pass_(minutes=1)
        files = [source(path, content=text) for path in paths]
        return brought(clock, *files, **options)

    return bringing


def leads():
    return {address: page.slug for address, page in redirects(published_documents())}


@pytest.mark.parametrize(
    ("new", "gone", "renamed"),
    [
        ({"b": 1}, {"a": 1}, {"b": "a"}),
        ({"b": 1, "d": 2}, {"c": 2, "a": 1}, {"b": "a", "d": "c"}),
        ({"b": 1}, {"a": 2}, {}),
        ({"b": 1, "c": 1}, {"a": 1}, {}),
        ({"c": 1}, {"a": 1, "b": 1}, {}),
        ({"b": 1, "c": 1, "e": 2}, {"a": 1, "d": 2}, {"e": "d"}),
        ({}, {"a": 1}, {}),
    ],
)
def test_pairs(new, gone, renamed):
    """A text that is on either side twice tells nothing."""
    assert renamed_files(new, gone) == renamed


def test_renamed(bring):
    """The document gets the new name, a version that says so, and a redirect."""
    bring("setup.md")
    before = DocumentRow.get()

    report = bring("install/begin.md")

    row = DocumentRow.get()
    assert (row.id, row.slug, row.source_path) == (
        before.id,
        "begin",
        "install/begin.md",
    )
    assert (report.renamed, report.updated, report.created) == (
        ["begin"],
        ["begin"],
        [],
    )
    assert report.published == ["begin"]
    assert leads() == {"/guides/setup/": "begin"}
    [_, revision] = DocumentRevisionRow.select().order_by(DocumentRevisionRow.version)
    assert (revision.note, revision.content) == ("Renamed from setup.md.", TEXT)
    update = ActivityRow.get(ActivityRow.action == "document.updated")
    assert update.metadata["changes"]["slug"] == {"from": "setup", "to": "begin"}
    assert not bring("install/begin.md").changed


def test_renamed_twice_and_back(bring):
    """Every former address leads to the page; its own one is no redirect."""
    for path in ("a.md", "b.md", "c.md"):
        bring(path)
    assert leads() == {"/guides/a/": "c", "/guides/b/": "c"}

    bring("a.md")

    assert leads() == {"/guides/b/": "a", "/guides/c/": "a"}
    assert DocumentRow.select().count() == 1


def test_address_that_is_taken_again(bring, clock):
    """A new page at a former address is the page there; redirects give way."""
    bring("a.md")
    bring("b.md")

    other = source("a.md", content="Else. " * 30)
    report = brought(clock, source("b.md", content=TEXT), other)

    assert (report.created, report.held) == (["a"], [])
    assert leads() == {}
    brought(clock, source("b.md", content=TEXT), source("z.md", content="Else. " * 30))
    assert leads() == {"/guides/a/": "z"}


def test_ambiguous(bring):
    """Of two new files with the text, neither is taken for the old one."""
    bring("a.md")

    report = bring("b.md", "c.md")

    assert (report.created, report.renamed) == (["b", "c"], [])
    assert DocumentRow.get(slug="a").source_path == "a.md"


def test_short_text(bring):
    """A text that any page may have tells nothing."""
    bring("a.md", text="To be done.")

    report = bring("b.md", text="To be done.")

    assert (report.created, report.renamed) == (["b"], [])


def test_copy(bring):
    """A second file with the text of one that is still there is a new document."""
    bring("a.md")

    report = bring("a.md", "b.md")

    assert (report.created, report.unchanged, report.renamed) == (["b"], ["a"], [])


@pytest.mark.parametrize("options", [{"tree": "other"}, {"collection": "support"}])
def test_other_tree(bring, options):
    """A file of another tree or collection is not the same one."""
    bring("a.md")

    report = bring("b.md", **options)

    assert (report.created, report.renamed) == (["b"], [])


def test_unreadable_file(bring):
    """A file that exists and cannot be read was not renamed."""
    bring("a.md")

    report = bring("b.md", skipped_paths=frozenset({"a.md"}))

    assert (report.created, report.renamed) == (["b"], [])


def test_slug_that_is_taken(bring, docs, clock):
    """The document keeps its own address if another one has the new name."""
    bring("a.md")
    write(docs, clock, slug="b", collection="support")

    report = bring("b.md")

    row = DocumentRow.get(source_path="b.md")
    assert (row.slug, row.version) == ("a", 1)
    assert (report.updated, report.renamed, report.created) == (["a"], [], [])


def test_prune(bring):
    """A renamed file is not gone."""
    bring("a.md")

    report = bring("b.md", prune=True)

    assert (report.renamed, report.pruned) == (["b"], [])


def test_pruned_document(bring, clock):
    """What was archived before the new file came stays archived."""
    bring("a.md")
    other = source("x.md", content="Else. " * 30)
    brought(clock, other, prune=True)

    report = brought(clock, other, source("b.md", content=TEXT))

    assert (report.created, report.renamed) == (["b"], [])


def test_withdrawn_page(bring, clock):
    """A page that a person withdrew does not come back by a new name of its file."""
    bring("a.md")
    unpublish(DocumentRow.get(), clock)

    renamed = bring("b.md")
    changed = bring("b.md", text=TEXT + "More.")

    for report in (renamed, changed):
        assert [(held.path, held.slug) for held in report.held] == [("b.md", "a")]
        assert report.created == []
    assert published_documents() == []
    assert bring("b.md", take_over=True).published == ["a"]


def test_edited_page(bring, clock):
    """What a person wrote is left alone; the file becomes a document of its own."""
    bring("a.md")
    save(DocumentRow.get(), clock, content="A person's words. " * 20)

    report = bring("b.md")

    assert (report.created, report.renamed) == (["b"], [])


def test_without_publish(bring):
    """The page moves with its file, and its text stays as it was published."""
    bring("a.md")

    bring("b.md", publish=False)

    [page] = published_documents()
    assert (page.slug, page.published_version) == ("b", 1)
    assert leads() == {"/guides/a/": "b"}


def test_trial(bring):
    """A dry run says what would be renamed, and renames nothing."""
    bring("a.md")

    report = bring("b.md", is_dry_run=True)

    assert report.renamed == ["b"]
    assert DocumentRow.get().slug == "a"
