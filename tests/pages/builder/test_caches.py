"""A builder with caches writes the same files as one without, with less work."""

import pytest

from models.projects.documents.published import published_contents
from sitegen.builder.build import build
from sitegen.docs import document_source, llms
from sitegen.docs.body_cache import BodyCache
from sitegen.output.folder import OutputFolder, OutputFolders
from sitegen.page import BuildContext
from sitegen.reference import pages
from sitegen.search import pages as search
from sitegen.search import sitemaps
from sitegen.theme.site_theme import site_theme
from tests.pages.builder.test_build import files_in


@pytest.fixture
def build_with_caches(store, settings, clock):
    """Build with the caches of earlier builds."""
    theme, bodies, memory = site_theme(settings), BodyCache(), {}

    def built(fresh=None):
        if fresh is not None:
            return build(
                BuildContext(clock.now, settings, theme),
                folders=OutputFolders(str(fresh)),
            )
        return build(
            BuildContext(clock.now, settings, theme, bodies, process_cache=memory)
        )

    return built


@pytest.fixture
def reads(monkeypatch):
    """Return the numbers of texts read for document pages, query by query."""
    found = []

    def counted(ids):
        found.append(len(ids))
        return published_contents(ids)

    monkeypatch.setattr(document_source, "published_contents", counted)
    return found


@pytest.fixture
def documents(docs_project, build_with_caches):
    """Several documents of one section, built."""
    names = ["one", "two", "three", "four"]
    text = "See [the first](one.md) and [another](gone.md).\n"
    made = {
        name: docs_project.publish(name, text, section="A", position=place)
        for place, name in enumerate(names)
    }
    build_with_caches()
    return made


def test_one_publication_reads_one_text(
    docs_project, documents, build_with_caches, reads
):
    """Only the newly published document is read and rendered."""
    changed = docs_project.update(documents["two"], content="New words.\n")
    docs_project.release(changed)
    reads.clear()

    report = build_with_caches()

    # Its page, its Markdown and its JSON share one text, which rendering and the file
    # of all texts also read.
    assert sum(reads) <= 3
    assert [each for each in report.written if each.startswith("guides/")] == [
        "guides/two/index.html",
        "guides/two.json",
        "guides/two.md",
        "guides/index.json",
    ]


def test_nothing_changed(documents, build_with_caches, reads):
    """A build without changes reads no text and reports the same broken links."""
    reads.clear()

    report = build_with_caches()

    assert (report.written, report.removed, reads) == ([], [], [])
    assert report.warnings == [
        f"guides/{slug}: nothing is at gone.md"
        for slug in ("four", "one", "three", "two")
    ]


def test_link_that_comes_to_lead_somewhere(
    docs_project, documents, build_with_caches, output
):
    """A new document is linked from pages that were not edited."""
    docs_project.publish("other", collection="products")
    build_with_caches()
    docs_project.publish("gone", collection="products")

    report = build_with_caches()

    assert 'href="/products/gone/"' in (output / "guides/one/index.html").read_text()
    assert report.warnings == []


def test_summary_of_a_neighbour_on_a_blank_page(
    docs_project, documents, build_with_caches, output
):
    """A page without text lists the current pages of its section."""
    docs_project.publish("blank", "", section="A", position=9)
    build_with_caches()
    docs_project.release(docs_project.update(documents["one"], summary="A new summary"))

    build_with_caches()

    assert "A new summary" in (output / "guides/blank/index.html").read_text()


def test_caches_change_no_file(
    docs_project, documents, build_with_caches, output, tmp_path
):
    """After moves, renames and removals the folder equals one built from nothing."""
    docs_project.update(documents["one"], section="B")
    build_with_caches()
    docs_project.withdraw(documents["two"])
    docs_project.release(docs_project.update(documents["three"], title="Other"))
    build_with_caches()
    docs_project.update(documents["four"], collection="products")
    build_with_caches()

    build_with_caches(fresh=tmp_path / "fresh")

    assert files_in(output) == files_in(tmp_path / "fresh")


def test_live_generation_is_never_away(
    docs_project, documents, build_with_caches, monkeypatch
):
    """A client that waits for its write can see the live generation at every moment."""
    removed = []
    remove = OutputFolder.remove
    record_and_remove = lambda self, path: (removed.append(path), remove(self, path))  # noqa: E731
    monkeypatch.setattr(OutputFolder, "remove", record_and_remove)

    for slug in ("five", "six"):
        docs_project.publish(slug)
        build_with_caches()

    assert [path for path in removed if not path.startswith("search/")] == []


@pytest.fixture
def computed_lists(monkeypatch):
    """The functions that computed lists: sitemaps, llms.txt, search, OpenAPI."""
    found = []

    def counted(module, name):
        make = getattr(module, name)
        more = lambda *facts: (found.append(name), make(*facts))[1]  # noqa: E731
        monkeypatch.setattr(module, name, more)

    counted(sitemaps, "_create_sitemaps")
    counted(llms, "_list_item")
    counted(search, "_single_file")
    counted(pages, "_openapi_file")
    return found


def test_unchanged_lists_are_not_computed(
    docs_project, documents, build_with_caches, computed_lists
):
    """
    A list of unchanged data is known by its key; only a change of its data recomputes
    it.
    """
    build_with_caches()
    computed_lists.clear()
    build_with_caches()
    assert computed_lists == []

    docs_project.release(docs_project.update(documents["two"], content="New words.\n"))
    build_with_caches()

    # The instant of publication is in the sitemap; no title or summary has changed.
    assert set(computed_lists) == {"_create_sitemaps", "_single_file"}


def test_lists_follow_what_they_show(
    docs_project, documents, build_with_caches, computed_lists, output
):
    """A summary is in the list for models, and a title in the search as well."""
    build_with_caches()
    computed_lists.clear()
    docs_project.release(docs_project.update(documents["two"], summary="Told anew"))

    build_with_caches()

    assert "_list_item" in computed_lists
    assert "Told anew" in (output / "llms.txt").read_text()


def test_memoized_while_arguments_are_equal(clock, settings):
    """Results are cached by function and name; equal arguments give the same object."""
    context = BuildContext(clock.now, settings, site_theme(settings))

    one = context.memoize(list, (1, 2), name="a")

    assert context.memoize(list, (1, 2), name="a") is one
    assert context.memoize(list, (1, 2), name="b") is not one
    assert context.memoize(list, (1, 3), name="a") == [1, 3]
