"""
Compute unified diffs of two texts in bounded time.

Pure functions: no row, no clock, no setting is read here.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from models.projects.versioning.common_lines import Box, Match, common_lines

CONTEXT_LINES = 3

# Only \n ends a line; form feeds and the like are part of it.
_LINES = re.compile(r"[^\n]*\n|[^\n]+")


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
    matches, is_complete = common_lines(old_lines, new_lines)
    blocks = list(_blocks_between(matches, len(old_lines), len(new_lines)))
    hunks = [_hunk(old_lines, new_lines, group) for group in _group(blocks)]
    header = [f"--- {old_name}\n+++ {new_name}\n"] if hunks else []
    return UnifiedDiff(
        unified="".join(header + hunks),
        added=sum(bottom - top for _, _, top, bottom in blocks),
        removed=sum(right - left for left, right, _, _ in blocks),
        truncated=not is_complete,
    )


def _blocks_between(
    matches: list[Match], old_count: int, new_count: int
) -> Iterator[Box]:
    """Yield the blocks of lines between the matching lines."""
    left = top = 0
    for right, bottom in [*matches, (old_count, new_count)]:
        if right > left or bottom > top:
            yield left, right, top, bottom
        left, top = right + 1, bottom + 1


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
