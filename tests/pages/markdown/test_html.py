"""Raw HTML in documents: what is allowed, and how it is balanced."""

import nh3
import pytest

from sitegen.markdown.html_tags import (
    ALLOWED,
    BLOCKS,
    HEADINGS,
    INLINE,
    TRANSPARENT,
    VOID,
)
from sitegen.markdown.rendering import SOURCE_TAG, Heading
from tests.pages.markdown.english import render, render_entry
from tests.pages.markdown.test_markdown import html_of

OTHERS = """
    script style iframe object embed form input button select textarea svg math template
    noscript link meta base slot x-y title xmp plaintext audio canvas
"""
# Allowed only inside another element, or with an attribute.
IN_CONTEXT = {
    *("caption", "col", "colgroup", "tbody", "td", "tfoot", "th", "thead", "tr"),
    *("li", "dt", "dd", "a", "img", "video", "source", "pre"),
}


@pytest.mark.parametrize("name", sorted((INLINE | BLOCKS) - IN_CONTEXT))
def test_allowed_element(name):
    """An allowed element is kept, without its unknown attributes."""
    end = "" if name in VOID else f"</{name}>"

    html = html_of(f'<{name} onclick="x" style="color: red" class="y">a{end}')

    # Without a heading above it, each but the first level is of the second.
    heading = "h1" if name == "h1" else "h2"
    start = f'<{heading} id="a">' if name in HEADINGS else f"<{name}>"
    assert start in html
    for attribute in ("onclick", "style", 'class="y"'):
        assert attribute not in html


@pytest.mark.parametrize("name", sorted(TRANSPARENT - {"picture"}))
def test_transparent_element(name):
    """Of a layout element, only the content is kept."""
    html = html_of(f'<{name} align="center">\n\n*a*\n\n</{name}>')

    assert html.strip() == "<p><em>a</em></p>"


@pytest.mark.parametrize("name", OTHERS.split())
def test_other_element_is_text(name):
    """
    A tag that is not allowed is shown as it was written.
    """
    html = html_of(f"<{name} a=b>*c*</{name}>")

    assert name not in ALLOWED
    assert html == f"<p>&lt;{name} a=b&gt;<em>c</em>&lt;/{name}&gt;</p>\n"


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ('<p>\n<kbd title="b" \\>c</kbd></p>', '<p>\n<kbd title="b">c</kbd></p>'),
        ('<p>\n<b title="a"lang="en">c</b></p>', '<b title="a" lang="en">c</b>'),
        ('<p>a<br clear=all"> b</p>', '<p>a&lt;br clear=all"&gt; b</p>'),
    ],
)
def test_tag_that_browsers_forgive(text, html):
    """In a block of HTML, a tag with a stray sign is one, if its quotes are closed."""
    assert html in html_of(text)


def test_comments_vanish():
    """A comment is removed everywhere; an unclosed one is text."""
    html = html_of("<!-- a\n\nb -->\n\nc <!-- d --> **e**\n\n<!-- f --> *g*")

    assert html.strip() == "<p>c  <strong>e</strong></p>\n<p> <em>g</em></p>"
    assert html_of("a <!-- b") == "<p>a &lt;!-- b</p>\n"
    assert html_of("<!-- a\n\n*b*") == "<p>&lt;!-- a</p>\n<p><em>b</em></p>\n"
    assert html_of("> <!-- a\n\nb -->") == (
        "<blockquote>\n<p>&lt;!-- a\n</p></blockquote>\n<p>b --&gt;</p>\n"
    )
    assert html_of("`<!-- a -->`") == "<p><code>&lt;!-- a --&gt;</code></p>\n"


def test_markdown_between_tags():
    """After a blank line between tags, Markdown is parsed again."""
    text = "<details>\n<summary>A <b>b</summary>\n\n- *c*\n\n</details>\n\nd"

    assert html_of(text) == (
        "<details>\n<summary>A <b>b</b></summary>\n<ul>\n<li><em>c</em></li>\n</ul>\n"
        "</details>\n<p>d</p>\n"
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<div>a &lt; *b* &amp;lt;</div>", "<p>a &lt; *b* &amp;lt;</p>"),
        ("<div>a</div><div>b</div>", "<p>a</p><p>b</p>"),
        ("<ul><li>a</ul>b", "<ul><li>a</li></ul><p>b</p>"),
        ("<div><b>a</b></div>", "<p><b>a</b></p>"),
        ("<li>a", "<p>a</p>"),
    ],
)
def test_text_in_no_element(text, expected):
    """
    Text outside elements gets a paragraph; its character references are decoded once.
    """
    assert html_of(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a <b>b\n\nc", "<p>a <b>b</b></p>\n<p>c</p>\n"),
        ("*a <b>b* c</b>", "<p><em>a <b>b</b></em> c</p>\n"),
        ("*a <ul><li>b* c", "<p><em>a b</em> c</p>\n"),
        ("<td><b>a\n\nc", "<p><b>a\n</b></p><p>c</p>\n"),
        ("> <details>\n\na", "<blockquote>\n<details>\n</details></blockquote>\n<p>a"),
        ("</b></p></div></main>a", "<p>a</p>\n"),
        ("- a </ul> b\n- c", "<ul>\n<li>a  b</li>\n<li>c</li>\n</ul>\n"),
        ("<details>\n\na</details>\n\nb", "<details>\n<p>a</p></details><p>b</p>\n"),
        ("<ul><li>a<li>b</ul>", "<ul><li>a</li><li>b</li></ul>"),
        ("<p>a<p>b", "<p>a</p><p>b</p>"),
        ("<kbd/>a", "<p><kbd></kbd>a</p>\n"),
    ],
)
def test_open_tags(text, expected):
    """
    An open tag ends with the Markdown around it; a surplus closing tag is dropped.
    """
    assert html_of(text).startswith(expected)


