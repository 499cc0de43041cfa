"""
The words of texts in PostgreSQL: those that FTS5 sees in them, at their places.

PostgreSQL's own way of words would keep an address or a number with a hyphen as one.
So a text is taken apart by the tokenizer of SQLite, which Python brings along: what is
found does not depend on where the texts are kept.
"""

import sqlite3
from collections import defaultdict
from collections.abc import Iterable
from threading import local
from typing import Any

from peewee import SQL, Expression, Table, fn

from models.storage.engines.engine import Ranked, Sought

# The server keeps no longer word, no higher place and no larger vector.
LONGEST_WORD = 250
LAST_PLACE = 16_383
MOST_PLACES = 255
MOST_BYTES = 700_000
# Between the title and the text, so that no phrase goes from one into the other.
GAP = 10

Index = Table("indexed_text")
# A title says more of a thing than its text: the weights of D, C, B and A. What a
# word says is less in a long text.
WEIGHTS = SQL("'{0.25, 0, 0, 1}'::real[]")
BY_LENGTH = 1

_TABLES = (
    "CREATE VIRTUAL TABLE taken_apart USING fts5(text, content='',"
    " tokenize='unicode61 remove_diacritics 2')",
    "CREATE VIRTUAL TABLE word USING fts5vocab(taken_apart, instance)",
)
# The tokenizer of each thread.
_own = local()


class Words:
    """The index of words: in a column beside each text."""

    execute: Any
    execute_sql: Any

    def index_words(self, id: str, title: str, body: str) -> None:
        self.execute_sql(
            "UPDATE indexed_text SET words = ?::tsvector WHERE entity_id = ?",
            (told_vector(title, body), id),
        )

    def rebuild_words(self) -> None:
        """The words stand with their text, and go with it."""

    def match_of(self, sought: Iterable[Sought]) -> str:
        return told_query(sought)

    def matches(self, match: str) -> Any:
        return Index.select(Index.c.number).where(_is_match(match))

    def newest_ranked(
        self, match: str, texts: Any, where: list[Any], most: int
    ) -> list[Ranked]:
        # The best has the lowest rank.
        rank = fn.ts_rank(WEIGHTS, Index.c.words, _query(match), BY_LENGTH) * -1
        query = (
            Index.select(rank, Index.c.number)
            .join(texts, on=texts.number == Index.c.number)
            .where(_is_match(match), *where)
            .order_by(Index.c.number.desc())
            .limit(most)
        )
        found: list[Ranked] = self.execute(query).fetchall()
        return found


def _is_match(match: str) -> Any:
    return Expression(Index.c.words, "@@", _query(match))


def _query(match: str) -> Any:
    return SQL("?::tsquery", [match])


def told_vector(title: str, body: str) -> str:
    """Return all words with their places, those of the title marked; no operators."""
    of_title, of_body = _places(title), _places(body)
    gap = GAP + max((at[-1] for at in of_title.values()), default=0)
    marked: dict[str, list[str]] = defaultdict(list)
    for word, places in of_title.items():
        marked[word] += [f"{_place(at)}A" for at in places]
    size = 0
    for word, places in of_body.items():
        some = [f"{_place(gap + at)}" for at in places[:MOST_PLACES]]
        size += len(word.encode()) + 8 + 2 * len(some)
        if size > MOST_BYTES:
            break
        marked[word] += some
    return " ".join(
        f"'{word}':{','.join(places[:MOST_PLACES])}" for word, places in marked.items()
    )


def _place(offset: int) -> int:
    return min(offset + 1, LAST_PLACE)


def told_query(sought: Iterable[Sought]) -> str:
    """Return the query that all that is sought is found by; words have no quotes."""
    return " & ".join(filter(None, map(_told, sought)))


def _told(each: Sought) -> str:
    found = _places(each.text).items()
    placed = sorted((place, word) for word, places in found for place in places)
    words = [f"'{word}'" for _, word in placed]
    if words and each.is_prefix:
        words[-1] += ":*"
    return f"({' <-> '.join(words)})" if words else ""


def _places(text: str) -> dict[str, list[int]]:
    """Return the places of each word, in the order in which words come first."""
    tokenizer = _tokenizer()
    tokenizer.execute("INSERT INTO taken_apart (rowid, text) VALUES (1, ?)", (text,))
    words = tokenizer.execute(
        "SELECT substr(term, 1, ?), group_concat(offset) FROM word GROUP BY 1",
        (LONGEST_WORD,),
    ).fetchall()
    tokenizer.execute("INSERT INTO taken_apart (taken_apart) VALUES ('delete-all')")
    found = [(sorted(map(int, at.split(","))), word) for word, at in words]
    return {word: places for places, word in sorted(found)}


def _tokenizer() -> sqlite3.Connection:
    if not hasattr(_own, "tokenizer"):
        _own.tokenizer = sqlite3.connect(":memory:", isolation_level=None)
        for each in _TABLES:
            _own.tokenizer.execute(each)
    tokenizer: sqlite3.Connection = _own.tokenizer
    return tokenizer
