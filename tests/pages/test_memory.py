"""A builder that remembers makes what one without memory makes, with less work."""

import pytest

from models.projects.documents.published import published_contents
from sitegen.build.build import build
from sitegen.docs import document_page_cache, llms
from sitegen.docs.body_cache import Bodies
from sitegen.output.folder import Folder
from sitegen.page import BuildContext
from sitegen.reference import pages
from sitegen.search import search, sitemaps
from sitegen.theme.theme import Theme
from tests.pages.test_build import files_in


@pytest.fixture
def remembering(store, settings, clock):
    """Build with the memory of the builds before."""
    theme, kept, memory = Theme(settings), Bodies(), {}

    def built(fresh=None):
        if fresh is not None:
            return build(
                BuildContext(clock.now, settings, theme), folder=Folder(str(fresh))
            )
        return build(BuildContext(clock.now, settings, theme, kept, memory=memory))

    return built


@pytest.fixture
def reads(monkeypatch):
    """How many texts were read for the pages of documents, query by query."""
    found = []

    def counted(ids):
        found.append(len(ids))
        return published_contents(ids)

    monkeypatch.setattr(document_page_cache, "published_contents", counted)
    return found


@pytest.fixture
def shelved(shelf, remembering):
    """Some documents of one section, built."""
    names = ["one", "two", "three", "four"]
    text = "See [the first](one.md) and [another](gone.md).\n"
    made = {
        name: shelf.publish(name, text, section="A", position=place)
        for place, name in enumerate(names)
    }
    remembering()
    return made


def test_one_publication_reads_one_text(shelf, shelved, remembering, reads):
    """What is published anew is read and rendered, and nothing else is."""
    changed = shelf.update(shelved["two"], content="New words.\n")
    shelf.release(changed)
    reads.clear()

    report = remembering()

    # Its page, its Markdown and its JSON share one text; rendering has read it too,
    # and so has the file of all texts.
    assert sum(reads) <= 3
    assert [each for each in report.written if each.startswith("guides/")] == [
        "guides/two/index.html",
        "guides/two.json",
        "guides/two.md",
        "guides/index.json",
    ]


def test_nothing_changed(shelved, remembering, reads):
    """A build without news reads no text and tells of the same broken links."""
    reads.clear()

    report = remembering()

    assert (report.written, report.removed, reads) == ([], [], [])
    assert report.warnings == [
        f"guides/{slug}: nothing is at gone.md"
        for slug in ("four", "one", "three", "two")
    ]


def test_link_that_comes_to_lead_somewhere(shelf, shelved, remembering, output):
    """A document that appears is linked from pages that nobody has touched."""
    shelf.publish("other", collection="products")
    remembering()
    shelf.publish("gone", collection="products")

    report = remembering()

    assert 'href="/products/gone/"' in (output / "guides/one/index.html").read_text()
    assert report.warnings == []


def test_summary_of_a_neighbour_on_a_blank_page(shelf, shelved, remembering, output):
    """A page without text shows the others of its section as they are now."""
    shelf.publish("blank", "", section="A", position=9)
    remembering()
    shelf.release(shelf.update(shelved["one"], summary="A new summary"))

    remembering()

    assert "A new summary" in (output / "guides/blank/index.html").read_text()


def test_remembering_equals_forgetting(shelf, shelved, remembering, output, tmp_path):
    """After moves, renames and removals the folder equals one built from nothing."""
    shelf.update(shelved["one"], section="B")
    remembering()
    shelf.withdraw(shelved["two"])
    shelf.release(shelf.update(shelved["three"], title="Other"))
    remembering()
    shelf.update(shelved["four"], collection="products")
    remembering()

    remembering(fresh=tmp_path / "fresh")

    assert files_in(output) == files_in(tmp_path / "fresh")


def test_live_generation_is_never_away(shelf, shelved, remembering, monkeypatch):
    """Whoever waits for a write of their own is told at every moment what is live."""
    removed = []
    remove = Folder.remove
    told = lambda self, path: (removed.append(path), remove(self, path))  # noqa: E731
    monkeypatch.setattr(Folder, "remove", told)

    for slug in ("five", "six"):
        shelf.publish(slug)
        remembering()

    assert removed == []


@pytest.fixture
def told(monkeypatch):
    """What was told anew of lists: the sitemap's parts, the list for models."""
    found = []

    def counted(module, name):
        make = getattr(module, name)
        more = lambda *facts: (found.append(name), make(*facts))[1]  # noqa: E731
        monkeypatch.setattr(module, name, more)

    counted(sitemaps, "_parts_of")
    counted(llms, "_line")
    counted(search, "_named")
    counted(pages, "_openapi_file")
    return found


def test_lists_are_not_told_anew(shelf, shelved, remembering, told):
    """A list of what stands is known by its key; only what it shows makes it anew."""
    remembering()
    told.clear()
    remembering()
    assert told == []

    shelf.release(shelf.update(shelved["two"], content="New words.\n"))
    remembering()

    # The instant of publication is in the sitemap; no title or summary has changed.
    assert set(told) == {"_parts_of", "_named"}


def test_lists_follow_what_they_show(shelf, shelved, remembering, told, output):
    """A summary is in the list for models, a title in the search as well."""
    remembering()
    told.clear()
    shelf.release(shelf.update(shelved["two"], summary="Told anew"))

    remembering()

    assert "_line" in told
    assert "Told anew" in (output / "llms.txt").read_text()


def test_kept_as_long_as_facts_are(clock, settings):
    """One result for each function and name; equal facts give the same object."""
    context = BuildContext(clock.now, settings, Theme(settings))

    one = context.kept(list, (1, 2), of="a")

    assert context.kept(list, (1, 2), of="a") is one
    assert context.kept(list, (1, 2), of="b") is not one
    assert context.kept(list, (1, 3), of="a") == [1, 3]
