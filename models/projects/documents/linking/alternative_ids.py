"""
Give headings further ids: those of an older text, and those that GitHub gives them.

Pure functions: no row, no clock, no setting is read here.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

# The title of a page has no id of its own; "" stands for it.
TITLE = ""
# Nobody links to longer headings.
MAX_LENGTH = 300

_REMOVED_ASCII = re.compile(r"[^a-z0-9_\- ]")
# Level, id and text, in the order of the page.
Heading = tuple[int, str, str]
Outline = Sequence[Heading]
# Limits: headings compared per revision, and former ids kept per page.
MAX_HEADINGS, MAX_IDS = 2_000, 200


def alternative_ids(title: str, outlines: Sequence[Outline]) -> dict[str, str]:
    """
    Return further ids of a page, each with the id of its heading, "" for the title.

    They are former ids, and GitHub's spellings. The outlines are those of the page,
    oldest first. An id that a heading of the page has is not among them.
    """
    headings = outlines[-1][:MAX_HEADINGS]
    alternatives = former_ids(outlines)
    own_ids = {id for _, id, _ in outlines[-1]}
    for alternative, id in _github_spellings(title, headings):
        if alternative.strip("-") and alternative not in own_ids:
            alternatives.setdefault(alternative, id)
    return alternatives


def _github_spellings(title: str, headings: Outline) -> Iterator[tuple[str, str]]:
    """
    Yield each of GitHub's spellings with the id of its heading.

    A file may have the title as its first heading, which GitHub counts, or not.
    """
    spellings = [github_spelling(text) for _, _, text in headings]
    ids = [id for _, id, _ in headings]
    yield from zip(numbered(spellings), ids, strict=True)
    with_title = [github_spelling(title), *spellings]
    yield from zip(numbered(with_title), [TITLE, *ids], strict=True)


def numbered(spellings: Sequence[str]) -> list[str]:
    """Return unique ids: those that equal earlier ones get a number, as on GitHub."""
    counts: dict[str, int] = {}
    ids = []
    for spelling in spellings:
        id = spelling
        while id in counts:
            counts[spelling] += 1
            id = f"{spelling}-{counts[spelling]}"
        counts[id] = 0
        ids.append(id)
    return ids


def github_spelling(text: str) -> str:
    """Return the text in lower case without punctuation, with '-' for each space."""
    text = text.strip().lower()
    if len(text) > MAX_LENGTH:
        return ""
    if text.isascii():
        return _REMOVED_ASCII.sub("", text).replace(" ", "-")
    return "".join(filter(_is_kept, text)).replace(" ", "-")


def _is_kept(character: str) -> bool:
    category = unicodedata.category(character)
    return category[0] in "LMN" or category == "Pc" or character in "- "


def former_ids(outlines: Sequence[Outline]) -> dict[str, str]:
    """
    Return the ids that the last outline lacks, each with its current id.

    The outlines are those of one page, oldest first. A heading may have been renamed
    several times. The id of a removed heading is dropped, whatever comes later.
    """
    last_ids = {id for _, id, _ in outlines[-1]}
    current: dict[str, str] = {}
    for before, after in pairwise(outline[:MAX_HEADINGS] for outline in outlines):
        ids, new_ids = {id for _, id, _ in after}, renamed_ids(before, after)
        current |= {id: id for _, id, _ in before}
        followed = {
            old: id if id in ids else new_ids.get(id, "") for old, id in current.items()
        }
        current = {old: id for old, id in followed.items() if id}
    former = [(old, id) for old, id in current.items() if old not in last_ids]
    return dict(former[-MAX_IDS:])


def renamed_ids(before: Outline, after: Outline) -> dict[str, str]:
    """
    Return the new ids of the headings that were renamed between two outlines.

    Between two headings that both outlines have, headings of one level match in order
    if their number is the same; if it differs, the match is ambiguous and skipped.
    """
    old_ids = {id for _, id, _ in before}
    positions = {id: position for position, (_, id, _) in enumerate(after)}
    renamed: dict[str, str] = {}
    missing: list[Heading] = []
    start = 0
    for heading in [*before, (0, "", "")]:
        end = positions.get(heading[1], len(after) if not heading[0] else -1)
        if end < 0:
            missing.append(heading)
            continue
        between = after[start:end] if missing else ()
        if not any(id in old_ids for _, id, _ in between):
            renamed |= _pair_by_level(missing, between)
        missing, start = [], end + 1
    return renamed


def _pair_by_level(
    missing: Iterable[Heading], new: Iterable[Heading]
) -> dict[str, str]:
    old_ids, new_ids = _ids_by_level(missing), _ids_by_level(new)
    pairs: dict[str, str] = {}
    for level, ids in old_ids.items():
        if len(ids) == len(new_ids.get(level, ())):
            pairs |= zip(ids, new_ids[level], strict=True)
    return pairs


def _ids_by_level(outline: Iterable[Heading]) -> dict[int, list[str]]:
    ids: dict[int, list[str]] = {}
    for level, id, _ in outline:
        ids.setdefault(level, []).append(id)
    return ids
