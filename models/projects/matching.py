"""What people type into a search, in the words of the index of texts."""

import re
from typing import Any

from peewee import SQL, Table, fn

# A title says more of a thing than its text.
TITLE, BODY = 4.0, 1.0

# A phrase in quotes, or what lies between spaces.
_PARTS = re.compile(r'"([^"]*)"|([^\s"]+)')

Index = Table("text_index")


def match_of(asked: str) -> str | None:
    """
    Return the query: all words are needed, `*` ends a prefix, quotes a phrase.

    Everything else is quoted, so nothing that is typed is an operator. Return None
    when no letter or digit is in it, which finds nothing.
    """
    parts = []
    for phrase, word in _PARTS.findall(asked):
        text = (phrase or word).replace("\x00", " ")
        prefix = "*" if word.endswith("*") else ""
        if any(char.isalnum() for char in text):
            parts.append(f'"{text.rstrip("*")}"{prefix}')
    return " ".join(parts) or None


# How well a row of the index matches: the best has the lowest.
RANK = fn.bm25(SQL("text_index"), TITLE, BODY).alias("rank")


def matches(match: str, *columns: Any) -> Any:
    """Select the numbers of the texts that match, and more about each."""
    return Index.select(SQL("rowid").alias("row"), *columns).where(
        SQL("text_index MATCH ?", [match])
    )