def test_table():
    """
    An HTML table scrolls and is labelled like a Markdown table, and keeps its spans.
    """
    html = html_of("<table><tr><th scope=col>a<td colspan=2 align=RIGHT>b</table>")

    assert 'aria-label="Table"' in html
    assert '<th scope="col">a</th><td colspan="2" class="align-right">b</td>' in html


def test_links_and_images():
    """HTML links and images follow the same rules as Markdown ones."""
    text = '<a href="b.md" title="T">a</a> <a href="https://c.d">c</a>'
    assert html_of(text) == html_of('[a](b.md "T") [c](https://c.d)')
    assert html_of("<a href='javascript:x'>a</a>") == "<p>a</p>\n"
    assert html_of('<img src="/a.png" alt="b" width=20 onerror=x>') == (
        '<p><img src="/to//a.png" alt="b" width="20" decoding="async"></p>\n'
    )
    assert html_of('<img src="data:x" alt="b">') == "<p>b</p>\n"
    assert html_of("![a <b>b</b>](/c.png)") == html_of("![a b](/c.png)")


def test_link_to_nothing():
    """Markup in a broken link stays balanced when the link becomes text."""
    text = '<b>[a <i>b](x)</b> <a href="y">c <kbd>d</kbd></a>'

    assert html_of(text, lambda _: None) == (
        "<p><b>a <i>b</i></b> c <kbd>d</kbd></p>\n"
    )


def test_ids():
    """An id is kept once, and never one of the page's own; headings avoid it."""
    text = '<a name="a"></a><b id="a">b</b> <i id="page.main">c</i>\n\n## A\n'
    text += '\n<h3 id="own">D</h3>'

    rendered = render(text)

    assert '<span id="a"></span><b>b</b> <i>c</i>' in rendered.html
    assert rendered.headings == (
        Heading(2, "a-1", "A"),
        Heading(3, "own", "D"),
        Heading(7, "a", ""),
    )


def test_misplaced_id():
    """The id of a removed element is not listed."""
    assert render("<tr id=a><td id=b>c</td></tr>").headings == ()


def test_code():
    """Code in <pre> keeps its lines and can be scrolled and copied."""
    assert html_of("<pre><code>a\n\n*b* <i>c</i> &lt;</code></pre>") == (
        '<div class="code"><pre tabindex="0"><code>a\n\n*b* <i>c</i> &lt;</code></pre>'
        "</div>\n"
    )


@pytest.mark.parametrize(
    ("opening", "expected"),
    [
        ("<h1 title='a > b'>", '<h1 id="c">c</h1>\n'),
        ("<h1 =>", '<h1 id="c">c</h1>\n'),
        ("""<h1 title='">""", """<p>&lt;h1 title='"&gt;c</p>"""),
    ],
)
def test_opening_tags_of_headings(opening, expected):
    """
    An attribute of a heading may contain an angle bracket; what is no tag is text.
    """
    assert html_of(f"<div>{opening}c</h1></div>") == expected


def test_video():
    """A video of the site can be played; another one becomes its name, or nothing."""
    video = '<video src="/files/1/b.mp4" controls preload="metadata">'
    for text in (
        "<video src=b.mp4 autoplay>No video.</video>",
        "<video>\n<source src=https://a.c/b.mp4><source src='b.mp4'>\n</video>",
    ):
        html = html_of(text, lambda target: f"/files/1/{target}")
        assert html == f"<p>{video}</video></p>\n"
        assert html_of(text, lambda _: None) == html_of(text) == "<p>b.mp4</p>\n"
    for source in ("https://a.b/c.mp4", "//a.b/files/c.mp4", "javascript:x", "#x"):
        assert html_of(f"<video src={source}>a</video>") == "<p></p>\n"


def test_video_contains_only_sources():
    """Other content of a video is removed, and its ids and links are not listed."""
    text = "a *b <video><video><q id=c>d *e [f](g){#h}*</q>*</video></video> i"

    rendered = render(text)

    assert rendered.headings == rendered.links == ()
    assert rendered.html == "<p>a <em>b <video></video></em> i</p>\n"


def test_too_many_open_tags():
    """Too deeply nested HTML is shown as written, like nested Markdown."""
    assert not render("<blockquote>" * 100).html.startswith(SOURCE_TAG)
    assert render("<blockquote>" * 101).html.startswith(SOURCE_TAG)


def test_entries_have_no_html():
    """In updates of an incident, tags are text."""
    assert render_entry("a <b>b</b>") == "<p>a &lt;b&gt;b&lt;/b&gt;</p>\n"


def test_cleaned_html_is_what_a_browser_reads():
    """
    A second parse changes nothing, so sanitised HTML cannot mutate into something else.
    """
    text = "<p>a <b>b <table><td><a href=/x>c<p>d <i>e</table> *f <i>g* <dl><dt>h</dl>"
    html = html_of(text)
    attributes = {"*": {"class", "href", "role", "tabindex", "aria-label"}}

    tags = {*BLOCKS, *INLINE, "div"}
    assert nh3.clean(html, tags=tags, attributes=attributes, link_rel=None) == html
