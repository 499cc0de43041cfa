"""Replace comments that mark lines of code by the numbers of these after the fence."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import count
from math import inf

from sitegen.markdown.code_blocks import parse_info
from sitegen.sources.fences import FENCE, FenceTracker

# What begins and ends a comment, in any language.
_OPENING = r"(?:\{?/\*|//|<!--|--|\(\*|%{1,2}|;{1,2}|[#'\"]|\b(?i:rem)\b)"
_CLOSING = r"(?:\*/\}?|-->|\*\))"
# Shiki, for VitePress: the option of a fence that marks the line, by its name there.
_OPTIONS = {
    **{"++": "ins=", "--": "del=", "focus": "focus=", "warning": "warning="},
    **{"error": "error=", "highlight": "", "hl": "", "info": ""},
}
_MARK_START, _ESCAPED_START = "[!code ", "[!!code "
# Only code with one of these is changed.
MARK_SIGNS = (_MARK_START, _ESCAPED_START, "highlight-")
_NAMES = "|".join(map(re.escape, _OPTIONS))
_MARK = re.compile(rf"\[!code ({_NAMES})(?::([0-9]{{1,4}}))?\]")
# The marks at the end of a line, in one comment or in several.
_MARKS = re.compile(
    rf"{_MARK.pattern}(?:[ \t]{{0,9}}{_OPENING}?[ \t]{{0,9}}{_MARK.pattern}){{0,8}}"
    rf"[ \t]{{0,9}}(?P<closing>{_CLOSING}?)[ \t]*"
)
_OPENED = re.compile(rf"{_OPENING}$")
_COMMENT = re.compile(rf"(?<!\S){_OPENING}\s")
# Docusaurus, with a comment alone in its line.
_HIGHLIGHT = re.compile(
    rf"[\s>]*({_OPENING}) ?highlight-(next-line|start|end) ?{_CLOSING}?\s*"
)
_COUNTS = {"next-line": 1, "start": inf, "end": 0}
# In Markdown, a comment of another language is in the code that the page shows.
_MARKDOWN = ("md", "mdx", "markdown")
_OF_MARKDOWN = ("<!--", "{/*", "#")


def with_marked_lines(lines: Iterable[str]) -> list[str]:
    fences, output = FenceTracker(), list[str]()
    block = _Block("")
    for line in lines:
        was_open = fences.is_open
        is_code = fences.is_code(line)
        if was_open and fences.is_open:
            output += block.read(line)
            continue
        if was_open:
            output[block.start] = block.fence()
        elif is_code:
            block = _Block(line, len(output))
        output.append(line)
    if fences.is_open:
        output[block.start] = block.fence()
    return output


class _Block:
    """A block of code, with the numbers of the lines that comments in it mark."""

    def __init__(self, fence: str, start: int = 0) -> None:
        self.start, self._fence = start, fence
        info = FENCE.match(fence)
        language = parse_info(info[2]).language if info else ""
        self._is_markdown = language.lower() in _MARKDOWN
        self._numbers = count(1)
        # By option: how many lines are still to be marked, and which ones are.
        self._remaining = defaultdict[str, float](float)
        self._marked: dict[str, list[int]] = {}

    def read(self, line: str) -> Iterator[str]:
        """Yield the line without its marks, unless it has nothing else."""
        text = line
        if _MARK_START in line:
            text = self._without_marks(line)
        elif (mark := _HIGHLIGHT.fullmatch(line)) and self._reads(mark[1]):
            self._remaining[""] = _COUNTS[mark[2]]
            return
        if text != line and not text.strip(" \t>"):
            return
        number = next(self._numbers)
        for option in [each for each, left in self._remaining.items() if left > 0]:
            self._marked.setdefault(option, []).append(number)
            self._remaining[option] -= 1
        yield text.replace(_ESCAPED_START, _MARK_START)

    def _reads(self, opening: str) -> bool:
        """Return whether this begins a comment in the language of the block."""
        return not self._is_markdown or opening in _OF_MARKDOWN

    def _without_marks(self, line: str) -> str:
        start = line.index(_MARK_START)
        before = line[:start].rstrip()
        marks = _MARKS.fullmatch(line, start)
        shown = _OPENED.sub("", before).rstrip()
        if marks is None or (shown == before and not _COMMENT.search(before)):
            return line
        for name, lines in _MARK.findall(line, start):
            option = _OPTIONS[name]
            self._remaining[option] = max(self._remaining[option], int(lines or 1))
        if shown == before and marks["closing"]:
            # Of a comment with text, only the mark goes.
            return f"{before} {marks['closing']}"
        return shown

    def fence(self) -> str:
        """Return the fence with the numbers of the marked lines."""
        if not self._marked:
            return self._fence
        fence = self._fence.rstrip()
        # Without a language, the numbers would be one.
        language = "text" if fence[-1] in "`~" else ""
        options = (
            f" {option}{{{','.join(_ranges(numbers))}}}"
            for option, numbers in sorted(self._marked.items())
        )
        return f"{fence}{language}{''.join(options)}"


def _ranges(numbers: list[int]) -> Iterator[str]:
    """Yield ascending numbers as ranges such as 3-5."""
    start = numbers[0]
    for number, following in zip(numbers, [*numbers[1:], 0], strict=True):
        if following != number + 1:
            yield f"{start}-{number}" if number > start else str(number)
            start = following
