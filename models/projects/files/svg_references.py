"""
Limit how many elements an SVG file shows through references.

Ten groups that each use the one before ten times are shown as billions of elements, in
a file of a few lines, which no browser survives. Patterns, masks and markers can do so
as well.
"""

import re
from collections import defaultdict
from collections.abc import Mapping

from models.errors import LimitExceeded

# Large diagrams and plots show tens of thousands of elements.
MAX_SHOWN_ELEMENTS = 500_000
# How many references and nested ids lead from one to the next.
MAX_LEVELS = 100

_TARGET = re.compile(r"url\(\s*+(?:['\"]\s*+)?#([^()'\"\s]+)", re.I)


class ShownElements:
    """Counts the elements that a parser reports, by the ids around them."""

    def __init__(self) -> None:
        # The innermost id around each open element, beginning with the whole picture.
        self._open = [""]
        self._sizes: dict[str, int] = defaultdict(int)
        # What is shown as a part of each id: the ids in it, and those it refers to.
        self._parts: dict[str, list[str]] = defaultdict(list)
        self._totals: dict[str, int] = {}

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        outer, id = self._open[-1], attributes.get("id", "")
        if id in self._sizes:
            # Of several elements with an id, the first is meant by it.
            id = ""
        elif id:
            self._parts[outer].append(id)
        self._open.append(id or outer)
        self._sizes[id or outer] += 1
        for name, value in attributes.items():
            if name.endswith("href") and value.startswith("#") and tag != "a":
                self._parts[id or outer].append(value[1:])
            elif "(" in value:
                self._parts[id or outer] += _TARGET.findall(value)

    def end(self) -> None:
        self._open.pop()

    def require_few(self) -> None:
        """Raise LimitExceeded if a browser would show too many elements."""
        if self._total("", 0) > MAX_SHOWN_ELEMENTS:
            raise LimitExceeded(
                f"The SVG file would show more than {MAX_SHOWN_ELEMENTS} elements by"
                " its references, or they form a circle."
            )

    def _total(self, id: str, level: int) -> int:
        """Return how many elements an id is shown as, up to one more than allowed."""
        too_many = MAX_SHOWN_ELEMENTS + 1
        if level > MAX_LEVELS:
            return too_many
        if id not in self._totals:
            # What refers to itself finds this.
            self._totals[id] = too_many
            parts = self._parts.get(id, ())
            total = sum(self._total(part, level + 1) for part in parts)
            self._totals[id] = min(self._sizes.get(id, 0) + total, too_many)
        return self._totals[id]
