"""
Find the lines that two texts have in common, in order, in bounded time.

Pure functions: no row, no clock, no setting is read here.

Two algorithms search the longest common subsequence; both divide the texts into smaller
boxes. Myers' algorithm in linear space is fast if the texts differ little. Beyond its
limit, Hirschberg's algorithm compares a line with all lines of the other text at once,
as bits of an integer, which takes the same time whatever the order of the lines.
"""

# No library is used: difflib has no time limit and took 4 s for 8,000 lines of four
# distinct ones, growing with the square (with autojunk it ignores frequent lines).
# RapidFuzz keeps all bits, which are 50 MB for 20,000 lines.

from collections import defaultdict
from collections.abc import Sequence
from itertools import accumulate

# Comparisons by Myers' algorithm: about an eighth of a second, and enough for some
# 1,000 scattered edits.
MAX_STEPS = 500_000
# Cells, which are pairs of lines, compared as bits: less than half a second, and enough
# for 20,000 lines in any order.
MAX_CELLS = 2_000_000_000
# What dividing a box takes for each of its lines, in cells.
CELLS_PER_LINE = 1000
# The bits of a line with more positions are kept, those of others are made when needed:
# 20,000 integers of 20,000 bits take 50 MB.
MAX_RARE_POSITIONS = 8

# A range of old lines (start, end) and a range of new lines (start, end).
Box = tuple[int, int, int, int]
# The indexes of an old line and of the equal new line.
Match = tuple[int, int]


def common_lines(old: list[str], new: list[str]) -> tuple[list[Match], bool]:
    """
    Return the matching lines in order, and whether they are as many as possible.

    If both limits are reached, the lines of the remaining boxes do not match.
    """
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
    return matches, search.is_complete


class _Search:
    """Searches the longest common subsequence, as far as the limits allow."""

    def __init__(self, old: list[int], new: list[int]) -> None:
        self.old, self.new = old, new
        self.steps = 0
        self.cells = 0
        self.is_complete = True

    def matches(self) -> list[Match]:
        """Return the indexes of the matching lines, in order."""
        boxes: list[Box] = [(0, len(self.old), 0, len(self.new))]
        matches: list[Match] = []
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
        return sorted(matches)

    def _divide(self, box: Box) -> list[Box]:
        """Divide the box where a longest common subsequence passes; [] at the limit."""
        left, right, top, bottom = box
        old, new = self.old[left:right], self.new[top:bottom]
        point = self._meeting_point(old, new)
        if point is None and self._take_cells(len(old), len(new)):
            point = _halving_point(old, new)
        if point is None:
            self.is_complete = False
            return []
        x, y = left + point[0], top + point[1]
        return [(left, x, top, y), (x, right, y, bottom)]

    def _meeting_point(self, old: list[int], new: list[int]) -> Match | None:
        """Return where the paths from both ends meet (Myers); None at the limit."""
        if self.steps > MAX_STEPS:
            return None
        forward, backward = _Path(old, new), _Path(old[::-1], new[::-1])
        while self.steps <= MAX_STEPS:
            point = forward.extend(backward)
            if point is not None:
                return point
            point = backward.extend(forward)
            if point is not None:
                return len(old) - point[0], len(new) - point[1]
            self.steps += forward.steps + backward.steps
            forward.steps = backward.steps = 0
        return None

    def _take_cells(self, width: int, height: int) -> bool:
        """Return whether the cells suffice for the box and all boxes inside it."""
        lines = CELLS_PER_LINE * (width + height)
        # Halving the shorter side halves the cells that remain.
        divisions = min(width, height).bit_length()
        if self.cells + 2 * width * height + lines * divisions > MAX_CELLS:
            return False
        self.cells += width * height + lines
        return True


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


def _halving_point(old: list[int], new: list[int]) -> Match:
    """Return where a longest common subsequence passes the middle (Hirschberg)."""
    if len(old) <= len(new):
        return _halve_first(old, new)
    y, x = _halve_first(new, old)
    return x, y


def _halve_first(first: list[int], second: list[int]) -> tuple[int, int]:
    if len(first) == 1:
        # The next box begins with the match, if there is one.
        [line] = first
        return 0, second.index(line) if line in second else len(second)
    middle = len(first) // 2
    before = _common_counts(first[:middle], second)
    after = _common_counts(first[: middle - 1 : -1], second[::-1])
    totals = [a + b for a, b in zip(before, reversed(after), strict=True)]
    return middle, totals.index(max(totals))


def _common_counts(first: list[int], second: list[int]) -> Sequence[int]:
    """
    Return how many lines `first` has in common with each prefix of `second`.

    In the integer, a bit is cleared where the common lines become one more (Hyyrö).
    """
    positions = defaultdict(list)
    for position, line in enumerate(second):
        positions[line].append(position)
    frequent = {
        line: _bits(found)
        for line, found in positions.items()
        if len(found) > MAX_RARE_POSITIONS
    }
    all_bits = bits = (1 << len(second)) - 1
    for line in first:
        matches = bits & (frequent.get(line) or _bits(positions.get(line, ())))
        bits = ((bits + matches) | (bits - matches)) & all_bits
    cleared = format(bits, f"0{len(second)}b")[::-1]
    return [0, *accumulate(bit == "0" for bit in cleared)]


def _bits(positions: Sequence[int]) -> int:
    return sum(1 << position for position in positions)
