"""Show the difference of two texts line by line."""

from dataclasses import dataclass
from typing import Literal

from models.projects.versioning.diff import unified_diff

# A page with more lines would take long to read, and longer to show.
MAX_LINES = 2000
# A line that begins with a backslash says that the text does not end with a break.
_KINDS = {"+": "added", "-": "removed", "@": "place", "\\": "unterminated"}


@dataclass(frozen=True)
class DiffLine:
    """A line of a difference, or how many lines are not shown."""

    kind: Literal["added", "removed", "place", "same", "unterminated", "rest"]
    text: str
    count: int = 1


def diff_lines(unified: str) -> list[DiffLine]:
    """Return the lines of a unified diff, without the names of the texts."""
    lines = unified.removesuffix("\n").split("\n")[2:]
    shown = [_line(line) for line in lines[:MAX_LINES]]
    if len(lines) > MAX_LINES:
        shown.append(DiffLine("rest", "", len(lines) - MAX_LINES))
    return shown


def text_difference(old: str, new: str) -> list[DiffLine]:
    """Return how to get from one text to the other; nothing if they are equal."""
    return diff_lines(unified_diff(old, new, "old", "new").unified)


def _line(line: str) -> DiffLine:
    kind = _KINDS.get(line[:1], "same")
    return DiffLine(kind, line if kind == "place" else line[1:])  # type: ignore[arg-type]
