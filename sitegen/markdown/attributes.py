"""Attributes in braces after images and links: `![A](a.png){#id .dark width=300}`."""

import re
from collections.abc import Sequence
from itertools import pairwise

from markdown_it.token import Token

from sitegen.markdown.html_tags import ID, ID_CHARACTER

# Others have no style here.
CLASSES = frozenset(("dark", "light", "left", "right", "center"))
ATTRIBUTES = re.compile(
    r"\{:?\s*+("
    rf"(?:(?:[#.]{ID_CHARACTER}{{1,200}}+|[A-Za-z][\w-]{{0,40}}+="
    r"(?:\"[^\"{}\n]{0,300}+\"|'[^'{}\n]{0,300}+'|[\w.:%/-]{1,300}+))\s*+){1,20}+"
    r")\}"
)
_ATTRIBUTE = re.compile(
    rf"#({ID_CHARACTER}++)|\.([\w-]++)|(width|height)=[\"']?([1-9][0-9]{{0,3}})\b"
)


def apply_attributes(tokens: Sequence[Token], ids: dict[str, None]) -> None:
    """Set the attributes of images and links, and remove them from the text."""
    for token in tokens:
        if token.type == "inline" and "{" in token.content and token.children:
            _apply_inline(token.children, ids)


def split_heading(text: str) -> tuple[str, str]:
    """Return the text of a heading without the attributes at its end, and its id."""
    start = text.rfind("{")
    match = ATTRIBUTES.fullmatch(text, start) if start >= 0 else None
    if match is None:
        return text, ""
    ids = [id for id, *_ in _ATTRIBUTE.findall(match[1]) if ID.fullmatch(id)]
    return text[:start].rstrip(), ids[0] if ids else ""


def _apply_inline(children: list[Token], ids: dict[str, None]) -> None:
    openings: list[Token] = []
    previous: Token | None = None
    for token, following in pairwise(children):
        if token.type == "link_open":
            openings.append(token)
        target = token if token.type == "image" else None
        if token.type == "link_close" and openings:
            target = openings.pop()
        is_before_text = target is not None and following.type == "text"
        match = ATTRIBUTES.match(following.content) if is_before_text else None
        if match and target:
            following.content = following.content[match.end() :]
            _set_attributes(target, match[1], ids)
            if target is previous:
                _make_anchor(target, token)
        previous = token
    # Nothing but an image in a paragraph makes it a figure.
    children[:] = [token for token in children if token.type != "text" or token.content]


def _make_anchor(opening: Token, closing: Token) -> None:
    """Make an anchor of a link without text and address, written as `[](){#id}`."""
    if not opening.attrs["href"] and (id := opening.attrs.get("id")):
        for token in (opening, closing):
            token.type, token.tag = "html_tag", "span"
        opening.attrs = {"id": id}


def _set_attributes(token: Token, text: str, ids: dict[str, None]) -> None:
    classes = []
    for id, css_class, name, value in _ATTRIBUTE.findall(text):
        if css_class in CLASSES:
            classes.append(css_class)
        elif id and id not in ids and ID.fullmatch(id):
            ids[id] = None
            token.attrs["id"] = id
        elif name and token.type == "image":
            token.attrs[name] = value
    if classes:
        token.attrs["class"] = " ".join(classes)
