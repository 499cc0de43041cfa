"""Find the headings of a document, and give each a unique id."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from markdown_it.token import Token

from models.normalization import normalize
from sitegen.markdown.attributes import split_heading

# In rendered HTML, where text is escaped, only tags of headings match.
HEADING_TAG = re.compile(r'<h[1-6] id="([^"]*)">')
MAX_SLUG_LENGTH = 200
APOSTROPHES = "'\N{RIGHT SINGLE QUOTATION MARK}"
# They only say how the character before them looks, as in many emoji.
NOT_IN_WORDS = "\N{VARIATION SELECTOR-15}\N{VARIATION SELECTOR-16}"
NOT_IN_WORDS += "\N{COMBINING ENCLOSING KEYCAP}"


@dataclass(frozen=True)
class Heading:
    level: int
    id: str
    text: str


def slug(text: str) -> str:
    """
    Return the letters, marks and digits in lower case, with words joined by '-'.

    Underscores stay, because identifiers such as `scrape_interval` are linked to.
    """
    composed = normalize("NFC", text[:MAX_SLUG_LENGTH].lower())
    return "-".join("".join(map(_slug_character, composed)).split()) or "section"


@lru_cache(maxsize=4096)
def _slug_character(character: str) -> str:
    if character in APOSTROPHES or character in NOT_IN_WORDS:
        return ""
    if character == "_" or unicodedata.category(character)[0] in "LMN":
        return character
    return " "


def add_alternative_ids(html: str, alternative_ids: Mapping[str, str]) -> str:
    """Add further ids of headings, given with their own ids, as link targets."""
    spans: dict[str, str] = {}
    for alternative, id in alternative_ids.items():
        spans[id] = spans.get(id, "") + f'<span id="{alternative}"></span>'
    if not spans:
        return html
    return HEADING_TAG.sub(lambda match: match[0] + spans.get(match[1], ""), html)


def inline_text(tokens: Sequence[Token] | None) -> str:
    """Return the text of inline tokens, without markup."""
    return "".join(_token_text(token) for token in tokens or ())


def _token_text(token: Token) -> str:
    if token.type == "image":
        return inline_text(token.children)
    if token.type == "html_inline":
        return ""
    return " " if token.type in ("softbreak", "hardbreak") else token.content


def assign_heading_ids(
    tokens: Sequence[Token], taken_ids: Iterable[str] = ()
) -> tuple[Heading, ...]:
    """
    Set the id and level of every heading among the tokens, and list them.

    `taken_ids` are those of other elements.
    """
    requested_ids: list[tuple[str, bool]] = []
    headings_found: list[tuple[Token, Token, str]] = []
    open_levels: list[int] = []
    for opening, inline, closing in _headings(tokens):
        explicit_id = closing.meta.get("explicit_id") or take_explicit_id(inline)
        text = heading_text(inline)
        if text:
            opening.tag = closing.tag = _tag_without_gap(opening.tag, open_levels)
            headings_found.append((opening, closing, text))
            requested_ids.append((explicit_id or slug(text), bool(explicit_id)))
        else:
            # An empty heading would be announced, and be in the outline.
            opening.tag = closing.tag = "p"
    headings = []
    ids = _unique_ids(requested_ids, taken_ids)
    for (opening, closing, text), id in zip(headings_found, ids, strict=True):
        heading = Heading(int(opening.tag[1]), id, text)
        opening.attrSet("id", id)
        closing.meta["heading"] = heading
        headings.append(heading)
    return tuple(headings)


def _tag_without_gap(tag: str, open_levels: list[int]) -> str:
    """
    Return the tag one level below the heading above, so that no level is skipped.

    To users of screen readers, a skipped level looks like a heading they missed. The
    page's title is the only first level.
    """
    level = int(tag[1])
    depth = max(2, level)
    while open_levels and open_levels[-1] >= depth:
        open_levels.pop()
    open_levels.append(depth)
    return tag if level == 1 else f"h{len(open_levels) + 1}"


def _headings(tokens: Sequence[Token]) -> Iterator[tuple[Token, Token, Token]]:
    for index, token in enumerate(tokens):
        if token.type == "heading_open":
            yield token, tokens[index + 1], tokens[index + 2]


def heading_text(inline: Token) -> str:
    """
    Return the text of a heading, without the badges in it.

    They are pictures and small print, unless the heading has nothing else.
    """
    parts, depth = [], 0
    for token in inline.children or ():
        tag = token.meta.get("tag")
        if tag and tag.name == "small":
            depth += -1 if tag.is_closing else 1
        elif depth <= 0 and token.type != "image":
            parts.append(_token_text(token))
    own_text = " ".join("".join(parts).split())
    return own_text or " ".join(inline_text(inline.children).split())


def take_explicit_id(inline: Token) -> str:
    """Remove attributes such as {#id .class} from the end, and return the id."""
    last = inline.children[-1] if inline.children else None
    if last is None or last.type != "text":
        return ""
    last.content, id = split_heading(last.content)
    return id


def _unique_ids(
    requested: Sequence[tuple[str, bool]], taken_ids: Iterable[str] = ()
) -> list[str]:
    """
    Return unique ids for the requested ids, each with whether it is explicit.

    Explicit ids take precedence, then the order counts. A suffix never makes an id
    that another heading requests. Each id continues its own count, so that many equal
    headings take linear time.
    """
    taken = set(taken_ids)
    reserved = taken | {id for id, _ in requested}
    explicit = {id for id, is_explicit in requested if is_explicit}
    counts: dict[str, int] = {}
    ids = []
    for requested_id, is_explicit in requested:
        is_free = requested_id not in taken and (
            is_explicit or requested_id not in explicit
        )
        id = requested_id if is_free else _with_suffix(requested_id, counts, reserved)
        taken.add(id)
        ids.append(id)
    return ids


def _with_suffix(id: str, counts: dict[str, int], reserved: set[str]) -> str:
    # Two ids cannot give the same candidate: the number can be cut off in one way only.
    while True:
        counts[id] = counts.get(id, 0) + 1
        candidate = f"{id}-{counts[id]}"
        if candidate not in reserved:
            return candidate
