"""What people type into a search, in the words of the index of texts."""

import re
from typing import Any

from models.storage.database import database
from models.storage.engines.engine import RankedText, SearchTerm

# A shorter beginning would be that of a good part of all words.
SHORTEST_PREFIX = 2

# A phrase in quotes, or what lies between spaces.
_PARTS = re.compile(r'"([^"]*)"|([^\s"]+)')


def sought(asked: str) -> list[SearchTerm]:
    """
    Return what is sought: words, phrases in quotes, beginnings before a `*`.

    What has no letter or digit in it is not looked for.
    """
    found = []
    for phrase, word in _PARTS.findall(asked):
        text = (phrase or word.rstrip("*")).replace("\x00", " ")
        if any(char.isalnum() for char in text):
            last = text[-SHORTEST_PREFIX:]
            is_long = len(last) == SHORTEST_PREFIX and last.isalnum()
            found.append(SearchTerm(text, word.endswith("*") and is_long))
    return list(dict.fromkeys(found))


def match_of(asked: str) -> str | None:
    """Return the query of the index; None where nothing is sought, so nothing found."""
    parts = sought(asked)
    return database.match_query(parts) if parts else None


def matches(match: str) -> Any:
    """Select the numbers of the texts that match."""
    return database.matching_texts(match)


def newest_ranked(
    match: str, texts: Any, where: list[Any], most: int
) -> list[RankedText]:
    """Return the newest texts that match and their ranks, which is no order yet."""
    found: list[RankedText] = database.newest_ranked(match, texts, where, most)
    return found
