"""Show the difference of two texts, line by line."""

from dataclasses import dataclass
from typing import Any

from api.console.differences import DiffLine, diff_lines
from models.projects.versioning.diff import unified_diff


@dataclass(frozen=True)
class Difference:
    """The lines of a diff, and fields that differ."""

    lines: list[DiffLine]
    # The names of fields, with the old and the new value.
    fields: list[tuple[str, str, str]]
    added: int
    removed: int

    @property
    def is_empty(self) -> bool:
        return not self.lines and not self.fields


def difference_of(answer: dict[str, Any]) -> Difference:
    """Return what document-revisions/diff has answered."""
    fields = [
        (label, changed["from"] or "", changed["to"] or "")
        for name, label in (("title", "Title"), ("summary", "Summary"))
        if (changed := answer[name])
    ]
    stats = answer["stats"]
    return _difference(answer["unified"], fields, stats["added"], stats["removed"])


def compare_texts(
    old: dict[str, Any], new: dict[str, Any], labels: dict[str, str]
) -> Difference:
    """Compare two documents; `labels` are the fields to compare besides the content."""
    diff = unified_diff(old["content"], new.get("content", ""), "theirs", "yours")
    fields = [
        (label, _shown(old.get(name)), _shown(new.get(name)))
        for name, label in labels.items()
        if _shown(old.get(name)) != _shown(new.get(name))
    ]
    return _difference(diff.unified, fields, diff.added, diff.removed)


def _difference(
    unified: str, fields: list[tuple[str, str, str]], added: int, removed: int
) -> Difference:
    return Difference(diff_lines(unified) if unified else [], fields, added, removed)


def _shown(value: Any) -> str:
    return "" if value is None else str(value)
