"""Parse search queries, and run them against the word index of the database."""

import re
from typing import Any

from models.storage.database import database
from models.storage.engines.engine import (
    ALL_NUMBERS,
    NumberRange,
    RankedText,
    SearchTerm,
)

# A shorter prefix would match a large part of all words.
MIN_PREFIX_LENGTH = 2

# A phrase in quotes, or a word between spaces.
_TERMS = re.compile(r'"([^"]*)"|([^\s"]+)')


def parse_terms(text: str) -> list[SearchTerm]:
    """
    Return the terms of a query: words, phrases in quotes, prefixes before a `*`.

    A term without a letter or digit is ignored.
    """
    terms = []
    for phrase, word in _TERMS.findall(text):
        term = (phrase or word.rstrip("*")).replace("\x00", " ")
        if any(char.isalnum() for char in term):
            end = term[-MIN_PREFIX_LENGTH:]
            can_be_prefix = len(end) == MIN_PREFIX_LENGTH and end.isalnum()
            terms.append(SearchTerm(term, word.endswith("*") and can_be_prefix))
    return list(dict.fromkeys(terms))


def match_expression(text: str) -> str | None:
    """Return the expression of the word index; None if the query has no terms."""
    terms = parse_terms(text)
    return database.match_query(terms) if terms else None


def matching_numbers(match: str) -> Any:
    """Return a query for the numbers of the texts that match."""
    return database.matching_texts(match)


def newest_ranked(
    match: str,
    texts: Any,
    where: list[Any],
    limit: int | None,
    numbers: NumberRange = ALL_NUMBERS,
) -> list[RankedText]:
    """Return the newest texts that match with their ranks, newest first."""
    ranked: list[RankedText] = database.newest_ranked(
        match, texts, where, limit, numbers
    )
    return ranked
