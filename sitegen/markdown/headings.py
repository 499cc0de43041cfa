"""The headings of a document, and the anchors by which they are found."""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from markdown_it.token import Token

OWN_ID = re.compile(r"\{#([A-Za-z][A-Za-z0-9_-]*)\}\Z")
# Text is escaped, so in a rendered body this is a heading's tag.
OPENING = re.compile(r'<h[1-6] id="([^"]*)">')
# Composing is quadratic in the length of a run of combining marks.
LONGEST_SLUG = 200
APOSTROPHES = "'\N{RIGHT SINGLE QUOTATION MARK}"


@dataclass(frozen=True)
class Heading:
    level: int
    id: str
    text: str


def slug(text: str) -> str:
    """
    Letters, digits and what combines with them, in lower case, words joined by '-'.

    The underscore stays, since `scrape_interval` is one word to those who link to it.
    """
    composed = unicodedata.normalize("NFC", text[:LONGEST_SLUG].lower())
    kept = (_slug_character(character) for character in composed)
    return "-".join("".join(kept).split()) or "section"


def _slug_character(character: str) -> str:
    if character in APOSTROPHES:
        return ""
    if character == "_" or unicodedata.category(character)[0] in "LMN":
        return character
    return " "


def with_former_ids(html: str, former: Mapping[str, str]) -> str:
    """Let headings be found by what they were called as well."""
    names: dict[str, str] = {}
    for old, id in former.items():
        names[id] = names.get(id, "") + f'<span id="{old}"></span>'
    if not names:
        return html
    return OPENING.sub(lambda match: match[0] + names.get(match[1], ""), html)


def words_of(tokens: Sequence[Token] | None) -> str:
    """What the inline tokens say, without their markup."""
    return "".join(_words(token) for token in tokens or ())


def _words(token: Token) -> str:
    if token.type == "image":
        return words_of(token.children)
    return " " if token.type in ("softbreak", "hardbreak") else token.content


def name_headings(tokens: Sequence[Token]) -> tuple[Heading, ...]:
    """Give every heading among the tokens its id, and list them."""
    wanted: list[tuple[str, bool]] = []
    found: list[tuple[Token, Token, str]] = []
    above: list[int] = []
    for opening, inline, closing in _headings(tokens):
        own_id = _take_own_id(inline)
        text = " ".join(words_of(inline.children).split())
        if text:
            opening.tag = closing.tag = _level(opening.tag, above)
            found.append((opening, closing, text))
            wanted.append((own_id or slug(text), bool(own_id)))
        else:
            # Nothing to announce and nothing for an outline.
            opening.tag = closing.tag = "p"
    headings = []
    for (opening, closing, text), id in zip(found, _distinct(wanted), strict=True):
        heading = Heading(int(opening.tag[1]), id, text)
        opening.attrSet("id", id)
        closing.meta["heading"] = heading
        headings.append(heading)
    return tuple(headings)


def _level(tag: str, above: list[int]) -> str:
    """
    The tag below those that are open above it, so that no level is left out.

    Readers who go from heading to heading take a gap for something they missed.
    The page's title is the first level, and stands above all others.
    """
    level = int(tag[1])
    depth = max(2, level)
    while above and above[-1] >= depth:
        above.pop()
    above.append(depth)
    return tag if level == 1 else f"h{len(above) + 1}"


def _headings(tokens: Sequence[Token]) -> Iterator[tuple[Token, Token, Token]]:
    for index, token in enumerate(tokens):
        if token.type == "heading_open":
            yield token, tokens[index + 1], tokens[index + 2]


def _take_own_id(inline: Token) -> str | None:
    """The id that the author wrote as {#id} at the end, taken out of the text."""
    last = inline.children[-1] if inline.children else None
    if last is None or last.type != "text":
        return None
    start = last.content.rfind("{#")
    match = OWN_ID.match(last.content, start) if start >= 0 else None
    if match is None:
        return None
    last.content = last.content[:start].rstrip()
    return match[1]


def _distinct(wanted: Sequence[tuple[str, bool]]) -> list[str]:
    """
    The ids for what the headings ask for: a fixed id first, then in order.

    A suffix never makes what another heading asks for by itself. The count of each
    name goes on where it stopped, so that equal headings cost no more than others.
    """
    reserved = {name for name, _ in wanted}
    fixed = {name for name, is_fixed in wanted if is_fixed}
    given: set[str] = set()
    counts: dict[str, int] = {}
    ids = []
    for name, is_fixed in wanted:
        free = name not in given and (is_fixed or name not in fixed)
        id = name if free else _suffixed(name, counts, reserved)
        given.add(id)
        ids.append(id)
    return ids


def _suffixed(name: str, counts: dict[str, int], reserved: set[str]) -> str:
    # No second name can make the same result: a number has one way to be cut off.
    while True:
        counts[name] = counts.get(name, 0) + 1
        candidate = f"{name}-{counts[name]}"
        if candidate not in reserved:
            return candidate
