"""Report what a build did."""

from dataclasses import dataclass, field
from typing import Any


@dataclass
class BuildReport:
    """What a build did; `failed` contains (path, area, reason)."""

    written: list[str] = field(default_factory=list)
    unchanged: int = 0
    removed: list[str] = field(default_factory=list)
    failed: list[tuple[str, str, str]] = field(default_factory=list)
    # The mark of each area that was built.
    marks: dict[str, int] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    def messages(self) -> list[str]:
        """Return the warnings and failures, one line each."""
        warnings = [f"warning: {warning}" for warning in self.warnings]
        return warnings + [
            f"failed: {path}: {reason}" for path, _, reason in self.failed
        ]

    def to_json(self, seconds: float) -> dict[str, Any]:
        fields = ("path", "area", "reason")
        return {
            "written": self.written,
            "unchanged": self.unchanged,
            "removed": self.removed,
            "failed": [
                dict(zip(fields, failure, strict=True)) for failure in self.failed
            ],
            "warnings": self.warnings,
            "seconds": round(seconds, 2),
        }

    def summary(self, seconds: float) -> str:
        return (
            f"written {len(self.written)}, unchanged {self.unchanged},"
            f" removed {len(self.removed)}, seconds {seconds:.2f}"
        )
