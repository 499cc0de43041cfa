"""Show the difference of two texts, line by line."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from api.console.differences import DiffLine, diff_lines
from models.projects.versioning.diff import unified_diff


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
    fields = [
        (name, _shown(old.get(name)), _shown(new.get(name)))
        for name in names
        if _shown(old.get(name)) != _shown(new.get(name))
    ]
    return _difference(diff.unified, fields, diff.added, diff.removed)


def _difference(
    unified: str, fields: list[tuple[str, str, str]], added: int, removed: int
) -> Difference:
    return Difference(diff_lines(unified) if unified else [], fields, added, removed)


def _shown(value: Any) -> str:
    return "" if value is None else str(value)
