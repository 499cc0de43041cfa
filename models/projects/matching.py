"""What people type into a search, in the words of the index of texts."""

import re
from dataclasses import dataclass
from typing import Any

from peewee import SQL, Table, fn

from models.database import database

# A title says more of a thing than its text.
TITLE, BODY = 4.0, 1.0
# A shorter beginning would be that of a good part of all words.
SHORTEST_PREFIX = 2

# A phrase in quotes, or what lies between spaces.
_PARTS = re.compile(r'"([^"]*)"|([^\s"]+)')

Index = Table("text_index")

# How well a row of the index matches: the best has the lowest.
RANK = fn.bm25(SQL("text_index"), TITLE, BODY).alias("rank")

Ranked = tuple[float, int]


@dataclass(frozen=True)
class Sought:
    """A word or a phrase that must be there; a prefix need only begin a word."""

    text: str
    is_prefix: bool = False


def sought(asked: str) -> list[Sought]:
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
            found.append(Sought(text, word.endswith("*") and is_long))
    return list(dict.fromkeys(found))


def match_of(asked: str) -> str | None:
    """
    Return the query of the index; None where nothing is sought, so nothing found.

    Everything typed stands in quotes, so nothing of it is an operator.
    """
    parts = [f'"{each.text}"{"*" * each.is_prefix}' for each in sought(asked)]
    return " ".join(parts) or None


def matches(match: str) -> Any:
    """Select the numbers of the texts that match."""
    return Index.select(SQL("rowid")).where(_is_match(match))


def newest_ranked(match: str, texts: Any, where: list[Any], most: int) -> list[Ranked]:
    """
    Return rank and number of the newest texts that match, which is not yet an order.

    The index is gone through first whatever the database thinks of it: it gives
    the newest without a sort, and so ranks no more than are taken.
    """
    number = Index.c.rowid
    query = (
        Index.select(RANK, number)
        .join(texts, "CROSS JOIN")
        .where(_is_match(match), texts.number == number, *where)
        .order_by(number.desc())
        .limit(most)
    )
    found: list[Ranked] = database.execute(query).fetchall()
    return found


def _is_match(match: str) -> Any:
    return SQL("text_index MATCH ?", [match])
