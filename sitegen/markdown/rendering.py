"""Render Markdown as HTML; links within the site are resolved when a page is made."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from models.locales import Locale
from models.projects.documents.linking.link_resolver import site_href
from sitegen.markdown.abbreviations import enable_abbreviations, mark_abbreviations
from sitegen.markdown.attributes import apply_attributes
from sitegen.markdown.definition_lists import enable_definition_lists
from sitegen.markdown.emphasis import enable_emphasis
from sitegen.markdown.footnotes import enable_footnotes
from sitegen.markdown.headings import Heading, assign_heading_ids
from sitegen.markdown.highlighting import MAX_HIGHLIGHTED
from sitegen.markdown.images import Size, mark_figures, put_image_addresses
from sitegen.markdown.links import autolink_urls, put_addresses
from sitegen.markdown.math import enable_math
from sitegen.markdown.raw_html import (
    clean_html,
    drop_empty_paragraphs,
    enable_html,
    split_html,
)
from sitegen.markdown.render_rules import HtmlRenderer, leave_alert_titles
from sitegen.markdown.tables import demote_empty_headers
from sitegen.markdown.tabs import enable_tabs
from sitegen.markdown.texts import insert_texts
from sitegen.markdown.work_limits import WorkLimit, WorkLimitExceeded, limit_work

__all__ = [
    "RENDERER_VERSION",
    "Heading",
    "Rendered",
    "parse_blocks",
    "parse_tokens",
    "render",
    "render_entry",
    "render_line",
    "resolve_links",
]

# Increase it when the same text gives other HTML, so that cached bodies are replaced.
RENDERER_VERSION = "14"
# Characters of Markdown, twice what the API accepts.
MAX_LENGTH = 1_000_000
# An anchor is listed with the headings, as one below them all.
ANCHOR_LEVEL = 7
SOURCE_TAG = '<pre class="as-written"'
# In rendered HTML, where text and attributes are escaped.
ID_ATTRIBUTE = re.compile(r"<[a-z][^<>]*? id=\"([^\"<>]*)\"")
# Control characters have no place in HTML, and half a surrogate pair in no file.
UNPRINTABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


@dataclass(frozen=True)
class Rendered:
    """
    The rendered body of a document.

    `links` are the distinct targets that `resolve_links` has yet to put into `html`,
    as the author wrote them, in the order of their first use.
    """

    html: str
    headings: tuple[Heading, ...]
    links: tuple[str, ...]


def make_parser(*disabled: str, is_document: bool = True) -> MarkdownIt:
    parser = MarkdownIt("zero", renderer_cls=HtmlRenderer)
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
    enable_emphasis(parser)
    limit_work(parser)
    if is_document:
        enable_abbreviations(parser)
        enable_footnotes(parser)
        enable_html(parser)
        enable_math(parser)
        enable_tabs(parser)
        enable_definition_lists(parser)
    else:
        parser.disable(["html_block", "html_inline"])
    parser.disable(list(disabled))
    # Targets reach the renderer unchanged, which alone decides whether they are safe.
    parser.normalizeLink = str  # type: ignore[method-assign, assignment]
    parser.validateLink = lambda _: True  # type: ignore[method-assign, assignment]
    # Rules are compiled at first use, which is not safe in two threads at once.
    for chain in (parser.core, parser.block, parser.inline):
        chain.ruler.getRules("")
    parser.inline.ruler2.getRules("")
    return parser


PARSER = make_parser()
# A page has several entries of timelines: without headings, footnotes and HTML, whose
# ids would not be unique.
ENTRY_PARSER = make_parser("heading", "lheading", is_document=False)
# A line has no blocks.
LINE_PARSER = make_parser(
    *("blockquote", "code", "fence", "heading", "hr", "lheading", "list"),
    *("reference", "table"),
    is_document=False,
)


def render(text: str, parser: MarkdownIt = PARSER) -> Rendered:
    """
    Return the document as HTML.

    A document that exceeds the limits of length, nesting, time or output is shown as
    source.
    """
    text = UNPRINTABLE.sub("\ufffd", text)
    if len(text) > MAX_LENGTH:
        return _as_source(text)
    try:
        return _render(text, parser)
    except WorkLimitExceeded:
        return _as_source(text)


@lru_cache(maxsize=2000)
def render_entry(text: str, locale: Locale, site_url: str = "") -> str:
    """
    Return the text of a timeline as HTML.

    Its links from the root of the site begin with `site_url`.
    """

    def resolve(target: str) -> str | None:
        href = site_href(target)
        return href and site_url + href

    rendered = render(text, ENTRY_PARSER)
    html = resolve_links(rendered.html, rendered.links, resolve)
    return insert_texts(html, locale)


@lru_cache(maxsize=2000)
def render_line(text: str, locale: Locale) -> str:
    """Return a text that belongs to a line, such as a description, as inline HTML."""
    rendered = render(" ".join(text.split()), LINE_PARSER)
    html = resolve_links(rendered.html, rendered.links, lambda _: None)
    html = insert_texts(html, locale)
    return html.removeprefix("<p>").removesuffix("</p>\n")


# An import looks at the tokens of each page several times, and changes none.
@lru_cache(maxsize=1)
def parse_tokens(text: str) -> list[Token]:
    """Return the tokens of a document; raise WorkLimitExceeded if it is hostile."""
    return PARSER.parse(text, {"limit": WorkLimit()})


def parse_blocks(text: str) -> list[Token]:
    """Return the tokens as they are rendered, with those of HTML among them."""
    env: dict[str, Any] = {"limit": WorkLimit(), "ids": {}}
    return split_html(PARSER.parse(text, env), env)


def _render(text: str, parser: MarkdownIt) -> Rendered:
    limit, links, ids = WorkLimit(), dict[str, int](), dict[str, None]()
    env: dict[str, Any] = {
        "limit": limit,
        "highlightable": MAX_HIGHLIGHTED,
        "links": links,
        # Those of elements that are not headings, in order.
        "ids": ids,
        "open_links": [],
        "open_blocks": Counter(),
        "images": 0,
        "tables": 0,
        "tabs": 0,
        # A page has several entries of timelines. Regions are landmarks, whose names
        # must be unique on a page; groups are not.
        "table_role": "group" if parser is ENTRY_PARSER else "region",
        "rendered_references": set(),
    }
    tokens = parser.parse(text, env)
    if "has_html" in env:
        tokens = split_html(tokens, env)
    apply_attributes(tokens, ids)
    autolink_urls(tokens)
    limit.check_time()
    headings = assign_heading_ids(tokens, ids)
    mark_abbreviations(tokens, env)
    demote_empty_headers(tokens)
    leave_alert_titles(tokens)
    mark_figures(tokens)
    html = parser.renderer.render(tokens, parser.options, env)
    if "has_html" in env:
        limit.check_time()
        html = clean_html(html)
    if ids:
        html = drop_empty_paragraphs(html)
        # The sanitiser drops elements that are in a wrong place.
        placed_ids = set(ID_ATTRIBUTE.findall(html))
        ids = {id: None for id in ids if id in placed_ids}
    limit.check_bytes(len(html.encode()))
    anchors = tuple(Heading(ANCHOR_LEVEL, id, "") for id in ids)
    return Rendered(html, headings + anchors, tuple(links))


def _as_source(text: str) -> Rendered:
    html = f'{SOURCE_TAG} tabindex="0">{escape(text)}</pre>\n'
    return Rendered(html, (), ())


def resolve_links(
    rendered_html: str,
    links: Sequence[str],
    resolve: Callable[[str], str | None],
    size_of: Callable[[str], Size | None] = lambda _: None,
) -> str:
    """
    Put addresses into the links and images; one that resolves to None becomes text.

    `size_of` returns the size of the picture at an address.
    """
    addresses = [resolve(target) for target in links]
    html = put_image_addresses(rendered_html, links, addresses, size_of)
    return put_addresses(html, addresses)
