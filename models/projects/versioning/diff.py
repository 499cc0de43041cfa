"""
What differs between two texts, line by line, in bounded time.

Pure functions: no row, no clock, no setting is read here. The search is that of
Myers in linear space: from both ends at once, halving where the two ways meet.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

# How many lines are looked at before what is left counts as replaced as a whole:
# about two seconds, and enough for some 5,000 scattered edits.
MOST_STEPS = 8_000_000
CONTEXT = 3

# Only \n ends a line: form feeds and the like stand within it.
_LINES = re.compile(r"[^\n]*\n|[^\n]+")

# Of the old lines from, to; of the new lines from, to.
Box = tuple[int, int, int, int]


@dataclass(frozen=True)
class Difference:
    """`truncated`: the search was cut, so there may be a shorter one."""

    unified: str
    added: int
    removed: int
    truncated: bool


def difference(old: str, new: str, old_name: str, new_name: str) -> Difference:
    """Return how to get from the old text to the new, with three lines around."""
    old_lines, new_lines = _LINES.findall(old), _LINES.findall(new)
    blocks, is_cut = _changed(old_lines, new_lines)
    hunks = [_hunk(old_lines, new_lines, group) for group in _grouped(blocks)]
    head = [f"--- {old_name}\n+++ {new_name}\n"] if hunks else []
    return Difference(
        unified="".join(head + hunks),
        added=sum(bottom - top for _, _, top, bottom in blocks),
        removed=sum(right - left for left, right, _, _ in blocks),
        truncated=is_cut,
    )


def _changed(old: list[str], new: list[str]) -> tuple[list[Box], bool]:
    """Return the blocks of lines that differ, and whether the search was cut."""
    in_old, in_new = set(old), set(new)
    # A line of one side only cannot stay: what is left to search is much smaller.
    olds = [at for at, line in enumerate(old) if line in in_new]
    news = [at for at, line in enumerate(new) if line in in_old]
    number = {line: each for each, line in enumerate(in_old & in_new)}
    search = _Search([number[old[at]] for at in olds], [number[new[at]] for at in news])
    kept = [(olds[left], news[right]) for left, right in search.matches()]
    return list(_between(kept, len(old), len(new))), search.steps > MOST_STEPS


def _between(kept: list[tuple[int, int]], old: int, new: int) -> Iterator[Box]:
    """Return what lies between the lines that stay."""
    left = top = 0
    for right, bottom in [*kept, (old, new)]:
        if right > left or bottom > top:
            yield left, right, top, bottom
        left, top = right + 1, bottom + 1


class _Search:
    """The longest way of equal lines through both texts that the steps allow."""

    def __init__(self, old: list[int], new: list[int]) -> None:
        self.old, self.new = old, new
        self.steps = 0

    def matches(self) -> Iterator[tuple[int, int]]:
        """Return the places of the lines that stay, in order."""
        boxes: list[Box] = [(0, len(self.old), 0, len(self.new))]
        found: list[tuple[int, int]] = []
        while boxes:
            left, right, top, bottom = boxes.pop()
            while left < right and top < bottom and self.old[left] == self.new[top]:
                found.append((left, top))
                left, top = left + 1, top + 1
            while (
                left < right
                and top < bottom
                and self.old[right - 1] == self.new[bottom - 1]
            ):
                right, bottom = right - 1, bottom - 1
                found.append((right, bottom))
            if left < right and top < bottom:
                boxes.extend(self._halves((left, right, top, bottom)))
        return iter(sorted(found))

    def _halves(self, box: Box) -> list[Box]:
        """Cut the box in two where the ways from its ends meet; none: give up."""
        left, right, top, bottom = box
        old, new = self.old[left:right], self.new[top:bottom]
        met = self._meeting(_Way(old, new), _Way(old[::-1], new[::-1]))
        if met is None:
            return []
        x, y = left + met[0], top + met[1]
        return [(left, x, top, y), (x, right, y, bottom)]

    def _meeting(self, there: "_Way", back: "_Way") -> tuple[int, int] | None:
        width, height = len(there.old), len(there.new)
        while self.steps <= MOST_STEPS:
            met = there.go_on(back)
            if met is not None:
                return met
            met = back.go_on(there)
            if met is not None:
                return width - met[0], height - met[1]
            self.steps += there.steps + back.steps
            there.steps = back.steps = 0
        return None


class _Way:
    """How far one gets from one end, on each diagonal, with a number of edits."""

    def __init__(self, old: list[int], new: list[int]) -> None:
        self.old, self.new = old, new
        self.edits = -1
        self.steps = 0
        # By diagonal, which is x - y; one step before the start stands the first.
        self.reach: dict[int, int] = {-1: -1}

    def go_on(self, other: "_Way") -> tuple[int, int] | None:
        """Make one edit more on each diagonal; return where the other is met."""
        self.edits += 1
        edits, old, new, reach = self.edits, self.old, self.new, self.reach
        width, height, beyond = len(old), len(new), other.reach.get
        # The two can meet only where their edits add up to what the box allows.
        meets = (edits + other.edits - (width - height)) % 2 == 0
        lowest = -edits + 2 * max(0, edits - height)
        highest = edits - 2 * max(0, edits - width)
        for diagonal in range(lowest, highest + 1, 2):
            x = reach.get(diagonal - 1, -2) + 1
            if x > width:
                x = -1
            down = reach.get(diagonal + 1, -1)
            if down > x and down - diagonal <= height:
                x = down
            if x < 0:
                continue
            start, y = x, x - diagonal
            while x < width and y < height and old[x] == new[y]:
                x += 1
                y += 1
            reach[diagonal] = x
            self.steps += 1 + x - start
            if meets and x + beyond(width - height - diagonal, -width - 1) >= width:
                return x, y
        return None


def _grouped(blocks: list[Box]) -> list[list[Box]]:
    """Put blocks together whose lines around them touch."""
    groups: list[list[Box]] = []
    for block in blocks:
        if groups and block[0] - groups[-1][-1][1] <= 2 * CONTEXT:
            groups[-1].append(block)
        else:
            groups.append([block])
    return groups


def _hunk(old: list[str], new: list[str], blocks: list[Box]) -> str:
    first, last = blocks[0], blocks[-1]
    lead, tail = min(CONTEXT, first[0]), min(CONTEXT, len(old) - last[1])
    told: list[str] = []
    at = first[0] - lead
    for left, right, top, bottom in blocks:
        told += [_told(" ", line) for line in old[at:left]]
        told += [_told("-", line) for line in old[left:right]]
        told += [_told("+", line) for line in new[top:bottom]]
        at = right
    told += [_told(" ", line) for line in old[at : at + tail]]
    was = _range(first[0] - lead, last[1] + tail)
    is_now = _range(first[2] - lead, last[3] + tail)
    return f"@@ -{was} +{is_now} @@\n" + "".join(told)


def _range(start: int, end: int) -> str:
    """Lines count from 1; what has none is told by the line before it."""
    count = end - start
    return f"{start + 1 if count else start},{count}"


def _told(sign: str, line: str) -> str:
    if line.endswith("\n"):
        return sign + line
    return f"{sign}{line}\n\\ No newline at end of file\n"
