"""Nested sections: their order, in the sidebar, the breadcrumbs and the lists."""

import re

import pytest

from tests.pages.crawl import lost_links


@pytest.fixture
def tree(shelf, build_site, output):
    """Six pages in sections, of which one has others inside and no page of its own."""
    for slug, section, position in (
        ("last", None, 60),
        ("deep", "Use / Advanced", 20),
        ("first", None, 10),
        ("use", "Use", 30),
        ("apart", "Alone / Inside", 50),
        ("more", "Use / Basics", 40),
    ):
        shelf.publish(slug, f"Text of {slug}.", section=section, position=position)
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


def test_next_page_crosses_sections(tree):
    """Reading order goes by position over the whole tree, groups staying together."""
    order, slug = ["first"], "first"
    while match := re.search(
        r'rel="next" href="/guides/([^/]+)/"', tree(f"guides/{slug}/index.html")
    ):
        slug = match[1]
        order.append(slug)

    assert order == ["first", "deep", "use", "more", "apart", "last"]


def test_sidebar_nests(tree):
    """Around the current section, pages and sections stand as in reading order."""
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
    """Each section around the page is a link to its place in the list."""
    html = tree("guides/deep/index.html")

    assert '<a href="/guides/#use"><bdi>Use</bdi></a>' in html
    assert '<a href="/guides/#use-advanced"><bdi>Advanced</bdi></a>' in html
    assert '<h2 id="alone">' in tree("guides/index.html")
    assert '<h3 id="alone-inside">' in tree("guides/index.html")
    assert lost_links(output) == []


def test_outline_of_the_api(tree, ask):
    """Sections stand in the order of their first page; exact names stay as given."""
    [guides] = ask("GET /projects/v1/published/outline").json["data"]

    names = [group["section"] for group in guides["sections"]]
    assert names == [None, "Use / Advanced", "Use", "Use / Basics", "Alone / Inside"]


def test_page_moves_between_sections(tree, shelf, build_site, output):
    """A later build shows what moved, in every sidebar; a fresh one shows the same."""
    shelf.publish("new", "Text.", section="Use", position=25)

    build_site()

    assert ">New<" in tree("guides/deep/index.html")
    incremental = tree("guides/deep/index.html")
    build_site(output=output.parent / "fresh")
    fresh = output.parent / "fresh" / "guides/deep/index.html"
    assert fresh.read_text(encoding="utf-8") == incremental
