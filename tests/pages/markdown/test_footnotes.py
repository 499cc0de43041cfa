"""Footnotes, and bare addresses in the text."""

import pytest

from sitegen.markdown.rendering import resolve_links
from tests.pages.markdown.english import render, render_entry
from tests.samples.allowed_html import checked


def html_of(text):
    rendered = render(text)
    html = resolve_links(rendered.html, rendered.links, lambda target: target)
    checked(html)
    return html


def test_note():
    """A note is at the end, and linked with its reference in both directions."""
    html = html_of("a[^x] b\n\n[^x]: *c*\n  d\n\ne\n")

    assert html == (
        '<p>a<sup class="note-ref" id="noteref.1"><a href="#note.1" '
        'aria-label="Note 1">1</a></sup> b</p>\n<p>e</p>\n'
        '<section class="notes" aria-label="Notes">\n<ol>\n<li id="note.1">\n'
        "<p><em>c</em>\nd "
        '<a class="note-back" href="#noteref.1" aria-label="Back to reference 1">'
        '<span aria-hidden="true">↩</span></a></p>\n'
        "</li>\n</ol>\n</section>\n"
    )


def test_notes_are_numbered_by_use():
    """Notes are numbered by their first reference; an unused note is not shown."""
    html = html_of("[^b] [^a] [^b]\n\n[^a]: A\n[^b]: B\n[^c]: C\n")

    assert html.index("<p>B") < html.index("<p>A")
    assert "<p>C" not in html
    assert 'id="noteref.1.2"' in html
    assert 'href="#noteref.1.2" aria-label="Back to reference 1-2"' in html


def test_note_of_several_paragraphs():
    """Indented text after an empty line belongs to the note; other text does not."""
    html = html_of("a[^x]\n\n[^x]: b\n\n    c\n\nd\n\n- e\n")

    assert "<p>d</p>" in html.partition("<section")[0]
    assert "<li>e</li>" in html.partition("<section")[0]
    assert "<p>b</p>\n<p>c <a" in html.partition("<section")[2]


def test_note_of_several_blocks():
    """A note may contain lists and code."""
    html = html_of("a[^x]\n\n[^x]: - b\n    - c\n\n    ```\n    d\n    ```\n\ne\n")

    before, _, note = html.partition("<section")
    assert "<p>e</p>" in before
    assert "<li>c</li>" in note
    assert "<code>d" in note


@pytest.mark.parametrize(
    "text",
    ["a[^x]\n\n[^x]: b\n\n    [^y]: a word\n", "a[^x]\n\n[^x]: b word\n[^x]: c\n"],
    ids=["nested", "twice"],
)
def test_note_keeps_its_text(text):
    """A nested or repeated definition loses no text."""
    html = html_of(text)

    assert "b" in html.partition("<section")[2]
    assert "word" in html


@pytest.mark.parametrize(
    "text", ["a[^x]\n", "`[^x]`\n\n[^x]: b\n", "[^x y]\n\n[^x y]: b\n", "[^]\n\n[^]: b"]
)
def test_what_is_no_note(text):
    """A reference to nothing, in code, or without a name is text."""
    assert "<sup" not in html_of(text)


def test_notes_in_notes_and_links():
    """Notes may refer to each other; links are not nested."""
    html = html_of("[a[^x]](b) ![c[^z]](/d)\n\n[^x]: [^y]\n[^y]: [^x]\n[^z]: z\n")

    assert html.count("<li") == 3
    assert 'href="b"' not in html
    assert 'href="#noteref.2"' not in html


def test_heading_cannot_take_the_id_of_a_note():
    """The id of a note has a dot, which the id of a heading cannot have."""
    html = html_of("a[^x]\n\n# note.1\n## b {#note.1}\n\n[^x]: b\n")

    assert html.count('id="note.1"') == 1


@pytest.mark.parametrize(
    ("text", "linked"),
    [
        ("see https://a.b/c.", "https://a.b/c"),
        ("(https://a.b/c_(d))", "https://a.b/c_(d)"),
        ("(see http://a.b)", "http://a.b"),
        ("HTTPS://a.b/?c=d&e=f#g!", "HTTPS://a.b/?c=d&e=f#g"),
        ("https://a.b/c_d_e*f", "https://a.b/c_d_e*f"),
        ("https://a.b/\u202egpj.exe", "https://a.b/"),
    ],
)
def test_bare_address(text, linked):
    """A bare address becomes a link; punctuation at its end does not belong to it."""
    shown = linked.replace("&", "&amp;")
    link = f'<a class="external" rel="noopener" href="{shown}">{shown}</a>'

    assert link in html_of(text)
    assert link in render_entry(text)


def test_bare_address_of_the_web():
    """An address that begins with www. becomes a link to https."""
    assert 'href="https://www.a.b/c">www.a.b/c</a>' in html_of("www.a.b/c")


@pytest.mark.parametrize(
    "text",
    [
        *("`https://a.b`", "[https://a.b](c)", "![https://a.b](/c)", "xhttps://a.b"),
        *("javascript://a.b", "https://", "https:// a", "www.a", "a://b.c"),
        *("    https://a.b", "a@www.b.c"),
    ],
)
def test_what_is_no_address(text):
    """Code, links, images, other schemes and incomplete addresses stay unchanged."""
    assert 'class="external"' not in html_of(text)


@pytest.mark.parametrize(
    "text", ["https://a" + ")" * 50_000, "https://a" + "." * 50_000, "www." * 12_500]
)
def test_address_without_end(text):
    """Searching for the end of an address takes linear time."""
    assert len(html_of(text)) < 4 * len(text)


def test_entries_have_no_notes():
    """Updates have no notes, because two of them on a page would share their ids."""
    assert "id=" not in render_entry("a[^b]\n\n[^b]: c")
