"""Find the heading with which a page begins, and with which its title may be."""

import re

from markdown_it.token import Token

from sitegen.markdown.headings import heading_text, take_explicit_id
from sitegen.markdown.rendering import parse_blocks
from sitegen.markdown.work_limits import WorkLimitExceeded
from sitegen.sources.notations.directives import LABEL
from sitegen.sources.notations.inline_notations import is_attribute_list

# Badges and comments before a title take fewer.
MAX_LINES = 100
# Of a heading, in characters.
MAX_LENGTH = 2_000
_HTML_HEADING = (
    r"<(h[1-6])(?:\s[^<>]{0,500}+)?>(?:[^<]++|<(?!/?h[1-6]\b)){0,2000}+</\1\s*>"
)
_CANDIDATE = re.compile(
    rf"^ {{0,3}}(?:#{{1,6}}[ \t]+[^\n]*|=+[ \t]*)$|{_HTML_HEADING}", re.M | re.I
)
_WHOLE_HEADING = re.compile(rf"[ \t]{{0,9}}{_HTML_HEADING}[ \t]*\n?", re.I)
# Markup in the title of front matter, which most themes show as text.
_MARKUP = ("`", "**", "](")
# Of these, a paragraph can have any number before the title.
_BADGES = {"image", "link_open", "link_close", "html_inline", "softbreak", "hardbreak"}


def plain_title(title: str) -> str:
    """Return the title of front matter without markup."""
    if len(title) > MAX_LENGTH or not any(sign in title for sign in _MARKUP):
        return title
    tokens = parse_blocks(f"# {title}")
    return heading_text(tokens[1]) or title if len(tokens) == 3 else title


def split_heading(body: str) -> tuple[str, str, int]:
    """
    Return the heading with which the body begins, the body without it, and its level.

    Comments, badges, labels and rules may stand before it. The heading is "" if
    anything else does. The ids that lead to it stay, at the start of the body.
    """
    candidate = _CANDIDATE.search(body)
    if (
        candidate is None
        or len(candidate[0]) > MAX_LENGTH
        or body.count("\n", 0, candidate.start()) > MAX_LINES
    ):
        return "", body, 0
    if body[:1].isalnum() and "\n\n" in body[: candidate.start()]:
        # It begins with a paragraph.
        return "", body, 0
    end = body.find("\n\n", candidate.end())
    end = min(end if end >= 0 else len(body), candidate.end() + MAX_LENGTH)
    try:
        tokens = parse_blocks(body[:end])
    except WorkLimitExceeded:
        return "", body, 0
    found = next((i for i, token in enumerate(tokens) if not _is_before(token)), -1)
    if found < 0 or tokens[found].type != "heading_open":
        return "", body, 0
    opening, inline, closing = tokens[found : found + 3]
    explicit_id = closing.meta.get("explicit_id") or take_explicit_id(inline)
    title = heading_text(inline)
    if not title:
        return "", body, 0
    if opening.map:
        lines = body.split("\n")
        before = lines[: opening.map[0]]
        rest = "\n".join([*before, *lines[opening.map[1] :]])
    else:
        rest = _WHOLE_HEADING.sub("", body, count=1)
    anchors = [_anchor(id) for id in (explicit_id, *_ids(inline)) if id]
    gap = ["\n\n"] if anchors else []
    rest = "".join([*anchors, *gap, rest.lstrip("\n")])
    return title, rest, int(opening.tag[1])


def _is_before(token: Token) -> bool:
    """Return whether a token may stand before the title: a badge, a label, a rule."""
    if token.type in ("inline", "html_block"):
        return all(
            child.type in _BADGES
            or not child.content.strip()
            or is_attribute_list(child.content)
            or LABEL.fullmatch(child.content)
            for child in token.children or ()
        )
    return token.type in ("paragraph_open", "paragraph_close", "hr")


def _ids(inline: Token) -> list[str]:
    """Return the ids of the elements in a heading."""
    anchors = (str(child.meta.get("anchor", "")) for child in inline.children or ())
    return [anchor.split('"')[1] for anchor in anchors if anchor]


def _anchor(id: str) -> str:
    return f'<a id="{id}"></a>'
