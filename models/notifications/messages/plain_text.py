"""
Turn Markdown into text that reads well where nothing renders it.

The module is pure: it reads no rows, no clock and no settings.
"""

import re

from models.display_text import balance_directions, without_controls

_FENCE = re.compile(r" {0,3}(```|~~~)")
_HEADING = re.compile(r" {0,3}#{1,6} ")
_CODE = re.compile(r"(`[^`]*`)")
# The bounds keep the time linear: a text has at most 4,000 characters.
_IMAGE = re.compile(r"!\[([^\[\]]{0,200})\]\([^()\s]{0,2000}(?: \"[^\"]{0,200}\")?\)")
_LINK = re.compile(
    r"\[([^\[\]]{1,500})\]\(<?([^()<>\s]{1,2000})>?(?: \"[^\"]{0,200}\")?\)"
)
_STRONG = re.compile(r"(\*\*|__)(?=\S)([^*_]{1,1000})\1")
_AUTOLINK = re.compile(r"<((?:https?://|mailto:)[^\s<>]{1,2000})>")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_SURROGATE = re.compile("[\ud800-\udfff]")


def plain_text(markdown: str) -> str:
    """
    Return the text without the marks that a reader would stumble over.

    Lists, quotations and code stay as they are: people write them like this in mails.
    """
    lines, in_code = [], False
    for line in printable(markdown).split("\n"):
        if _FENCE.match(line):
            in_code = not in_code
        else:
            lines.append(line if in_code else _plain_line(line))
    return "\n".join(lines).strip("\n")


def printable(text: str) -> str:
    """Return the text without characters that a mail or a page cannot show."""
    return balance_directions(without_controls(_SURROGATE.sub("\ufffd", text)))


def _plain_line(line: str) -> str:
    line = _HEADING.sub("", line, count=1) if _HEADING.match(line) else line
    parts = _CODE.split(line)
    parts[::2] = map(_without_marks, parts[::2])
    parts[1::2] = (code[1:-1] for code in parts[1::2])
    return "".join(parts)


def _without_marks(text: str) -> str:
    text = _IMAGE.sub(r"\1", text)
    text = _LINK.sub(_link, text)
    text = _AUTOLINK.sub(r"\1", text)
    return _ESCAPE.sub(r"\1", _STRONG.sub(r"\2", text))


def _link(match: re.Match[str]) -> str:
    """Return the text and the URL; links within the site are text on its pages, too."""
    text, url = match.groups()
    is_external = url.startswith(("https://", "http://", "mailto:"))
    return f"{text} ({url})" if is_external and text != url else text
