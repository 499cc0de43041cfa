"""Markdown to HTML: the rendering of a document."""

import re
from pathlib import Path

import pytest

from sitegen.markdown.rendering import Heading, resolve_links
from tests.pages.markdown.english import render, render_line
from tests.samples.allowed_html import checked

REAL_PAGES = Path(__file__).parents[4] / "shared/data/prometheus-docs"


def html_of(text, resolve=lambda target: f"/to/{target}"):
    rendered = render(text)
    html = resolve_links(rendered.html, rendered.links, resolve)
    checked(html)
    return html


def test_links_within_the_site_stay_open():
    """Targets are listed once, in order, as written."""
    text = '[a](../b.md#x) [*b*](</guides/é ü/>) [a](../b.md#x "T") [c]\n\n[c]: d&amp;e'

    rendered = render(text)

    assert rendered.links == ("../b.md#x", "/guides/é ü/", "d&e")
    assert resolve_links(rendered.html, rendered.links, {"d&e": '/d/?e="'}.get) == (
        '<p>a <em>b</em> a <a href="/d/?e=&quot;">c</a></p>\n'
    )
    assert '<a href="../b.md#x" title="T">a</a>' in html_of(text, lambda target: target)


def test_links_that_stay():
    """Links to the web and to email addresses stay unchanged."""
    assert render("[a](HTTPS://a.b/é)").html == (
        '<p><a class="external" rel="noopener" href="HTTPS://a.b/%C3%A9">a</a></p>\n'
    )
    assert render("<m@a.b>").html == '<p><a href="mailto:m@a.b">m@a.b</a></p>\n'


@pytest.mark.parametrize("inner", ["https://b.c", "b@c", "foo:b"])
def test_link_in_a_link_is_its_text(inner):
    """An address in the text of a link is text, because links are not nested."""
    assert html_of(f"[a <{inner}> d](e)") == f'<p><a href="/to/e">a {inner} d</a></p>\n'
    assert html_of(f"[a <{inner}> d](foo:e)") == f"<p>a {inner} d</p>\n"


@pytest.mark.parametrize(
    "target",
    [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "java&Tab;script:alert(1)",
        "&#106;avascript:alert(1)",
        "javascript&colon;alert(1)",
        "&#9;javascript:alert(1)",
        "&nbsp;javascript:alert(1)",
        "vbscript:x",
        "data:text/html,x",
        "file:///etc/passwd",
        "ftp://a.b/",
        "//a.b/c",
        "/\\\\a.b",
    ],
)
def test_unsafe_addresses_are_dropped(target):
    """Of a link with an unsafe address only its text remains."""
    assert html_of(f"[**a** b]({target})") == "<p><strong>a</strong> b</p>\n"
    assert html_of(f"[a]\n\n[a]: {target}") == "<p>a</p>\n"
    assert html_of(f"![a]({target})") == "<p>a</p>\n"


def test_text_cannot_forge_an_open_link():
    """The marker of an unresolved link cannot be forged, not even as an entity."""
    for mark in ("\x00", "\x01", "\x02", "&#0;", "&#1;", "&#x01;", "&#x02;"):
        html = html_of(f"{mark}0{mark}x{mark}{mark} `{mark}0{mark}` [a](b)")

        assert html.count("<a") == 1
        assert html.count("\ufffd") >= 6 or "&amp;#" in html


def test_images():
    """Images are loaded over https or from the site."""
    assert html_of('c ![*a* & b](https://a.b/a.png "T")') == (
        '<p>c <img src="https://a.b/a.png" alt="a &amp; b" title="T"'
        ' decoding="async"></p>\n'
    )
    assert 'src="/to/a.png" alt="a"' in html_of("![a](a.png)")
    assert '<img src="https://a.b/c"' in html_of("[![d](https://a.b/c)](e.md)")
    assert html_of("![d](http://a.b/c) ![e](#x) ![f]()") == "<p>d e f</p>\n"


def test_headings():
    """Ids are derived from the text; equal ones are numbered, and {#id} sets one."""
    text = (
        "# Über `scrape_interval`, don't\n## A\n## A\n## A 1\n## !\n## B {#My-id}\n##\n"
    )

    assert render(text).headings == (
        Heading(1, "über-scrape_interval-dont", "Über scrape_interval, don't"),
        Heading(2, "a", "A"),
        Heading(2, "a-2", "A"),
        Heading(2, "a-1", "A 1"),
        Heading(2, "section", "!"),
        Heading(2, "My-id", "B"),
    )


