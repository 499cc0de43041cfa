"""The words of texts in SQLite: an index of FTS5, which triggers keep."""

from collections.abc import Iterable
from typing import Any

from peewee import SQL, Table, fn

from models.storage.engines.engine import Ranked, Sought

# A title says more of a thing than its text.
TITLE, BODY = 4.0, 1.0

Index = Table("text_index")
# How well a row of the index matches: the best has the lowest.
RANK = fn.bm25(SQL("text_index"), TITLE, BODY).alias("rank")


class Words:
    """The index of words: a table of its own beside the texts."""

    execute: Any
    execute_sql: Any

    def index_words(self, id: str, title: str, body: str) -> None:
        """Triggers do it, whoever writes the text."""

    def rebuild_words(self) -> None:
        """
        Make the index of words anew.

        FTS5 marks what was removed and drops it at a later merge; SQLite can be told
        to do it at once only from version 3.42 on.
        """
        self.execute_sql("INSERT INTO text_index(text_index) VALUES ('rebuild')")

    def match_of(self, sought: Iterable[Sought]) -> str:
        """Everything sought stands in quotes, so nothing of it is an operator."""
        return " ".join(f'"{each.text}"{"*" * each.is_prefix}' for each in sought)

    def matches(self, match: str) -> Any:
        return Index.select(SQL("rowid")).where(_is_match(match))

    def newest_ranked(
        self, match: str, texts: Any, where: list[Any], most: int
    ) -> list[Ranked]:
        """
        Return rank and number of the newest texts that match.

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
        found: list[Ranked] = self.execute(query).fetchall()
        return found


def _is_match(match: str) -> Any:
    return SQL("text_index MATCH ?", [match])
