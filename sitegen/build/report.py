"""What a build did, and how that is said."""

from dataclasses import dataclass, field
from typing import Any


@dataclass
class Report:
    """What a build did; `failed` holds (path, area, reason)."""

    written: list[str] = field(default_factory=list)
    unchanged: int = 0
    removed: list[str] = field(default_factory=list)
    failed: list[tuple[str, str, str]] = field(default_factory=list)
    # The number of each area that was built.
    numbers: dict[str, int] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    # By what the manifest that it left is told apart.
    manifest: tuple[int, ...] = ()

    def remarks(self) -> list[str]:
        """Return, line by line, what somebody should look at."""
        told = [f"warning: {warning}" for warning in self.warnings]
        return told + [f"failed: {path}: {reason}" for path, _, reason in self.failed]

    def told(self, seconds: float) -> dict[str, Any]:
        """Return all of it, for a script."""
        members = ("path", "area", "reason")
        return {
            "written": self.written,
            "unchanged": self.unchanged,
            "removed": self.removed,
            "failed": [dict(zip(members, each, strict=True)) for each in self.failed],
            "warnings": self.warnings,
            "seconds": round(seconds, 2),
        }

    def summary(self, seconds: float) -> str:
        return (
            f"written {len(self.written)}, unchanged {self.unchanged},"
            f" removed {len(self.removed)}, seconds {seconds:.2f}"
        )
