"""
Compute unified diffs of two texts in bounded time.

Pure functions: no row, no clock, no setting is read here.
"""

import re
from dataclasses import dataclass
from difflib import Match, SequenceMatcher
from itertools import accumulate

# Steps of the search, which take about a second.
MAX_STEPS = 4_000_000

# Only \n ends a line; form feeds and the like are part of it.
_LINES = re.compile(r"[^\n]*\n|[^\n]+")

# As SequenceMatcher returns it: what to do with which old and which new lines.
Opcode = tuple[str, int, int, int, int]


@dataclass(frozen=True)
class UnifiedDiff:
    """`truncated`: the search reached its limit, so there may be a shorter diff."""

    unified: str
    added: int
    removed: int
    truncated: bool


def unified_diff(old: str, new: str, old_name: str, new_name: str) -> UnifiedDiff:
    """Return the diff of two texts, with three lines of context; "" if equal."""
    old_lines, new_lines = _LINES.findall(old), _LINES.findall(new)
    matcher = _BoundedMatcher(old_lines, new_lines)
    changes = [code for code in matcher.get_opcodes() if code[0] != "equal"]
    unified = "".join(
        _hunk(old_lines, new_lines, group) for group in matcher.get_grouped_opcodes()
    )
    return UnifiedDiff(
        unified=f"--- {old_name}\n+++ {new_name}\n{unified}" if changes else "",
        added=sum(bottom - top for _, _, _, top, bottom in changes),
        removed=sum(right - left for _, left, right, _, _ in changes),
        truncated=matcher.is_truncated,
    )


class _BoundedMatcher(SequenceMatcher[str]):
    """
    Ends its search after MAX_STEPS, which are old lines and equal new lines looked at.

    The time that difflib takes grows with the cube of the length of hostile texts.
    """

    # Attributes of SequenceMatcher that its stub omits.
    a: list[str]
    b: list[str]
    b2j: dict[str, list[int]]

    def __init__(self, old: list[str], new: list[str]) -> None:
        super().__init__(None, old, new)
        counts = (len(self.b2j.get(line, ())) for line in old)
        # Of each old line and those before it, how many new lines are equal.
        self._pairs = [0, *accumulate(counts)]
        self._remaining_steps = MAX_STEPS
        self.is_truncated = False

    def find_longest_match(
        self, alo: int = 0, ahi: int | None = None, blo: int = 0, bhi: int | None = None
    ) -> Match:
        """Return the longest match of the lines; none once the limit is reached."""
        old, new = self.a, self.b
        left, right, top, bottom = alo, ahi or len(old), blo, bhi or len(new)
        # Lines at an end match without a search, which would ignore frequent lines.
        height = min(right - left, bottom - top)
        same = 0
        while same < height and old[left + same] == new[top + same]:
            same += 1
        if same:
            return Match(left, top, same)
        while same < height and old[right - same - 1] == new[bottom - same - 1]:
            same += 1
        if same:
            return Match(right - same, bottom - same, same)
        self._remaining_steps -= self._pairs[right] - self._pairs[left] + right - left
        if self._remaining_steps < 0:
            self.is_truncated = True
            return Match(left, top, 0)
        return super().find_longest_match(left, right, top, bottom)


def _hunk(old: list[str], new: list[str], opcodes: list[Opcode]) -> str:
    (_, left, _, top, _), (_, _, right, _, bottom) = opcodes[0], opcodes[-1]
    lines = [f"@@ -{_range(left, right)} +{_range(top, bottom)} @@\n"]
    for tag, left, right, top, bottom in opcodes:
        if tag == "equal":
            lines += [_signed(" ", line) for line in old[left:right]]
            continue
        lines += [_signed("-", line) for line in old[left:right]]
        lines += [_signed("+", line) for line in new[top:bottom]]
    return "".join(lines)


def _range(start: int, end: int) -> str:
    """Format a range of lines; an empty range names the line before it."""
    count = end - start
    return f"{start + 1 if count else start},{count}"


def _signed(sign: str, line: str) -> str:
    if line.endswith("\n"):
        return sign + line
    return f"{sign}{line}\n\\ No newline at end of file\n"
