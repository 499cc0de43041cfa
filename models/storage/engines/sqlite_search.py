"""Search texts in SQLite with an FTS5 index, which triggers keep in step."""

from collections.abc import Iterable
from typing import Any

from peewee import SQL, Table, fn

from models.storage.engines.engine import (
    ALL_NUMBERS,
    NumberRange,
    RankedText,
    SearchTerm,
)

# A match in the title counts more than one in the body.
TITLE, BODY = 4.0, 1.0

Index = Table("text_index")
# The rank of a matching row, lowest first.
RANK = fn.bm25(SQL("text_index"), TITLE, BODY).alias("rank")


class SqliteTextIndex:
    """The full-text index: an FTS5 table beside the texts."""

    execute: Any
    execute_sql: Any

    def index_text(self, id: str, title: str, body: str) -> None:
        """Triggers do it."""

    def rebuild_text_index(self) -> None:
        """
        Rebuild the index, so that no purged word remains in it.

        FTS5 drops deleted entries at a later merge; its secure-delete option requires
        SQLite 3.42.
        """
        self.execute_sql("INSERT INTO text_index(text_index) VALUES ('rebuild')")

    def match_query(self, terms: Iterable[SearchTerm]) -> str:
        """Quote each term, so that nothing in it is an operator."""
        return " ".join(f'"{term.text}"{"*" * term.is_prefix}' for term in terms)

    def matching_texts(self, match: str) -> Any:
        return Index.select(SQL("rowid")).where(_is_match(match))

    def newest_ranked(
        self,
        match: str,
        texts: Any,
        where: list[Any],
        limit: int | None,
        numbers: NumberRange = ALL_NUMBERS,
    ) -> list[RankedText]:
        """
        Return rank and number of the newest texts that match.

        The CROSS JOIN makes SQLite read the index first: it yields the newest without
        a sort, so that no more texts are ranked than returned. The range is that of
        the index, which skips the others.
        """
        number = Index.c.rowid
        query = (
            Index.select(RANK, number)
            .join(texts, "CROSS JOIN")
            .where(
                _is_match(match),
                number.between(*numbers),
                texts.number == number,
                *where,
            )
            .order_by(number.desc())
            .limit(limit)
        )
        ranked: list[RankedText] = self.execute(query).fetchall()
        return ranked


def _is_match(match: str) -> Any:
    return SQL("text_index MATCH ?", [match])
