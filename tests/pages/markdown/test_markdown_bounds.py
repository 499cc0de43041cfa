"""No document blocks the builder, and hostile ones lose no text."""

import pytest

from sitegen.markdown import work_limits
from sitegen.markdown.headings import slug
from sitegen.markdown.rendering import SOURCE_TAG, render, resolve_links
from tests.nightly import every_nth
from tests.processor import at_most
from tests.samples.allowed_html import checked

LENGTH = 50_000
# Just below the longest document that the API accepts.
LONGEST = 499_000
ACUTE = "\N{COMBINING ACUTE ACCENT}"
REPEATED = [
    *("[", "]", "![", "[](", "[a](", "[a](<b", '[a](b "', "[a][", "[a]:", "[a\n"),
    *("<", "<a", "<a:", "<!--", "<![CDATA[", "&", "&#1;", "\\", "`", "``a` "),
    *("*", "*a **a ", "*_", "a**b", "*a_ ", "~~a ", "*[a](b", "> ", "> a\n", "- "),
    *("- > ", "- + * ", "- a\n+ b\n", "- a\n\n", "- [ ] a\n", "> [!NOTE]\n", "a\n"),
    *(" ", "\t", "\n", "# ", "a\n=\n", "# a {#a}\n", "```a\n~~~\n", "|-", "a\n|-|-\n"),
    *(ACUTE, f"e{ACUTE}", "[^", "[^a]", "[^a]:", "[^a]: ", "[^a]: b\n", "https://"),
    *("www.a.b ", "\u202e", "\x00", "]]>", "<!-- ", "--> ", "&colon;"),
    *("<br>", "<b>", "</b>", "<b>a</b>", "<p>", "<div>", "<div>\n\n", "<!--\n"),
    *("> <!--\n", "<li>", "<td>a", "<pre>\n", "<b><i></b></i>", "*<b>*</b>"),
    *("$", "$$", "$a", "$a$ ", "$$\n", "{", "{#", "a\n: b\n", ": ", '=== "a"\n'),
    *('    === "a"\n', "[a](b){#c}", "```{1-999999}\n```\n", "<h2>a\n\n", "<a x='"),
    *("<a href=x>", "<video src=/files/a>", "<img src=/a.png>", "<table><tr><td>"),
]


def nested(opening, inner, closing):
    return opening * 10_000 + inner + closing * 10_000


