"""
Search texts in PostgreSQL with tsvectors of the words that SQLite's FTS5 finds.

PostgreSQL's own parser would keep a URL or a number with a hyphen as one word. Texts
are therefore tokenized by SQLite, which is part of Python, so that search results do
not depend on the engine.
"""

import sqlite3
from collections import defaultdict
from collections.abc import Iterable
from threading import local
from typing import Any

from peewee import SQL, Expression, Table, fn

from models.storage.engines.engine import (
    ALL_NUMBERS,
    NumberRange,
    RankedText,
    SearchTerm,
)

# The limits of a tsvector.
MAX_WORD_LENGTH = 250
MAX_POSITION = 16_383
MAX_POSITIONS = 255
MAX_VECTOR_BYTES = 700_000
# Between title and body, so that no phrase spans both.
GAP = 10

Index = Table("indexed_text")
# The weights of D, C, B and A: a match in the title counts more than one in the body,
# and one in a short text more than one in a long text.
WEIGHTS = SQL("'{0.25, 0, 0, 1}'::real[]")
NORMALIZE_BY_LENGTH = 1

_TABLES = (
    "CREATE VIRTUAL TABLE tokenized USING fts5(text, content='',"
    " tokenize='unicode61 remove_diacritics 2')",
    "CREATE VIRTUAL TABLE word USING fts5vocab(tokenized, instance)",
)
# Each thread has a tokenizer of its own.
_thread = local()


class PostgresqlTextIndex:
    """The full-text index: a tsvector column beside each text."""

    execute: Any
    execute_sql: Any

    def index_text(self, id: str, title: str, body: str) -> None:
        self.execute_sql(
            "UPDATE indexed_text SET words = ?::tsvector WHERE entity_id = ?",
            (tsvector_of(title, body), id),
        )

    def rebuild_text_index(self) -> None:
        """The words are deleted with their text."""

    def match_query(self, terms: Iterable[SearchTerm]) -> str:
        return tsquery_of(terms)

    def matching_texts(self, match: str) -> Any:
        return Index.select(Index.c.number).where(_is_match(match))

    def newest_ranked(
        self,
        match: str,
        texts: Any,
        where: list[Any],
        limit: int | None,
        numbers: NumberRange = ALL_NUMBERS,
    ) -> list[RankedText]:
        # Negated, since the best match has the lowest rank.
        rank = (
            fn.ts_rank(WEIGHTS, Index.c.words, _query(match), NORMALIZE_BY_LENGTH) * -1
        )
        query = (
            Index.select(rank, Index.c.number)
            .join(texts, on=texts.number == Index.c.number)
            .where(_is_match(match), Index.c.number.between(*numbers), *where)
            .order_by(Index.c.number.desc())
            .limit(limit)
        )
        ranked: list[RankedText] = self.execute(query).fetchall()
        return ranked


def _is_match(match: str) -> Any:
    return Expression(Index.c.words, "@@", _query(match))


def _query(match: str) -> Any:
    return SQL("?::tsquery", [match])


def tsvector_of(title: str, body: str) -> str:
    """Return the words with their positions, those of the title with weight A."""
    title_words, body_words = _positions(title), _positions(body)
    gap = GAP + max((offsets[-1] for offsets in title_words.values()), default=0)
    lexemes: dict[str, list[str]] = defaultdict(list)
    for word, offsets in title_words.items():
        lexemes[word] += [f"{_position(offset)}A" for offset in offsets]
    size = 0
    for word, offsets in body_words.items():
        positions = [f"{_position(gap + at)}" for at in offsets[:MAX_POSITIONS]]
        size += len(word.encode()) + 8 + 2 * len(positions)
        if size > MAX_VECTOR_BYTES:
            break
        lexemes[word] += positions
    return " ".join(
        f"'{word}':{','.join(positions[:MAX_POSITIONS])}"
        for word, positions in lexemes.items()
    )


def _position(offset: int) -> int:
    return min(offset + 1, MAX_POSITION)


def tsquery_of(terms: Iterable[SearchTerm]) -> str:
    """Return the tsquery that matches all terms; words contain no quotes."""
    return " & ".join(filter(None, map(_phrase, terms)))


def _phrase(term: SearchTerm) -> str:
    pairs = [
        (at, word) for word, offsets in _positions(term.text).items() for at in offsets
    ]
    words = [f"'{word}'" for _, word in sorted(pairs)]
    if words and term.is_prefix:
        words[-1] += ":*"
    return f"({' <-> '.join(words)})" if words else ""


def _positions(text: str) -> dict[str, list[int]]:
    """Return the offsets of each word, in the order of their first occurrences."""
    tokenizer = _tokenizer()
    tokenizer.execute("INSERT INTO tokenized (rowid, text) VALUES (1, ?)", (text,))
    words = tokenizer.execute(
        "SELECT substr(term, 1, ?), group_concat(offset) FROM word GROUP BY 1",
        (MAX_WORD_LENGTH,),
    ).fetchall()
    tokenizer.execute("INSERT INTO tokenized (tokenized) VALUES ('delete-all')")
    by_offset = [
        (sorted(map(int, offsets.split(","))), word) for word, offsets in words
    ]
    return {word: offsets for offsets, word in sorted(by_offset)}


def _tokenizer() -> sqlite3.Connection:
    if not hasattr(_thread, "tokenizer"):
        _thread.tokenizer = sqlite3.connect(":memory:", isolation_level=None)
        for statement in _TABLES:
            _thread.tokenizer.execute(statement)
    tokenizer: sqlite3.Connection = _thread.tokenizer
    return tokenizer
