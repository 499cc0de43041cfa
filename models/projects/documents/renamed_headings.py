"""
Headings that were renamed in place, so that links to their old ids go on leading there.

Pure functions: no row, no clock, no setting is read here.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise

# Level, id and text, as a page has them from top to bottom.
Heading = tuple[int, str, str]
Outline = Sequence[Heading]

# Of the headings of one revision, and of the old ids of one page.
MOST_HEADINGS, MOST_IDS = 2_000, 200


def former_ids(outlines: Sequence[Outline]) -> dict[str, str]:
    """
    Return the ids that the last outline lacks, each with the one it has become.

    The outlines are those of one page, oldest first. A heading may have been renamed
    several times; one that went away is forgotten, whatever came later.
    """
    stands = {id for _, id, _ in outlines[-1]}
    at: dict[str, str] = {}
    for before, after in pairwise(each[:MOST_HEADINGS] for each in outlines):
        ids, moved = {id for _, id, _ in after}, renamed(before, after)
        at |= {id: id for _, id, _ in before}
        now = {old: id if id in ids else moved.get(id, "") for old, id in at.items()}
        at = {old: id for old, id in now.items() if id}
    found = [(old, id) for old, id in at.items() if old not in stands]
    return dict(found[-MOST_IDS:])


def renamed(before: Outline, after: Outline) -> dict[str, str]:
    """
    Return what the headings that were renamed between two outlines are called now.

    Between two neighbours that both have, as many headings of a level as there were
    are the same headings; where the numbers differ nobody can tell which is which.
    """
    known = {id for _, id, _ in before}
    places = {id: place for place, (_, id, _) in enumerate(after)}
    found: dict[str, str] = {}
    lost: list[Heading] = []
    start = 0
    for heading in [*before, (0, "", "")]:
        end = places.get(heading[1], len(after) if not heading[0] else -1)
        if end < 0:
            lost.append(heading)
            continue
        between = after[start:end] if lost else ()
        if not any(id in known for _, id, _ in between):
            found |= _paired(lost, between)
        lost, start = [], end + 1
    return found


def _paired(lost: Iterable[Heading], new: Iterable[Heading]) -> dict[str, str]:
    old_of, new_of = _by_level(lost), _by_level(new)
    found: dict[str, str] = {}
    for level, ids in old_of.items():
        if len(ids) == len(new_of.get(level, ())):
            found |= zip(ids, new_of[level], strict=True)
    return found


def _by_level(outline: Iterable[Heading]) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for level, id, _ in outline:
        found.setdefault(level, []).append(id)
    return found
