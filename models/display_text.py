"""
Make text from users safe to show beside our own words.

Titles and names may contain characters that change the direction of what follows, and
file names and imported texts may contain control characters.
"""

import re
from unicodedata import bidirectional, category

EMBEDDINGS = "\u202a\u202b\u202d\u202e"
ISOLATES = "\u2066\u2067\u2068"
END_OF_EMBEDDING, END_OF_ISOLATE, FIRST_STRONG_ISOLATE = "\u202c", "\u2069", "\u2068"
_DIRECTIONS = re.compile("[\u202a-\u202e\u2066-\u2069]")
_RIGHT_TO_LEFT = {"R", "AL"}
_LINE_BREAK = re.compile("\r\n|[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]")
# Also lone surrogates, which stand for the bytes of file names that are not UTF-8.
_UNSAFE = re.compile("[\0-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_UNSAFE_IN_LINES = re.compile(_UNSAFE.pattern.replace("\0-\x1f", "\0-\x08\v-\x1f"))


def balance_directions(text: str) -> str:
    """
    Return the text with every change of direction ended within it.

    An element that isolates its text is not enough: browsers let an end of isolate
    in the text end the element's own.
    """
    if text.isascii() or not _DIRECTIONS.search(text):
        return text
    balanced, open_ends = [], []
    for char in text:
        if char in EMBEDDINGS:
            open_ends.append(END_OF_EMBEDDING)
        elif char in ISOLATES:
            open_ends.append(END_OF_ISOLATE)
        elif char == END_OF_EMBEDDING:
            if open_ends[-1:] != [END_OF_EMBEDDING]:
                continue
            open_ends.pop()
        elif char == END_OF_ISOLATE:
            if END_OF_ISOLATE not in open_ends:
                continue
            # It also ends the embeddings within the isolate.
            while open_ends.pop() != END_OF_ISOLATE:
                pass
        balanced.append(char)
    return "".join([*balanced, *reversed(open_ends)])


def isolate(text: str) -> str:
    """
    Return the text so that it cannot reorder words beside it in a plain-text field.

    A text without any character that is written from right to left stays as it is.
    """
    if text.isascii():
        return text
    balanced = balance_directions(text)
    is_right_to_left = any(bidirectional(char) in _RIGHT_TO_LEFT for char in text)
    if not is_right_to_left and not _DIRECTIONS.search(text):
        return text
    return f"{FIRST_STRONG_ISOLATE}{balanced}{END_OF_ISOLATE}"


def direction_of(text: str) -> str | None:
    """Return "ltr" or "rtl" by the first letter of the text, None if it has none."""
    for char in text:
        kind = bidirectional(char)
        if kind == "L":
            return "ltr"
        if kind in _RIGHT_TO_LEFT:
            return "rtl"
    return None


def escape_unsafe(text: str) -> str:
    r"""
    Return the text for a terminal: control characters are shown as \u001b.

    Changes of direction are shown, too; tabs and line feeds stay. JSON stays the same
    JSON.
    """
    return _UNSAFE_IN_LINES.sub(_escape, text)


def escape_line(line: str) -> str:
    """Return a line of a report for a terminal, of which no name can make two."""
    return _UNSAFE.sub(_escape, line)


def _escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


def plain_line(text: str) -> str:
    """Return a user's text as part of a line in a file of plain text."""
    return isolate(" ".join(without_controls(text).split()))


def printable(text: str) -> str:
    """Return the text without characters that a mail or a page cannot show."""
    return balance_directions(without_controls(_SURROGATE.sub("\ufffd", text)))


def without_controls(text: str) -> str:
    """Return the text with line feeds and tabs as its only control characters."""
    text = _LINE_BREAK.sub("\n", text)
    return "".join(char for char in text if char in "\n\t" or category(char) != "Cc")
