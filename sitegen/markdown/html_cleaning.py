"""Clean the HTML of a document with HTML of its author by a sanitiser."""

import re

import nh3

from sitegen.markdown import math
from sitegen.markdown.html_tags import BLOCKS, INLINE
from sitegen.markdown.images import mark_images

# Stands before the number of a link's target, as the link's address.
TARGET_MARK = "\x01"
# What the renderer writes, and what authors may write. The author's own tags were
# filtered before; here, the sanitiser sees the body as a browser will.
_TAGS = {"div", "input", "label", "section", "source", "span", *INLINE, *BLOCKS}
_TAGS |= math.TAGS
_ATTRIBUTES = {
    **math.ATTRIBUTES,
    "*": {"class", "dir", "id", "lang", "title"} | math.ATTRIBUTES["*"],
    "a": {"aria-label", "href", "rel"},
    "col": {"span"},
    "colgroup": {"span"},
    "details": {"open"},
    "div": {"aria-label", "data-language", "role", "tabindex"},
    "img": {"alt", "decoding", "height", "loading", "src", "width"},
    "input": {"aria-label", "checked", "disabled", "name", "type"},
    "label": {"for"},
    "li": {"value"},
    "ol": {"reversed", "start", "type"},
    "pre": {"tabindex"},
    "section": {"aria-label"},
    "span": {"aria-hidden", "data-line"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan", "scope"},
    "video": {"height", "src", "width"},
}
_SCHEMES = {"http", "https", "mailto"}
_LINK_TAG = re.compile(
    rf'<a href="{TARGET_MARK}(\d+)"( title="[^"<>]*+")?>|(<a(?: [^<>]*+)?>)|</a>'
)
# The parser of HTML ends a paragraph before a block, and begins one at a stray </p>.
_EMPTY_PARAGRAPH = re.compile(r"<p(?: class=\"[a-z-]*\")?>\s*</p>\n?")


def clean(html: str, link_mark: str) -> str:
    """Return the HTML as a browser would parse it, with allowed elements only."""
    cleaned = nh3.clean(
        html,
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        url_schemes=_SCHEMES,
        link_rel=None,
        strip_comments=True,
    )
    return _mark_links(mark_images(_EMPTY_PARAGRAPH.sub("", cleaned)), link_mark)


def _mark_links(html: str, mark: str) -> str:
    """Replace the tags of links that are resolved later by their marks."""
    closings: list[str] = []

    def replacement(tag: re.Match[str]) -> str:
        number, title, other = tag.groups()
        if number is None and other is None:
            return closings.pop()
        # A table in a link can contain another link, of which only the text remains.
        is_inner = bool(closings)
        if is_inner:
            closings.append("")
            return ""
        closings.append("</a>" if other else mark * 2)
        return other or f"{mark}{number}{title or ''}{mark}"

    return _LINK_TAG.sub(replacement, html)
