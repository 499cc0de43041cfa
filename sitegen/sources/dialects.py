"""What the generators write beyond Markdown, as the Markdown of this site."""

import re
from collections.abc import Iterator

from sitegen.sources.admonitions import Boxes

_FENCE = re.compile(r"[ \t>]*(`{3,}|~{3,})(.*)")
_IMPORT = re.compile(r"import\s.*['\"][^'\"]+['\"];?\s*")
_MODULE = re.compile(r"(?:import|export)\s")
_ATTRIBUTES = re.compile(r"\s*\{:[^{}]*\}\s*")
_OWN_ID = re.compile(r"\{:?\s*(#[A-Za-z][\w-]*)[^{}]*\}\s*")
# Each is a link in the words of a generator, and the same link as a path.
_LINKS = (
    (re.compile(r"\{\{[<%]\s*(?:rel)?ref\s+\"?([^\s\"]+)\"?\s*[%>]\}\}"), r"\1"),
    (re.compile(r"\{%-?\s*link\s+([^\s%]+)\s*-?%\}"), r"/\1"),
    (re.compile(r"\{\{\s*site\.baseurl\s*\}\}"), ""),
)


_COMMENT = re.compile(r" {0,3}(<!--|\{/\*)")
COMMENTS = {"<!--": "-->", "{/*": "*/}"}


class Fences:
    """Tells, line by line, what is fenced code."""

    def __init__(self) -> None:
        self._open = ""

    def holds(self, line: str) -> bool:
        """Tell whether the line is code, or a fence around it."""
        found = _FENCE.match(line)
        if not self._open:
            # A backtick fence has none in its words: that is a span of code.
            if found and not (found[1][0] == "`" and "`" in found[2]):
                self._open = found[1]
            return bool(self._open)
        if found and found[1].startswith(self._open) and not found[2].strip():
            self._open = ""
        return True


def plain(text: str, *, is_mdx: bool) -> str:
    """
    Return the text in Markdown that this site reads.

    Admonitions and tabs become quotes and titles, modules and comments go, links
    by shortcode become paths. Code stays as it is.
    """
    lines = text.split("\n")
    if any(start in text for start in COMMENTS):
        lines = list(_without_comments(lines))
    return Boxes(_lines(lines, is_mdx)).text()


def _without_comments(lines: list[str]) -> Iterator[str]:
    """Leave out each comment that begins a line, if it ends somewhere."""
    last = {end: _last_with(end, lines) for end in COMMENTS.values()}
    fences, end = Fences(), ""
    for number, line in enumerate(lines):
        if not end and not fences.holds(line):
            found = _COMMENT.match(line)
            end = COMMENTS[found[1]] if found else ""
            # One that never ends is text.
            end = end if end and number <= last[end] else ""
        if not end:
            yield line
        elif end in line:
            rest = line.partition(end)[2]
            end = ""
            if rest.strip():
                yield rest


def _last_with(words: str, lines: list[str]) -> int:
    return max((n for n, line in enumerate(lines) if words in line), default=-1)


def _lines(lines: list[str], is_mdx: bool) -> Iterator[tuple[str, bool]]:
    """Yield each line that stays, and whether it is code."""
    fences, is_module, before = Fences(), False, ""
    for line in lines:
        if fences.holds(line):
            yield line, True
            continue
        is_start = not before.strip() or is_module
        is_module = bool(line.strip()) and (
            (is_module and is_mdx)
            or (is_start and bool((_MODULE if is_mdx else _IMPORT).match(line)))
        )
        before = line
        if not is_module and not _ATTRIBUTES.fullmatch(line):
            yield _line(line), False


def _line(line: str) -> str:
    if "{" not in line:
        return line
    for found, path in _LINKS:
        line = found.sub(path, line)
    start = line.rfind("{")
    if line.startswith("#") and (own := _OWN_ID.fullmatch(line, start)):
        return f"{line[:start].rstrip()} {{{own[1]}}}"
    return line
