"""
Convert the Markdown of messages into what Slack, Discord and Teams display.

The module is pure: it reads no rows, no clock and no settings.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import takewhile

ELLIPSIS = "…"

_FENCE = re.compile(r" {0,3}(```+|~~~+)([^`]*)")
_HEADING = re.compile(r" {0,3}#{1,6}[ \t](.*)")
_QUOTE = re.compile(r" {0,3}> ?(.*)")
_BULLET = re.compile(r"( *)[-*+][ \t](.*)")
# The bounds of repetitions keep the time linear.
_INLINE = re.compile(
    r"\\(?P<escaped>[!-/:-@\[-`{-~])"
    r"|(?P<ticks>`{1,3})(?!`)(?P<code>.{1,500}?)(?<!`)(?P=ticks)(?!`)"
    r"|!?\[(?P<label>[^\[\]]{0,300})\]"
    r"\(<?(?P<target>(?:[^()<>\s]|\([^()<>\s]{0,200}\)){1,500})>?"
    r"(?: (?:\"[^\"]{0,200}\"|'[^']{0,200}'))?\)"
    r"|<(?P<autolink>(?:https?://|mailto:)[^\s<>]{1,2000})>"
    r"|(?P<url>https?://[^\s<>()\[\]]{1,2000}[^\s<>()\[\].,;:!?'\"*_~`])"
    r"|(?P<strong>\*\*|__)(?=\S)(?P<strong_text>[^\n]{1,500}?)(?<=\S)(?P=strong)"
    r"|\*(?=[^\s*])(?P<star_text>[^*\n]{1,500})(?<=\S)\*"
    r"|(?<!\w)_(?=[^\s_])(?P<line_text>[^_\n]{1,500})(?<=\S)_(?!\w)"
    r"|~~(?=\S)(?P<strike_text>[^~\n]{1,500})(?<=\S)~~"
)
_EXTERNAL = ("https://", "http://", "mailto:")
_MAX_DEPTH = 4


@dataclass(frozen=True)
class Dialect:
    """
    How a channel writes what Markdown expresses.

    `text` is for text outside of marks, and `literal` for text in which nothing is a
    mark, such as a name; `escaped` is for a character behind a backslash. A mark is
    written on both sides; "" means that the channel does not have it. `link` takes a
    label and a URL, which may be the same.
    """

    text: Callable[[str], str]
    literal: Callable[[str], str]
    escaped: Callable[[str], str]
    strong: str
    emphasis: str
    strike: str
    code: Callable[[str], str]
    code_block: Callable[[str], str]
    link: Callable[[str, str], str]
    bullet: str
    quote: str


def convert(markdown: str, dialect: Dialect) -> str:
    """Return a text in Markdown as the channel writes it."""
    converted: list[str] = []
    lines = iter(markdown.splitlines())
    for line in lines:
        if fence := _FENCE.fullmatch(line):
            code = [*takewhile(lambda line: not _closes(line, fence[1]), lines)]
            converted.append(dialect.code_block("\n".join(code)))
        else:
            converted.append(_line(line, dialect))
    return "\n".join(converted).strip("\n")


def _closes(line: str, fence: str) -> bool:
    end = _FENCE.fullmatch(line)
    return bool(end and end[1].startswith(fence) and not end[2].strip())


def _without_closing_marks(title: str) -> str:
    """Return the title of a heading without the marks that close it: `# Title #`."""
    rest = title.rstrip("#")
    return rest.rstrip() if not rest or rest[-1] in " \t" else title


def _line(line: str, dialect: Dialect) -> str:
    if heading := _HEADING.fullmatch(line):
        title = _without_closing_marks(heading[1].strip())
        text = _inline(title, dialect)
        return _marked(text, dialect.strong) if "**" not in title else text
    if quote := _QUOTE.fullmatch(line):
        return dialect.quote + _inline(quote[1], dialect)
    if bullet := _BULLET.fullmatch(line):
        return bullet[1] + dialect.bullet + _inline(bullet[2].lstrip(), dialect)
    return _inline(line, dialect)


def _inline(text: str, dialect: Dialect, depth: int = 0) -> str:
    parts, end = [], 0
    for match in _INLINE.finditer(text):
        parts += [dialect.text(text[end : match.start()]), _mark(match, dialect, depth)]
        end = match.end()
    return "".join([*parts, dialect.text(text[end:])])


def _mark(match: re.Match[str], dialect: Dialect, depth: int) -> str:
    if char := match["escaped"]:
        return dialect.escaped(char)
    if match["code"] is not None:
        return dialect.code(match["code"])
    if target := match["target"]:
        return _link(match["label"], target, dialect)
    if url := match["autolink"] or match["url"]:
        return dialect.link(url, url)
    for group, mark in (
        ("strong_text", dialect.strong),
        ("star_text", dialect.emphasis),
        ("line_text", dialect.emphasis),
        ("strike_text", dialect.strike),
    ):
        if inner := match[group]:
            if depth < _MAX_DEPTH:
                return _marked(_inline(inner, dialect, depth + 1), mark)
            return dialect.literal(inner)
    raise AssertionError("Each alternative of the pattern has a group.")


def _link(label: str, target: str, dialect: Dialect) -> str:
    # Links within the site are text on its pages, too.
    if not target.startswith(_EXTERNAL):
        return dialect.literal(label)
    return dialect.link(label or target, target)


def _marked(text: str, mark: str) -> str:
    return f"{mark}{text}{mark}" if text.strip() else text


def utf16_length(text: str) -> int:
    """Return the length as programs in JavaScript count it, which is never less."""
    return len(text) + sum(char > "\uffff" for char in text)


def fitted(
    text: str,
    limit: int,
    convert: Callable[[str], str] = str,
    length: Callable[[str], int] = utf16_length,
) -> str:
    """
    Return the converted text, cut so that its length is at most the limit.

    The text is cut before it is converted, so that no mark, entity or link is torn.
    """
    whole = convert(text)
    if length(whole) <= limit:
        return whole
    low, high, best = 0, len(text), ELLIPSIS
    while low < high:
        middle = (low + high + 1) // 2
        shorter = convert(text[:middle].rstrip()) + ELLIPSIS
        if length(shorter) <= limit:
            low, best = middle, shorter
        else:
            high = middle - 1
    return best
