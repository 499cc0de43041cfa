"""
Compute unified diffs of two texts in bounded time.

Pure functions: no row, no clock, no setting is read here. The search is Myers'
algorithm in linear space: it runs from both ends at once and divides where the two
paths meet.
"""

# No library is used: difflib has no time limit and took 4 s for 8,000 lines of four
# distinct ones, growing with the square (with autojunk it ignores frequent lines).

import re
from collections.abc import Iterator
from dataclasses import dataclass

# Comparisons before the rest counts as replaced: about two seconds, and enough for
# some 5,000 scattered edits.
MAX_STEPS = 8_000_000
CONTEXT_LINES = 3

# Only \n ends a line; form feeds and the like are part of it.
_LINES = re.compile(r"[^\n]*\n|[^\n]+")

# A range of old lines (start, end) and a range of new lines (start, end).
Box = tuple[int, int, int, int]


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
    blocks, is_truncated = _changed_blocks(old_lines, new_lines)
    hunks = [_hunk(old_lines, new_lines, group) for group in _group(blocks)]
    header = [f"--- {old_name}\n+++ {new_name}\n"] if hunks else []
    return UnifiedDiff(
        unified="".join(header + hunks),
        added=sum(bottom - top for _, _, top, bottom in blocks),
        removed=sum(right - left for left, right, _, _ in blocks),
        truncated=is_truncated,
    )


def _changed_blocks(old: list[str], new: list[str]) -> tuple[list[Box], bool]:
    """Return the blocks of lines that differ, and whether the search was truncated."""
    in_old, in_new = set(old), set(new)
    # A line that only one text has cannot match, which leaves much less to search.
    old_indexes = [index for index, line in enumerate(old) if line in in_new]
    new_indexes = [index for index, line in enumerate(new) if line in in_old]
    numbers = {line: number for number, line in enumerate(in_old & in_new)}
    search = _Search(
        [numbers[old[index]] for index in old_indexes],
        [numbers[new[index]] for index in new_indexes],
    )
    matches = [(old_indexes[left], new_indexes[top]) for left, top in search.matches()]
    blocks = list(_blocks_between(matches, len(old), len(new)))
    return blocks, search.steps > MAX_STEPS


def _blocks_between(
    matches: list[tuple[int, int]], old_count: int, new_count: int
) -> Iterator[Box]:
    """Yield the blocks of lines between the matching lines."""
    left = top = 0
    for right, bottom in [*matches, (old_count, new_count)]:
        if right > left or bottom > top:
            yield left, right, top, bottom
        left, top = right + 1, bottom + 1


class _Search:
    """Searches the longest common subsequence, as far as MAX_STEPS allows."""

    def __init__(self, old: list[int], new: list[int]) -> None:
        self.old, self.new = old, new
        self.steps = 0

    def matches(self) -> Iterator[tuple[int, int]]:
        """Return the indexes of the matching lines, in order."""
        boxes: list[Box] = [(0, len(self.old), 0, len(self.new))]
        matches: list[tuple[int, int]] = []
        while boxes:
            left, right, top, bottom = boxes.pop()
            while left < right and top < bottom and self.old[left] == self.new[top]:
                matches.append((left, top))
                left, top = left + 1, top + 1
            while (
                left < right
                and top < bottom
                and self.old[right - 1] == self.new[bottom - 1]
            ):
                right, bottom = right - 1, bottom - 1
                matches.append((right, bottom))
            if left < right and top < bottom:
                boxes.extend(self._divide((left, right, top, bottom)))
        return iter(sorted(matches))

    def _divide(self, box: Box) -> list[Box]:
        """Divide the box where the paths from its ends meet; [] at the limit."""
        left, right, top, bottom = box
        old, new = self.old[left:right], self.new[top:bottom]
        point = self._meeting_point(_Path(old, new), _Path(old[::-1], new[::-1]))
        if point is None:
            return []
        x, y = left + point[0], top + point[1]
        return [(left, x, top, y), (x, right, y, bottom)]

    def _meeting_point(
        self, forward: "_Path", backward: "_Path"
    ) -> tuple[int, int] | None:
        width, height = len(forward.old), len(forward.new)
        while self.steps <= MAX_STEPS:
            point = forward.extend(backward)
            if point is not None:
                return point
            point = backward.extend(forward)
            if point is not None:
                return width - point[0], height - point[1]
            self.steps += forward.steps + backward.steps
            forward.steps = backward.steps = 0
        return None


class _Path:
    """The furthest points reached from one end with a number of edits."""

    def __init__(self, old: list[int], new: list[int]) -> None:
        self.old, self.new = old, new
        self.edits = -1
        self.steps = 0
        # The furthest x by diagonal, which is x - y; it starts one step outside.
        self.furthest: dict[int, int] = {-1: -1}

    def extend(self, other: "_Path") -> tuple[int, int] | None:
        """Make one more edit on each diagonal; return where the paths meet."""
        self.edits += 1
        edits, old, new, furthest = self.edits, self.old, self.new, self.furthest
        width, height, other_furthest = len(old), len(new), other.furthest.get
        # The paths can meet only if the parity of their edits fits the box.
        can_meet = (edits + other.edits - (width - height)) % 2 == 0
        lowest = -edits + 2 * max(0, edits - height)
        highest = edits - 2 * max(0, edits - width)
        for diagonal in range(lowest, highest + 1, 2):
            x = furthest.get(diagonal - 1, -2) + 1
            if x > width:
                x = -1
            down = furthest.get(diagonal + 1, -1)
            if down > x and down - diagonal <= height:
                x = down
            if x < 0:
                continue
            start, y = x, x - diagonal
            while x < width and y < height and old[x] == new[y]:
                x += 1
                y += 1
            furthest[diagonal] = x
            self.steps += 1 + x - start
            if (
                can_meet
                and x + other_furthest(width - height - diagonal, -width - 1) >= width
            ):
                return x, y
        return None


def _group(blocks: list[Box]) -> list[list[Box]]:
    """Group blocks whose context lines touch."""
    groups: list[list[Box]] = []
    for block in blocks:
        if groups and block[0] - groups[-1][-1][1] <= 2 * CONTEXT_LINES:
            groups[-1].append(block)
        else:
            groups.append([block])
    return groups


def _hunk(old: list[str], new: list[str], blocks: list[Box]) -> str:
    first, last = blocks[0], blocks[-1]
    before, after = min(CONTEXT_LINES, first[0]), min(CONTEXT_LINES, len(old) - last[1])
    lines: list[str] = []
    position = first[0] - before
    for left, right, top, bottom in blocks:
        lines += [_signed(" ", line) for line in old[position:left]]
        lines += [_signed("-", line) for line in old[left:right]]
        lines += [_signed("+", line) for line in new[top:bottom]]
        position = right
    lines += [_signed(" ", line) for line in old[position : position + after]]
    old_range = _range(first[0] - before, last[1] + after)
    new_range = _range(first[2] - before, last[3] + after)
    return f"@@ -{old_range} +{new_range} @@\n" + "".join(lines)


def _range(start: int, end: int) -> str:
    """Format a range of lines; an empty range names the line before it."""
    count = end - start
    return f"{start + 1 if count else start},{count}"


def _signed(sign: str, line: str) -> str:
    if line.endswith("\n"):
        return sign + line
    return f"{sign}{line}\n\\ No newline at end of file\n"
