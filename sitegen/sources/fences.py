"""Tell code from text: fenced code line by line, and code spans within a line."""

import re
from collections.abc import Callable
from functools import lru_cache

from sitegen.markdown.code_blocks import CODE_SPAN

FENCE = re.compile(r"[ \t>]*(`{3,}+|~{3,}+)(.*)")
_BACKTICKS = re.compile(r"^[ \t>]*(`{3,}+)", re.M)
_SPAN = re.compile(CODE_SPAN)
# A fence that begins code, named so, or a whole code span. Flag: MULTILINE.
CODE = rf"^[ \t>]*(?P<fence>`{{3,}}(?=[^`\n]*$)|~{{3,}})|{CODE_SPAN}"


class FenceTracker:
    """Tracks, line by line, whether the text is fenced code."""

    def __init__(self) -> None:
        self._open = ""

    @property
    def is_open(self) -> bool:
        return bool(self._open)

    def is_code(self, line: str) -> bool:
        """Return whether the next line is code, or a fence around it."""
        # Most lines have none, and a search for text is faster than a match.
        has_fence = "```" in line or "~~~" in line
        fence = FENCE.match(line) if has_fence else None
        if not self._open:
            # With backticks in its info string, it is a code span and not a fence.
            if fence and not (fence[1][0] == "`" and "`" in fence[2]):
                self._open = fence[1]
            return bool(self._open)
        if fence and fence[1].startswith(self._open) and not fence[2].strip():
            self._open = ""
        return True


def end_of_fence(text: str, fence: str, start: int) -> int:
    """Return where the code ends whose fence ends at `start`."""
    closing = _closing_fence(fence).search(text, start)
    return closing.end() if closing else len(text)


@lru_cache(maxsize=64)
def _closing_fence(fence: str) -> re.Pattern[str]:
    return re.compile(rf"^[ \t>]*{fence}{fence[0]}*[ \t]*$", re.M)


def outside_spans(line: str, convert: Callable[[str], str]) -> str:
    """Convert the text of a line that is not in code spans."""
    if "`" not in line:
        return convert(line)
    parts, end = [], 0
    for span in _SPAN.finditer(line):
        parts += [convert(line[end : span.start()]), span[0]]
        end = span.end()
    return "".join([*parts, convert(line[end:])])


def fence_around(code: str) -> str:
    """Return a fence that is longer than those in the code."""
    longest = max((len(run) for run in _BACKTICKS.findall(code)), default=2)
    return "`" * max(3, longest + 1)
