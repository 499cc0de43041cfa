"""Nested sections: their order, in the sidebar, the breadcrumbs and the lists."""

import re

import pytest

from models.projects.document_imports.document_import import import_documents
from models.projects.document_imports.options import ImportOptions
from models.projects.documents.published import published_outline
from models.projects.documents.rows import DocumentRow
from models.projects.fields import Actor
from sitegen.docs.section_groups import section_id
from sitegen.sources.tree import read_tree
from tests.pages.crawl import lost_links


@pytest.fixture
def tree(docs_project, build_site, output):
    """Six pages in sections, one of which has subsections and no page of its own."""
    for slug, section, position in (
        ("last", None, 60),
        ("deep", "Use / Advanced", 20),
        ("first", None, 10),
        ("use", "Use", 30),
        ("apart", "Alone / Inside", 50),
        ("more", "Use / Basics", 40),
    ):
        docs_project.publish(
            slug, f"Text of {slug}.", section=section, position=position
        )
    build_site()
    return lambda path: (output / path).read_text(encoding="utf-8")


def sidebar(html):
    """Return the sidebar's text, one line for each item, with the depth of its list."""
    start, end = html.index('class="folded pages"'), html.index("<article")
    depth, lines = -1, []
    for close, name, text in re.findall(r"<(/?)(ul|bdi)>([^<]*)", html[start:end]):
        if name == "ul":
            depth += -1 if close else 1
        elif text.strip():
            lines.append(("  " * max(depth, 0)) + text)
    return lines


def reading_order(page, path):
    """Return the names of the page and of all following pages."""
    order = [path]
    while match := re.search(
        r'rel="next" href="/guides/([^"]+)/"', page(f"guides/{path}/index.html")
    ):
        path = match[1]
        order.append(path.rpartition("/")[2])
    return order


def test_next_page_crosses_sections(tree):
    """
    The reading order is by position over the whole tree, with sections kept together.
    """
    order = reading_order(tree, "first")

    assert order == ["first", "deep", "use", "more", "apart", "last"]


def test_sidebar_nests(tree):
    """
    The sidebar has pages and sections around the current section in reading order.
    """
    assert sidebar(tree("guides/deep/index.html")) == [
        "First",
        "Use",
        "Advanced",
        "  Deep",
        "Use",
        "Basics",
        "Alone",
        "Last",
    ]
    assert 'aria-current="true"><bdi>Advanced' in tree("guides/deep/index.html")


def test_breadcrumbs(tree, output):
    """Each section of the page is a link to its place in the list."""
    html = tree("guides/deep/index.html")

    assert '<a href="/guides/#use"><bdi>Use</bdi></a>' in html
    assert '<a href="/guides/#use-advanced"><bdi>Advanced</bdi></a>' in html
    assert '<h2 id="alone">' in tree("guides/index.html")
    assert '<h3 id="alone-inside">' in tree("guides/index.html")
    assert lost_links(output) == []


def test_outline_of_the_api(tree, api):
    """Sections are in the order of their first page, with their exact names."""
    [guides] = api("GET /projects/v1/published/outline").json["data"]

    names = [group["section"] for group in guides["sections"]]
    assert names == [None, "Use / Advanced", "Use", "Use / Basics", "Alone / Inside"]


def test_page_moves_between_sections(tree, docs_project, build_site, output):
    """A later build shows moved pages in every sidebar, as does a full build."""
    docs_project.publish("new", "Text.", section="Use", position=25)

    build_site()

    assert ">New<" in tree("guides/deep/index.html")
    incremental = tree("guides/deep/index.html")
    build_site(output=output.parent / "fresh")
    fresh = output.parent / "fresh" / "guides/deep/index.html"
    assert fresh.read_text(encoding="utf-8") == incremental


@pytest.fixture
def page(output):
    return lambda path: (output / path).read_text(encoding="utf-8")


@pytest.fixture
def two_trees(import_tree):
    """Two trees, of which the second has the lower positions."""
    import_tree("zebra", {"a.md": 10, "Use/b.md": 20, "Shared/c.md": 30, "d.md": 40})
    import_tree("ape", {"e.md": 1, "Use more/f.md": 15, "Shared/g.md": 25, "h.md": 35})
    return ["a", "b", "g", "c", "d", "e", "f", "h"]


@pytest.fixture
def import_tree(docs_project, settings, clock, tmp_path):
    def imported(name, positions):
        for path, position in positions.items():
            file = tmp_path / name / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"---\nposition: {position}\n---\nText.")
        options = ImportOptions(
            collection="guides",
            now=clock.now,
            actor=Actor("account", settings.docs_owner_id),
            tree=name,
            publish=True,
        )
        return import_documents(read_tree(tmp_path / name).sources, options)

    return imported


def test_trees_follow_one_another(two_trees, build_site, page, import_tree):
    """
    The tree that was imported first comes first as a whole, and stays first.

    The pages of a common section are together, by position.
    """
    build_site()

    assert reading_order(page, "a") == two_trees
    positions = {row.slug: row.position for row in DocumentRow}
    report = import_tree("zebra", {"a.md": 10, "new.md": 50})
    build_site()

    assert (report.created, report.updated) == (["new"], [])
    assert reading_order(page, "a") == [*two_trees[:5], "new", *two_trees[5:]]
    assert positions.items() <= {row.slug: row.position for row in DocumentRow}.items()


def test_page_of_no_tree_is_among_those_of_the_first(
    two_trees, docs_project, build_site, page
):
    """A page that a person wrote is placed by its position, as with one tree."""
    docs_project.publish("own", "Text.", position=35)
    build_site()

    assert reading_order(page, "a") == [*two_trees[:4], "own", *two_trees[4:]]


def test_outline_has_trees_one_after_the_other(two_trees):
    """The API returns the pages in the order of the site."""
    [guides] = published_outline()

    sections = {
        group.section: [page.slug for page in group.pages] for group in guides.sections
    }
    assert list(sections) == [None, "Use", "Shared", "Use more"]
    assert sections[None] == ["a", "d", "e", "h"]
    assert sections["Shared"] == ["g", "c"]


def test_ids():
    """The id of a section is derived from its title."""
    title = "Getting started: “Ünïts” & more"

    assert section_id(title) == "getting-started-ünïts-more"
    assert section_id("—") == "section"