HOSTILE = {
    "brackets": nested("[", "a", "]"),
    "images": nested("![", "a", "](x)"),
    "emphasis": nested("*a ", "b", " a*"),
    "quotes": nested(">", "a", ""),
    "lists": nested("- ", "a", ""),
    "indented lists": "\n".join("  " * depth + "- a" for depth in range(400)),
    "lazy quote": ">" * 90 + "a\n" * 50_000,
    "unused references": "[b]: c\n\n" + "[a][" * 25_000,
    "long reference": f"[b]: https://a/{'x' * 40_000}\n\n" + "[b]" * 15_000,
    "long site reference": f"[b]: /{'x' * 40_000}\n\n" + "[b]" * 15_000,
    "bare addresses": "https://a.b/(c) " * 3_300,
    "open addresses": "https://a" + "(" * 25_000 + ")" * 25_000,
    "uses of a note": "[^a]" * 12_000 + "\n\n[^a]: b\n",
    "notes": "".join(f"[^{n}]\n\n[^{n}]: b\n" for n in range(3_000)),
    "ring of notes": "[^0]\n\n"
    + "".join(f"[^{n}]: [^{n + 1}] [^0]\n" for n in range(3_000)),
    "notes that use all": "".join(
        f"[^{n}]: {''.join(f'[^{m}]' for m in range(99))}\n" for n in range(99)
    )
    + "[^0]",
    "unused notes": "[^a]: b\n\n" * 6_000,
    "open references": "[^a" * 40_000 + "\n\n[^a]: b\n",
    "nested definitions": "[^0]\n\n"
    + "\n".join("    " * n + f"[^{n}]: b" for n in range(300)),
    "long note": "[^a]\n\n[^a]: b\n" + "    c\n\n" * 6_000,
    "equal headings": "# a\n" * 12_500,
    "suffixed headings": "".join(f"# a {n}\n# a\n" for n in range(5_000)),
    "one word": "a" * 2_000_000,
    "one line": "lorem *ipsum* [dolor](sit) " * 37_000,
    "two megabytes": "lorem *ipsum* [dolor](sit) " * 74_000,
    "wide table": "|a" * 25_000 + "|\n" + "|-" * 25_000 + "|\n",
    "long table": "|a|b|\n|-|-|\n" + "|c|d|\n" * 16_000,
    "ragged table": "|a" * 200 + "|\n" + "|-" * 200 + "|\n" + "|\n" * 45_000,
    "backtick runs": " ".join("`" * length for length in range(1, 450)),
    "hostile code": "```java\n" + "a\n" * 50_000 + "```\n",
    "deep formula": f"${'{' * 10_000}a{'}' * 10_000}$",
    "deep formulas": f"$${'{' * 900}a{'}' * 900}$$\n\n" * 30,
    "chain of commands": "$" + r"\sqrt " * 300 + "a$",
    "commands that grow": r"$\newcommand{\a}{"
    + r"\sqrt" * 100
    + r"}\newcommand{\b}{"
    + r"\a" * 100
    + "}"
    + r"\b" * 100
    + "$",
    "many formulas": "".join(f"$a_{{{n}}}$ " for n in range(6_000)),
    "nested tabs": "".join(f'{" " * 4 * n}=== "a"\n\n' for n in range(100)),
    "many tabs": '=== "a"\n\n    b\n\n' * 3_000,
    "definitions": "a\n: b\n\n" * 6_000,
    "lines of code": "```js {1-999999} linenums=1\n" + "a\n" * 20_000 + "```\n",
    "closed tags": "<i>a</i>" * 100_000,
    "nested tags": "<blockquote>" * 100_000,
    "repeated formatting": "".join(f"<b title={n}>" for n in range(90))
    + "<p>x</p>" * 40_000,
    "formatting across paragraphs": "<p>\n"
    + "".join(f"<b title={n}>" for n in range(90))
    + "\n\nx" * 40_000,
    "list of tags": "<ul>\n" + "<li>x\n" * 20_000,
    "table of tags": "<table>" + "<tr><td>x" * 12_000,
    "many attributes": f"<b {'a=b ' * 20_000}>x</b>",
    "many ids": "".join(f"<a id=x{n}></a>" for n in range(10_000)),
    "space in a tag": "<b" + " " * 100_000 + "x",
    "comment that ends elsewhere": "> <!--\n" * 20_000 + "\n-->",
    "headings without an end": "<div>\n" + "<h2>a\n" * 20_000,
    "tags misplaced in a table": "<table>\n" + "<p>x" * 100_000,
    "paragraphs in a table": "<table>\n\n" + "x\n\n" * 60_000,
    "quotes in headings": "<div>\n" + "<h2 '\"" * 70_000,
    "formatting around cells": "".join(
        f"<b title={n}><table><td></b></table>" for n in range(6_000)
    )
    + "<p>x" * 20_000,
    "formatting around lists": f"<b title=x>{'<ul>' * 9}</b>{'</ul>' * 9}" * 4_000
    + "<p>x" * 20_000,
    "formatting around emphasis": "*a " * 20_000 + "<b><i>" * 45 + "x* " * 20_000,
    "unknown languages": "".join(f"```x{n}\n```\n" for n in range(8_000)),
} | {repr(part): (part * LENGTH)[:LENGTH] for part in REPEATED}


