"""A renamed file keeps its document: history, comments and addresses."""

import pytest

from models.projects.document_imports.matching import renamed_files, similar_files
from models.projects.documents.linking.aliases import redirects
from models.projects.documents.published import published_documents
from models.projects.documents.rows import DocumentRevisionRow, DocumentRow
from models.projects.projects.activity import ActivityRow
from tests.factories.projects import make_project
from tests.rules.projects.documents.test_document_import import import_sources, source
from tests.rules.projects.documents.test_documents import save, write
from tests.rules.projects.documents.test_publication import unpublish

pytestmark = pytest.mark.both_engines

TEXT = "Words that are long enough to tell this page from any other one. " * 2


@pytest.fixture
def docs(store, clock):
    return make_project("docs", clock.now, builtin=True)


@pytest.fixture
def import_paths(docs, clock):
    def run(*paths, text=TEXT, **options):
        clock.pass_(minutes=1)
        files = [source(path, content=text) for path in paths]
        return import_sources(clock, *files, **options)

    return run


def leads():
    return {address: page.path for address, page in redirects(published_documents())}


@pytest.mark.parametrize(
    ("new", "deleted", "renamed"),
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
def test_pairs(new, deleted, renamed):
    """A text that occurs twice on either side identifies no file."""
    assert renamed_files(new, deleted) == renamed


def test_renamed(import_paths):
    """The document gets the new path, a revision with the reason, and a redirect."""
    import_paths("setup.md")
    before = DocumentRow.get()

    report = import_paths("install/begin.md")

    row = DocumentRow.get()
    assert (row.id, row.slug, row.path) == (before.id, "setup", "install/begin")
    assert (report.renamed, report.updated, report.created) == (
        ["setup"],
        ["setup"],
        [],
    )
    assert report.published == ["setup"]
    assert leads() == {"/guides/setup/": "install/begin"}
    [_, revision] = DocumentRevisionRow.select().order_by(DocumentRevisionRow.version)
    assert (revision.note, revision.content) == ("Renamed from setup.md.", TEXT)
    update = ActivityRow.get(ActivityRow.action == "document.updated")
    change = {"from": "setup", "to": "install/begin"}
    assert update.metadata["changes"]["path"] == change
    assert not import_paths("install/begin.md").changed


def test_renamed_twice_and_back(import_paths):
    """Every former address redirects to the page, except its current one."""
    for path in ("a.md", "b.md", "c.md"):
        import_paths(path)
    assert leads() == {"/guides/a/": "c", "/guides/b/": "c"}

    import_paths("a.md")

    assert leads() == {"/guides/b/": "a", "/guides/c/": "a"}
    assert DocumentRow.select().count() == 1


def test_address_that_is_taken_again(import_paths, clock):
    """A new page at a former address replaces the redirect."""
    import_paths("a.md")
    import_paths("b.md")

    other = source("a.md", content="Else. " * 30)
    report = import_sources(clock, source("b.md", content=TEXT), other)

    assert (report.created, report.held) == (["a-2"], [])
    assert leads() == {}
    import_sources(
        clock, source("b.md", content=TEXT), source("z.md", content="Else. " * 30)
    )
    assert leads() == {"/guides/a/": "z"}


LINES = [f"This is line {number} of a page that tells a story." for number in range(9)]


@pytest.mark.parametrize(
    ("new", "gone", "renamed"),
    [
        pytest.param({"b": LINES[1:]}, {"a": LINES[:8]}, {"b": "a"}, id="edited"),
        pytest.param({"b": LINES[5:]}, {"a": LINES[:5]}, {}, id="another"),
        pytest.param({"b": LINES[6:]}, {"a": LINES}, {"b": "a"}, id="shortened"),
        pytest.param({"b": LINES[8:]}, {"a": LINES}, {}, id="mostly-gone"),
        pytest.param({"b": LINES, "c": LINES}, {"a": LINES}, {}, id="two-copies"),
        pytest.param(
            {"x/a": LINES, "c": LINES}, {"a": LINES}, {"x/a": "a"}, id="same-name"
        ),
        pytest.param(
            {"b": LINES[1:], "c": LINES[4:]}, {"a": LINES}, {"b": "a"}, id="likest"
        ),
        pytest.param({"b": ["Soon."]}, {"a": ["Soon."]}, {}, id="short"),
        pytest.param({"x/a": ["Soon."]}, {"a": ["Soon."]}, {"x/a": "a"}, id="moved"),
    ],
)
def test_similar_texts(new, gone, renamed):
    """A file that was renamed and edited is the one that has most of its lines."""
    new, gone = ({p: "\n".join(t) for p, t in texts.items()} for texts in (new, gone))
    assert similar_files(new, gone) == renamed


def test_edited_and_renamed(import_paths):
    """The document of a file that was edited, too, keeps its history."""
    import_paths("a.md", text="\n".join(LINES))

    report = import_paths("b.md", text="\n".join([*LINES[1:], "And an end."]))

    assert (report.renamed, report.created) == (["a"], [])
    assert leads() == {"/guides/a/": "b"}


def test_ambiguous(import_paths):
    """If two new files have the text, neither is the renamed file."""
    import_paths("a.md")

    report = import_paths("b.md", "c.md")

    assert (report.created, report.renamed) == (["b", "c"], [])
    assert DocumentRow.get(slug="a").source_path == "a.md"


def test_short_text(import_paths):
    """A text that is too short identifies no file."""
    import_paths("a.md", text="To be done.")

    report = import_paths("b.md", text="To be done.")

    assert (report.created, report.renamed) == (["b"], [])


def test_copy(import_paths):
    """A second file with the text of an existing one is a new document."""
    import_paths("a.md")

    report = import_paths("a.md", "b.md")

    assert (report.created, report.unchanged, report.renamed) == (["b"], ["a"], [])


@pytest.mark.parametrize("options", [{"tree": "other"}, {"collection": "support"}])
def test_other_tree(import_paths, options):
    """A file of another tree or collection is not the renamed one."""
    import_paths("a.md")

    report = import_paths("b.md", **options)

    assert (report.created, report.renamed) == (["b"], [])


def test_unreadable_file(import_paths):
    """A file that exists and is unreadable was not renamed."""
    import_paths("a.md")

    report = import_paths("b.md", skipped_paths=frozenset({"a.md"}))

    assert (report.created, report.renamed) == (["b"], [])


def test_slug_that_is_taken(import_paths, docs, clock):
    """A slug does not follow the file, so that of another document does not matter."""
    import_paths("a.md")
    write(docs, clock, slug="b", collection="support")

    report = import_paths("b.md")

    row = DocumentRow.get(source_path="b.md")
    assert (row.slug, row.path) == ("a", "b")
    assert (report.updated, report.renamed, report.created) == (["a"], ["a"], [])


def test_prune(import_paths):
    """Prune does not archive the document of a renamed file."""
    import_paths("a.md")

    report = import_paths("b.md", prune=True)

    assert (report.renamed, report.pruned) == (["a"], [])


def test_pruned_document(import_paths, clock):
    """A document that was archived before the new file appeared stays archived."""
    import_paths("a.md")
    other = source("x.md", content="Else. " * 30)
    import_sources(clock, other, prune=True)

    report = import_sources(clock, other, source("b.md", content=TEXT))

    assert (report.created, report.renamed) == (["b"], [])


def test_withdrawn_page(import_paths, clock):
    """A page that a person withdrew is not published by renaming its file."""
    import_paths("a.md")
    unpublish(DocumentRow.get(), clock)

    renamed = import_paths("b.md")
    changed = import_paths("b.md", text=TEXT + "More.")

    for report in (renamed, changed):
        assert [(skipped.path, skipped.slug) for skipped in report.held] == [
            ("b.md", "a")
        ]
        assert report.created == []
    assert published_documents() == []
    assert import_paths("b.md", take_over=True).published == ["a"]


def test_edited_page(import_paths, clock):
    """A page that a person edited stays; the file becomes another document."""
    import_paths("a.md")
    save(DocumentRow.get(), clock, content="A person's words. " * 20)

    report = import_paths("b.md")

    assert (report.created, report.renamed) == (["b"], [])


def test_without_publish(import_paths):
    """The page moves with its file, and its published text stays."""
    import_paths("a.md")

    import_paths("b.md", publish=False)

    [page] = published_documents()
    assert (page.path, page.published_version) == ("b", 1)
    assert leads() == {"/guides/a/": "b"}


def test_trial(import_paths):
    """A dry run lists the renames, and makes none."""
    import_paths("a.md")

    report = import_paths("b.md", is_dry_run=True)

    assert report.renamed == ["a"]
    assert DocumentRow.get().path == "a"
