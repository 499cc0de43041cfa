"""Show the difference of two texts line by line."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from models.projects.versioning.diff import unified_diff

Kind = Literal["added", "removed", "place", "same", "unterminated", "rest"]

# A page with more lines would take long to read, and longer to show.
MAX_LINES = 2000
# A line that begins with a backslash says that the text does not end with a break.
_KINDS: dict[str, Kind] = {
    "+": "added",
    "-": "removed",
    "@": "place",
    "\\": "unterminated",
}


@dataclass(frozen=True)
class DiffLine:
    """A line of a difference, or how many lines are not shown."""

    kind: Kind
    text: str
    count: int = 1


def diff_lines(unified: str) -> list[DiffLine]:
    """Return the lines of a unified diff, without the names of the texts."""
    lines = unified.removesuffix("\n").split("\n")[2:]
    shown = []
    for line in lines[:MAX_LINES]:
        kind = _KINDS.get(line[:1], "same")
        shown.append(DiffLine(kind, line if kind == "place" else line[1:]))
    if len(lines) > MAX_LINES:
        shown.append(DiffLine("rest", "", len(lines) - MAX_LINES))
    return shown


def text_difference(old: str, new: str) -> list[DiffLine]:
    """Return how to get from one text to the other; nothing if they are equal."""
    return diff_lines(unified_diff(old, new, "old", "new").unified)


@dataclass(frozen=True)
class Difference:
    """The lines of a diff, and fields that differ."""

    lines: list[DiffLine]
    # The names of fields, each with the old and the new value.
    fields: list[tuple[str, str, str]]
    added: int
    removed: int

    @property
    def is_empty(self) -> bool:
        return not self.lines and not self.fields


def difference_of(answer: dict[str, Any]) -> Difference:
    """Return what document-revisions/diff has answered."""
    fields = [
        (name, changed["from"] or "", changed["to"] or "")
        for name in ("title", "summary")
        if (changed := answer[name])
    ]
    stats = answer["stats"]
    return _difference(answer["unified"], fields, stats["added"], stats["removed"])


def compare_texts(
    old: dict[str, Any], new: dict[str, Any], names: Iterable[str]
) -> Difference:
    """Compare two documents; `names` are the fields to compare besides the content."""
    diff = unified_diff(old["content"], new.get("content", ""), "theirs", "yours")
    values = [(name, _shown(old.get(name)), _shown(new.get(name))) for name in names]
    fields = [each for each in values if each[1] != each[2]]
    return _difference(diff.unified, fields, diff.added, diff.removed)


def _difference(
    unified: str, fields: list[tuple[str, str, str]], added: int, removed: int
) -> Difference:
    return Difference(diff_lines(unified) if unified else [], fields, added, removed)


def _shown(value: Any) -> str:
    return "" if value is None else str(value)
