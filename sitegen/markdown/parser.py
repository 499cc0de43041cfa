"""Markdown to HTML, with the links between pages left open until a page is made."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from sitegen.markdown.autolinks import link_addresses
from sitegen.markdown.footnotes import enable_footnotes
from sitegen.markdown.headings import Heading, name_headings
from sitegen.markdown.highlighting import COLOURED
from sitegen.markdown.plain_text import read_plain_lines
from sitegen.markdown.renderer import MARK, Markup, without_empty_headers
from sitegen.markdown.work_limits import (
    MeasuredInline,
    TooMuchWork,
    allowance,
    measure_lines,
    measure_tables,
)

__all__ = [
    "RENDERER",
    "Heading",
    "Rendered",
    "fill",
    "render",
    "render_entry",
    "tokens_of",
]

# Raised when the same text would give other HTML, so that no cached body outlives it.
RENDERER = "5"
# Twice what the API accepts.
LONGEST = 1_000_000
# Of HTML, with its links filled in.
MOST_BYTES = 8_000_000
AS_WRITTEN = '<pre class="as-written"'
# Control characters have no place in HTML, and half a surrogate pair in no file.
UNPRINTABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


@dataclass(frozen=True)
class Rendered:
    """
    The body of a document.

    `links` are the distinct targets that `fill` still has to put into `html`, as the
    author wrote them, in the order of their first appearance.
    """

    html: str
    headings: tuple[Heading, ...]
    links: tuple[str, ...]


def _parser(*without: str, has_footnotes: bool = True) -> MarkdownIt:
    parser = MarkdownIt("zero", renderer_cls=Markup)
    parser.inline = MeasuredInline()
    parser.configure(
        "commonmark",
        {
            "html": False,
            "xhtmlOut": False,
            "maxNesting": 100,
            "alerts": True,
            "tasklists": True,
        },
    )
    parser.enable(["table", "strikethrough"])
    # Without HTML they find nothing, line for line.
    parser.disable(["html_block", "html_inline"])
    measure_lines(parser)
    read_plain_lines(parser)
    measure_tables(parser)
    if has_footnotes:
        enable_footnotes(parser)
    parser.disable(list(without))
    # What the author wrote reaches the renderer, the one place that judges addresses.
    parser.normalizeLink = str  # type: ignore[method-assign, assignment]
    parser.validateLink = lambda _: True  # type: ignore[method-assign, assignment]
    # Rules are chosen at the first use, and two threads must not do that at once.
    for chain in (parser.core, parser.block, parser.inline):
        chain.ruler.getRules("")
    parser.inline.ruler2.getRules("")
    return parser


PARSER = _parser()
# An entry of a timeline stands among others: it has no headings or notes of its own,
# which would be found at the same address.
ENTRY_PARSER = _parser("heading", "lheading", has_footnotes=False)


def render(text: str, parser: MarkdownIt = PARSER) -> Rendered:
    """
    The document as HTML.

    One that is hostile by its length, depth or work is shown as it was written.
    """
    text = UNPRINTABLE.sub("\ufffd", text)
    if len(text) > LONGEST:
        return _as_written(text)
    try:
        return _rendered(text, parser)
    except TooMuchWork:
        return _as_written(text)


@lru_cache(maxsize=2000)
def render_entry(text: str) -> str:
    """Return an entry of a timeline as HTML, with links to whole addresses only."""
    rendered = render(text, ENTRY_PARSER)
    return fill(rendered.html, rendered.links, lambda _: None)


def tokens_of(text: str) -> list[Token]:
    """What the text is made of; raise TooMuchWork when it is hostile."""
    return PARSER.parse(text, {"work": allowance(text)})


def _rendered(text: str, parser: MarkdownIt) -> Rendered:
    links: dict[str, int] = {}
    env: dict[str, Any] = {
        "work": allowance(text),
        "coloured": COLOURED,
        "links": links,
        "addresses": 0,
        "open": [],
        "tables": 0,
        # Entries stand on one page, where each has a first table: no landmark is
        # made of it, of which a page may have only one of a name.
        "tables_are": "group" if parser is ENTRY_PARSER else "region",
        "rendered_references": set(),
    }
    tokens = parser.parse(text, env)
    link_addresses(tokens)
    headings = name_headings(tokens)
    without_empty_headers(tokens)
    html = parser.renderer.render(tokens, parser.options, env)
    if len(html.encode()) + env["addresses"] > MOST_BYTES:
        raise TooMuchWork
    return Rendered(html, headings, tuple(links))


def _as_written(text: str) -> Rendered:
    html = f'{AS_WRITTEN} tabindex="0">{escape(text)}</pre>\n'
    return Rendered(html, (), ())


def fill(
    rendered_html: str,
    links: Sequence[str],
    resolve: Callable[[str], str | None],
) -> str:
    """Put an address into each open link; one that leads nowhere keeps its text."""
    addresses = [resolve(target) for target in links]
    parts = rendered_html.split(MARK)
    closing = ""
    # Between two marks: a number and a title where a link opens, nothing at its end.
    for index in range(1, len(parts), 2):
        number, space, title = parts[index].partition(" ")
        if not number:
            parts[index] = closing
            continue
        address = addresses[int(number)]
        closing = "" if address is None else "</a>"
        parts[index] = (
            "" if address is None else f'<a href="{escape(address)}"{space}{title}>'
        )
    return "".join(parts)
