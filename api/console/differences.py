"""Show the difference of two texts line by line."""

from dataclasses import dataclass
from typing import Literal

from models.projects.versioning.diff import unified_diff

# A page with more lines would take long to read, and longer to show.
MAX_LINES = 2000
_KINDS = {"+": "added", "-": "removed", "@": "place"}


@dataclass(frozen=True)
class DiffLine:
    kind: Literal["added", "removed", "place", "same", "rest"]
    text: str


def diff_lines(unified: str) -> list[DiffLine]:
    """Return the lines of a unified diff, without the names of the texts."""
    lines = unified.removesuffix("\n").split("\n")[2:]
    shown = [_line(line) for line in lines[:MAX_LINES]]
    if len(lines) > MAX_LINES:
        shown.append(DiffLine("rest", f"And {len(lines) - MAX_LINES:,} more lines."))
    return shown


def text_difference(old: str, new: str) -> list[DiffLine]:
    """Return how to get from one text to the other; nothing if they are equal."""
    return diff_lines(unified_diff(old, new, "old", "new").unified)


def _line(line: str) -> DiffLine:
    kind = _KINDS.get(line[:1], "same")
    return DiffLine(kind, line if kind == "place" else line[1:])  # type: ignore[arg-type]