@pytest.mark.parametrize(
    ("written", "levels"),
    [
        ("234", [2, 3, 4]),
        ("3342", [2, 2, 3, 2]),
        ("24643", [2, 3, 4, 3, 3]),
        ("1232", [1, 2, 3, 2]),
        ("616", [2, 1, 3]),
    ],
)
def test_levels_have_no_gap(written, levels):
    """A heading is one level below its parent, whatever levels the author skipped."""
    rendered = render("".join(f"{'#' * int(level)} a\n" for level in written))

    assert [heading.level for heading in rendered.headings] == levels
    assert [int(level) for level in re.findall("<h([1-6])", rendered.html)] == levels


def test_headings_link_to_themselves():
    """A heading below the first level has a link to itself, with a label."""
    assert render('## A "b"').html == (
        '<h2 id="a-b">A &quot;b&quot; <a class="anchor" href="#a-b" '
        'aria-label="Link to this section: A &quot;b&quot;">'
        '<span aria-hidden="true">#</span></a></h2>\n'
    )
    assert render("A\n=").html == '<h1 id="a">A</h1>\n'


def test_fixed_id_written_as_code_is_text():
    """Only {#id} outside code sets an id."""
    (heading,) = render("## A `{#b}`").headings

    assert heading == Heading(2, "a-b", "A {#b}")


def test_code():
    """Code can be scrolled by keyboard and has the name of its language."""
    assert render("```sh {x}\nls <a>\n```").html == (
        '<div class="code" data-language="sh"><pre tabindex="0">'
        '<code class="language-sh">ls &lt;a&gt;\n'
        "</code></pre></div>\n"
    )
    assert render("    <a>").html == (
        '<div class="code"><pre tabindex="0"><code>&lt;a&gt;\n</code></pre></div>\n'
    )


def test_code_beyond_what_is_coloured():
    """Code over the highlighting limit is shown plain."""
    html = html_of("```python\n" + "x = 1\n" * 20_000 + "```\n```python\ny = 1\n```")

    assert html.count("<span") == 2
    assert "x = 1\nx = 1\n" in html


def test_tables():
    """A table scrolls in a labelled region, and is aligned by classes."""
    html = html_of("|a|b|c|\n|:-|:-:|-:|\n|1|2|3|\n\n|a|\n|-|\n")

    assert html.startswith(
        '<div class="table" role="region" tabindex="0" aria-label="Table">\n<table>\n'
    )
    assert 'aria-label="Table 2"' in html
    assert '<td class="align-left">1</td>\n<td class="align-center">2</td>' in html
    assert '<th class="align-right">c</th>' in html


def test_header_of_no_words():
    """The empty corner of a table is a cell, not a header without a name."""
    html = html_of("| |b|\n|-|-|\n|1|2|\n")

    assert "<tr>\n<td></td>\n<th>b</th>\n</tr>" in html


@pytest.mark.parametrize("kind", ["Note", "Tip", "Important", "Warning", "Caution"])
def test_admonitions(kind):
    """The five kinds become notes with a title; another kind is a quote."""
    assert html_of(f"> [!{kind.upper()}]\n> *a*") == (
        f'<div class="admonition {kind.lower()}" role="note">\n'
        f'<p class="admonition-title">{kind}</p>\n<p><em>a</em></p>\n</div>\n'
    )
    assert html_of("> [!OTHER]\n> a").startswith("<blockquote>")


def test_task_lists():
    """The state of a task is also available to screen readers."""
    html = html_of("- [ ] a\n- [x] b\n- c")

    assert '><input type="checkbox" disabled aria-label="To do"> a</li>' in html
    assert '<input type="checkbox" disabled checked aria-label="Done"> b</li>' in html
    assert "<li>c</li>" in html


@pytest.mark.skipif(not REAL_PAGES.is_dir(), reason="the real pages are not here")
def test_real_pages():
    """Every page of a real site is rendered, not shown as written."""
    for path in REAL_PAGES.rglob("*.md"):
        rendered = render(path.read_text())
        checker = checked(resolve_links(rendered.html, rendered.links, lambda _: "/x/"))

        ids = [heading.id for heading in rendered.headings]
        # Anchors are at the headings, wherever these are in the page.
        headings = [heading.id for heading in rendered.headings if heading.level <= 6]

        assert sorted(checker.ids) == sorted(ids)
        assert [id for id in checker.ids if id in headings] == headings
        assert "as-written" not in rendered.html, path


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("- a `b`", "- a <code>b</code>"),
        ("# a\n\n> b", "# a &gt; b"),
        ("<i>*a*</i>", "&lt;i&gt;<em>a</em>&lt;/i&gt;"),
        ("'.', '_' and '-'; a final *", "'.', '_' and '-'; a final *"),
    ],
)
def test_line(text, html):
    """A description is rendered inline, whatever it begins with, and escaped."""
    assert render_line(text).replace("&#x27;", "'") == html
