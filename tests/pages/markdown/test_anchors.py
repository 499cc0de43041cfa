"""Link targets in a text other than its headings."""

import re

import pytest

from sitegen.markdown.rendering import resolve_links
from tests.pages.markdown.english import render


def html_of(text):
    rendered = render(text)
    return resolve_links(rendered.html, rendered.links, lambda target: target)


@pytest.mark.parametrize(
    "text",
    [
        *('<a id="x"></a>', '<a name="x"></a>', "<A NAME='x'/>Text", "<a name=x>T</a>"),
        *('<a id="x" href="#y">T</a>', '<img id="x" src="https://a/b.png" alt="">'),
        *('<kbd id="x">T</kbd>', '<span id="x">T</span>', 'A <span id="x"/> b'),
        *('<div id="x">\n\nText\n\n</div>', '<section id="x">T</section>'),
        *('<p id="x">T</p>', '<h3 id="x">T</h3>', '<pre id="x">T</pre>'),
        '<table id="x"><tr><td>T</td></tr></table>',
        *('<table><tr id="x"><td>T</td></tr></table>', '<ul><li id="x">T</li></ul>'),
        *('<dl><dt id="x">T</dt><dd>D</dd></dl>', '<details id="x">T</details>'),
        *("## T {#x}", "[T](b.md){#x}", "![T](b.png){#x}", "[](){#x}", "[](){#x} T"),
        *('## T <a id="x"></a>', '> <a id="x"></a>T', '- <a id="x"></a>T'),
        '| <a id="x"></a>T |\n|---|\n| b |',
    ],
)
def test_anchor(text):
    """The listed ids are exactly those in the page, each once."""
    rendered = render(text)

    ids = [heading.id for heading in rendered.headings]
    html = resolve_links(rendered.html, rendered.links, lambda _: "/files/b.png")
    assert ids.count("x") == 1
    assert sorted(re.findall(r'\sid="([^"]*)"', html)) == sorted(ids)


@pytest.mark.parametrize(
    "text", ['<a id="page.x"></a>', '<div id="a b">T</div>', '<span id="">T</span>']
)
def test_id_that_is_none(text):
    """Ids of the page itself, and malformed ids, are no targets."""
    assert render(text).headings == ()
    assert "id=" not in html_of(text)


@pytest.mark.parametrize(
    "text",
    [
        '<a id="x"></a>\n## H',
        '<a id="x"></a><a name="y"></a>\n\n## H',
        '<div id="x"></div>\n\n## H',
        "[](){#x}\n\n## H",
    ],
)
def test_anchor_alone(text):
    """A lone anchor makes no empty paragraph before its target, and no empty link."""
    html = html_of(text).partition("<h2")[0]

    assert re.fullmatch(r'(<span id="[xy]"></span>)+\n?', html)


def test_first_of_equal_ids():
    """An id occurs once on the page: later headings with the same one get another."""
    text = (
        '## X\n\n<a id="x"></a>A\n\n<div id="x">B</div>\n\n<p id="y" title="x">C</p>\n'
    )

    rendered = render(text)

    assert [heading.id for heading in rendered.headings] == ["x-1", "x", "y"]
    assert rendered.html.count('id="x"') == 1


@pytest.mark.parametrize(
    ("heading", "id", "text"),
    [
        ("Two fast {#2fast}", "2fast", "Two fast"),
        ("Поиск {#поиск-1}", "поиск-1", "Поиск"),
        ("खोज `a` {#हिन्दी}", "हिन्दी", "खोज a"),
        ("Sub {#std::vec .c}", "std::vec", "Sub"),
        ("\N{GEAR}\ufe0f Set up", "set-up", "\N{GEAR}\ufe0f Set up"),
        ("1\ufe0f\u20e3 First", "1-first", "1\ufe0f\u20e3 First"),
        ("Open <small>since 2.0</small>", "open", "Open"),
        ("Open ![beta](https://a/b.svg)", "open", "Open"),
        ("![logo](https://a/b.svg)", "logo", "logo"),
    ],
)
def test_heading(heading, id, text):
    """Ids are of any script, and badges are part of neither the id nor the text."""
    [found] = render(f"## {heading}").headings

    assert (found.id, found.text) == (id, text)
    assert "{#" not in render(f"## {heading}").html
