"""
Repeated imports of a growing tree with a navigation: few changes, and none to edited
pages.
"""

import pytest

from models.projects.documents.rows import DocumentRow
from models.projects.projects.activity import ActivityRow
from sitegen.sources.tree import read_tree
from tests.factories.projects import make_project
from tests.rules.projects.documents.test_document_import import import_sources
from tests.rules.projects.documents.test_documents import save
from tests.rules.projects.documents.test_publication import unpublish

pytestmark = pytest.mark.both_engines


@pytest.fixture
def docs(store, clock):
    return make_project("docs", clock.now, builtin=True)


@pytest.fixture
def import_pages(docs, clock, tmp_path):
    """Import the pages of these sections, in their order, and publish them."""

    def bringing(sections, texts=(), **options):
        folder = tmp_path / "docs"
        folder.mkdir(exist_ok=True)
        for path in folder.iterdir():
            path.unlink()
        nav = ["nav:"]
        for section, names in sections.items():
            nav.append(f"  - {section}:")
            for name in names:
                nav.append(f"    - {name}.md")
                text = dict(texts).get(name, f"The text of {name}.\n")
                (folder / f"{name}.md").write_text(text)
        (tmp_path / "mkdocs.yml").write_text("\n".join(nav))
        clock.pass_(minutes=1)
        return import_sources(clock, *read_tree(folder).sources, **options)

    return bringing


def numbered(prefix, count):
    return [f"{prefix}{number:03}" for number in range(count)]


def in_order():
    rows = DocumentRow.select().where(DocumentRow.archived_at.is_null())
    return [row.slug for row in rows.order_by(DocumentRow.position)]


@pytest.mark.parametrize("count", [1, 9])
def test_pages_in_the_middle(import_pages, count):
    """Only new pages between others are created, updated and published."""
    first, last, new = numbered("a", 150), numbered("b", 150), numbered("n", count)
    import_pages({"First": first, "Last": last})
    records = ActivityRow.select().count()

    report = import_pages({"First": [*first[:70], *new, *first[70:]], "Last": last})

    assert (report.created, report.published, report.held) == (new, new, [])
    assert report.updated == []
    assert ActivityRow.select().count() == records + 2 * count
    assert in_order() == [*first[:70], *new, *first[70:], *last]


def test_more_pages_than_room(import_pages):
    """Without space, only the neighbouring pages are renumbered."""
    pages, new = numbered("a", 200), numbered("n", 12)
    import_pages({"First": pages})

    report = import_pages({"First": [*pages[:100], *new, *pages[100:]]})

    assert (report.created, report.held) == (new, [])
    assert 0 < len(report.updated) <= 3 * len(new)
    assert in_order() == [*pages[:100], *new, *pages[100:]]
    assert not import_pages({"First": [*pages[:100], *new, *pages[100:]]}).changed


def test_page_that_is_numbered_anew_is_not_held(import_pages):
    """Pages that an import renumbered do not count as edited by a person."""
    pages = numbered("a", 30)
    import_pages({"First": pages})
    import_pages({"First": [*pages[20:], *pages[:20]]})

    report = import_pages({"Renamed": pages})

    assert report.held == []
    assert sorted(report.updated) == pages
    assert in_order() == pages


def test_held_among_moved_pages(import_pages, clock):
    """An edited page is skipped; its neighbours are moved, and none is published."""
    pages = numbered("a", 20)
    import_pages({"First": pages})
    edited, withdrawn = (DocumentRow.get(slug=slug) for slug in ("a005", "a010"))
    save(edited, clock, content="A person's words.")
    unpublish(withdrawn, clock)

    report = import_pages({"Renamed": [*pages[:8], "new", *pages[8:]]})

    assert [skipped.slug for skipped in report.held] == ["a005", "a010"]
    assert report.created == ["new"]
    sections = {row.slug: row.section for row in DocumentRow}
    assert (sections["a005"], sections["a010"], sections["a011"]) == (
        *("First", "First"),
        "Renamed",
    )
    assert DocumentRow.get(slug="a010").published_version is None


def test_person_who_moved_a_page(import_pages, clock):
    """A position that a person set is preserved, and taken over on request."""
    pages = numbered("a", 20)
    import_pages({"First": pages})
    save(DocumentRow.get(slug="a003"), clock, position=9_000)

    skipped = import_pages({"First": pages})
    taken_over = import_pages({"First": pages}, take_over=True)

    assert [document.slug for document in skipped.held] == ["a003"]
    assert (taken_over.held, taken_over.updated) == ([], ["a003"])
    assert in_order() == pages
    assert not import_pages({"First": pages}).changed
