"""Divide long documents into parts, each of which is searched and shown by itself."""

import re

from sitegen.markdown.headings import slug
from sitegen.search.inverted_index import find_headings, visible_text

# About as much text as an excerpt is looked for in.
PART_SIZE = 16_000

_EXPLICIT_ID = re.compile(r"\{:?\s{0,9}#[^\s{}]{1,200}+[^{}]{0,200}\}")


def part_count(size: int) -> int:
    """Return the number of parts of a document with so many bytes."""
    return max(1, -(-size // PART_SIZE))


def split_into_parts(content: str, count: int) -> list[str]:
    """Divide a text into parts of about equal length, at headings where possible."""
    length = len(content) // count
    headings = [match.start() for match in find_headings(content)] if count > 1 else []
    starts = [0]
    for number in range(1, count):
        starts.append(_start_near(content, headings, number * length, length // 3))
    ends = [*starts[1:], len(content)]
    return [content[start:end] for start, end in zip(starts, ends, strict=True)]


def number_headings(parts: list[str]) -> list[str]:
    """
    Give headings that come again the ids that they have on the page.

    A part alone does not show how often its headings occur before it.
    """
    counts: dict[str, int] = {}
    return [_number_headings(part, counts) for part in parts]


def _number_headings(part: str, counts: dict[str, int]) -> str:
    pieces, end = [], 0
    for heading in find_headings(part):
        text = heading[2].rstrip()
        if _EXPLICIT_ID.search(text):
            continue
        id = slug(visible_text(text))
        counts[id] = counts.get(id, -1) + 1
        if counts[id]:
            position = heading.start(2) + len(text)
            pieces += [part[end:position], f" {{#{id}-{counts[id]}}}"]
            end = position
    return "".join([*pieces, part[end:]])


def _start_near(content: str, headings: list[int], target: int, reach: int) -> int:
    """Return where a part starts: the nearest heading, else a line, else anywhere."""
    near = [start for start in headings if abs(start - target) < reach]
    if near:
        return min(near, key=lambda start: abs(start - target))
    return content.rfind("\n", target - reach, target) + 1 or target
