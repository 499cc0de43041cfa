"""The HTML tags that authors may write, and the attributes that these keep."""

import re
from collections.abc import Mapping
from functools import lru_cache
from html.parser import HTMLParser
from typing import NamedTuple

INLINE_NAMES = """
    a abbr b br cite code del dfn em i img ins kbd mark q s samp small strong sub sup u
    var video wbr
"""
BLOCK_NAMES = """
    blockquote caption col colgroup dd details dl dt figcaption figure h1 h2 h3 h4 h5 h6
    hr li ol p pre summary table tbody td tfoot th thead tr ul
"""
# These tags are removed, and what is between them stays.
TRANSPARENT_BLOCK_NAMES = """
    address article aside center div footer header main nav section
"""
TRANSPARENT_INLINE_NAMES = "big font nobr picture span tt"
# Blocks that only a closing tag ends, so that they nest.
CONTAINER_NAMES = "blockquote details dl figcaption figure ol pre summary table ul"

INLINE, BLOCKS = frozenset(INLINE_NAMES.split()), frozenset(BLOCK_NAMES.split())
HEADINGS = frozenset(f"h{level}" for level in range(1, 7))
TRANSPARENT_BLOCKS = frozenset(TRANSPARENT_BLOCK_NAMES.split())
TRANSPARENT = TRANSPARENT_BLOCKS | frozenset(TRANSPARENT_INLINE_NAMES.split())
VOID = frozenset(("br", "col", "hr", "img", "source", "wbr"))
CONTAINERS = frozenset(CONTAINER_NAMES.split())
# The blocks that belong into others. Browsers drop parts of a table elsewhere, and
# screen readers cannot announce those of a list.
PARENTS: Mapping[str, tuple[str, ...]] = {
    "dd": ("dl",),
    "dt": ("dl",),
    "li": ("ol", "ul"),
    **dict.fromkeys(("caption", "col", "colgroup", "td", "th", "tr"), ("table",)),
    **dict.fromkeys(("tbody", "tfoot", "thead"), ("table",)),
}
# A source belongs to the video or picture around it.
ALLOWED = INLINE | BLOCKS | TRANSPARENT | {"source"}
BLOCK_LEVEL = BLOCKS | TRANSPARENT_BLOCKS

NAME = re.compile(r"</?([A-Za-z][A-Za-z0-9]*)(?=[\s/>])")
_NUMBER = re.compile(r"[1-9][0-9]{0,3}")
_ALIGN = re.compile(r"left|center|right", re.IGNORECASE)
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9-]{0,40}")
_ANY = re.compile(r".*", re.DOTALL)
# Letters, marks and digits of any script, and of ASCII also these.
ID_CHARACTER = r"[\w.:\u00c0-\u1fff\u2c00-\ud7ff\uf900-\ufdff\U00010000-\U0010ffff-]"
# The page's own ids contain a dot after one of these words.
ID = re.compile(
    rf"(?!(?:page|day|note|noteref|tab)\.)(?=[^\W_]){ID_CHARACTER}{{1,200}}"
)

_EVERYWHERE: Mapping[str, re.Pattern[str]] = {
    "title": _ANY,
    "lang": _WORD,
    "dir": re.compile(r"ltr|rtl|auto"),
    "id": ID,
}
_CELL = {"align": _ALIGN, "colspan": _NUMBER, "rowspan": _NUMBER}
_ATTRIBUTES: Mapping[str, Mapping[str, re.Pattern[str]]] = {
    "a": {"href": _ANY, "name": ID},
    "col": {"span": _NUMBER},
    "colgroup": {"span": _NUMBER},
    "details": {"open": _ANY},
    "img": {"src": _ANY, "alt": _ANY, "width": _NUMBER, "height": _NUMBER},
    "li": {"value": _NUMBER},
    "ol": {"start": _NUMBER, "reversed": _ANY, "type": re.compile(r"[1aAiI]")},
    "p": {"align": _ALIGN},
    "source": {"src": _ANY},
    "td": _CELL,
    "th": _CELL | {"scope": re.compile(r"(?:col|row)(?:group)?")},
    "video": {"src": _ANY, "width": _NUMBER, "height": _NUMBER},
}
_BOOLEAN = ("open", "reversed")
# `render` removes these from the text, but a character reference can write them.
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


class Tag(NamedTuple):
    """An allowed tag, with the attributes that it keeps."""

    name: str
    is_closing: bool
    # It has no closing tag.
    is_empty: bool
    attributes: Mapping[str, str]


@lru_cache(maxsize=4096)
def read_tag(source: str) -> Tag:
    """Return the tag that the source is; its name must be allowed."""
    reader = _TagReader()
    reader.feed(source)
    return reader.tag


class _TagReader(HTMLParser):
    tag: Tag

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tag = Tag(tag, False, tag in VOID, _kept_attributes(tag, attrs))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tag = Tag(tag, False, True, _kept_attributes(tag, attrs))

    def handle_endtag(self, tag: str) -> None:
        self.tag = Tag(tag, True, False, {})


def _kept_attributes(
    tag: str, attributes: list[tuple[str, str | None]]
) -> dict[str, str]:
    patterns = {**_EVERYWHERE, **_ATTRIBUTES.get(tag, {})}
    kept: dict[str, str] = {}
    for name, value in attributes:
        value = "" if name in _BOOLEAN else without_controls(value or "").strip()
        # Of attributes with the same name, browsers take the first.
        if name in patterns and name not in kept and patterns[name].fullmatch(value):
            kept[name] = value
    align = kept.pop("align", "")
    return kept | {"class": f"align-{align.lower()}"} if align else kept


def without_controls(text: str) -> str:
    return _CONTROLS.sub("\ufffd", text)