@pytest.mark.parametrize("name", every_nth(HOSTILE, 4))
def test_hostile_documents_are_bounded(name):
    """Any repetition, nesting or growth is rendered within seconds, to valid HTML."""
    with at_most(2 * work_limits.MAX_SECONDS):
        rendered = render(HOSTILE[name])
        html = resolve_links(rendered.html, rendered.links, lambda target: target)

    assert len(html.encode()) <= work_limits.MAX_HTML_BYTES
    if len(html) < 4_000_000:
        checked(html)


@pytest.fixture
def unhurried(monkeypatch):
    """Disable the time limit, however slow the machine."""
    monkeypatch.setattr(work_limits, "MAX_SECONDS", 600)


def nested_list(depth):
    return "\n".join("  " * level + "- a" for level in range(depth)) + "\n"


# Before the time was limited, some of these took eight seconds each.
ATTACKS = {
    "list per line": "- " * 45 + "a\n",
    "quoted list per line": "> - " * 12 + "a\n",
    "nested lists": nested_list(47),
}


@pytest.mark.parametrize("name", every_nth([*ATTACKS, *HOSTILE], 4))
def test_time_is_limited_everywhere(name, monkeypatch):
    """The longest hostile documents are stopped soon after the limit, in every step."""
    text = ATTACKS.get(name) or HOSTILE[name]
    text = (text * (LONGEST // len(text) + 1))[:LONGEST]
    monkeypatch.setattr(work_limits, "MAX_SECONDS", 0.1)

    with at_most(1.5):
        rendered = render(text)

    if name in ATTACKS:
        assert rendered.html.startswith(SOURCE_TAG)


@pytest.mark.parametrize(
    "text",
    [
        # 8 MB of HTML, of addresses that are filled in, and of both.
        "## a\n" * 80_000,
        "[a](b)" * 80_000,
        "## a\n" * 55_000 + "[a](b)" * 20_000,
    ],
    ids=["html", "links", "both"],
)
def test_too_much_is_shown_as_written(text, unhurried):
    """A document with too much HTML is shown as plain text."""
    rendered = render(text)

    assert rendered.html.startswith(SOURCE_TAG)
    assert rendered.links == ()


@pytest.mark.parametrize(
    "text",
    [
        "|a|b|c|\n|-|-|-|\n" + "| yes | - | 12 |\n" * 5_000,
        "|a|b|\n|-|-|\n" + "|1|0|\n" * 10_000,
        "## a\n" * 55_000,
        "[a](b)" * 20_000,
        "## A heading\n\nSome words.\n\n- [ ] to do\n- [x] done\n\n" * 5_000,
    ],
    ids=["table", "dense table", "html", "links", "parts"],
)
def test_long_is_not_too_much(text, unhurried):
    """Documents of people and their tools are rendered, however long they are."""
    assert not render(text).html.startswith(SOURCE_TAG)


@pytest.mark.parametrize("depth", range(1, 140, 3))
@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        ("> ", ""),
        ("- ", ""),
        ("> - ", ""),
        ("[", "](b)"),
        ("![", "](/b)"),
        ("*a ", " a*"),
    ],
)
def test_depth_loses_no_word(opening, closing, depth):
    """The text of a document is on the page, however deep it nests."""
    rendered = render(opening * depth + "word" + closing * depth)

    assert "word" in rendered.html


def test_a_document_that_is_too_hostile_is_shown_as_written():
    """A document over the limits is readable text, without headings and links."""
    text = "# a\n\n" + ">" * 200 + "<b>\n"

    rendered = render(text)

    assert rendered.headings == rendered.links == ()
    assert "".join(checked(rendered.html).text) == text + "\n"


def test_slugs_are_short():
    """
    An id stays short whatever the heading, and endless combining marks cost nothing.
    """
    assert len(slug("a" * 10**6)) == 200
    assert len(slug("\N{COMBINING ACUTE ACCENT}\N{COMBINING CEDILLA}" * 10**6)) == 30
