"""
Give headings further ids, so that links written for GitHub or an older text work.

Pure functions: no row, no clock, no setting is read here.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence

from models.projects.documents.linking.renamed_headings import (
    MAX_HEADINGS,
    Outline,
    former_ids,
)

# The title of a page has no id of its own; "" stands for it.
TITLE = ""
# Nobody links to longer headings.
MAX_LENGTH = 300

_REMOVED_ASCII = re.compile(r"[^a-z0-9_\- ]")


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
