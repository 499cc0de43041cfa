"""How all rows leave a file of SQLite, and come into one; and copies of the file."""

import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from peewee import SqliteDatabase

from models.storage.atomic_file import drafted, no_copy, no_room
from models.storage.schema import Table, quoted

# A file that is not finished is thrown away: until then nothing waits for the disk,
# and no row is held to those it refers to.
FILLING = {
    "journal_mode": "memory",
    "synchronous": "off",
    "foreign_keys": 0,
    "cache_size": -8 * 1024,
}


class FileRows(SqliteDatabase):
    """What a file does with all of its rows at once."""

    # The index of words follows the texts by its triggers; the migrations write
    # down themselves what they did.
    derived = frozenset({"schema_migration", "text_index"}) | {
        f"text_index_{part}" for part in ("config", "data", "docsize", "idx")
    }

    def rows_of(self, table: Table) -> Iterator[tuple[Any, ...]]:
        asked = (
            f"SELECT {quoted(*table.columns)} FROM {quoted(table.name)}"  # noqa: S608  names of our schema
            f" ORDER BY {quoted(*table.key)}"
        )
        found: Iterator[tuple[Any, ...]] = self.connection().execute(asked)
        return found

    def fill(self, table: Table, rows: Iterable[tuple[Any, ...]]) -> None:
        places = ", ".join("?" * len(table.columns))
        self.connection().executemany(
            f"INSERT INTO {quoted(table.name)} ({quoted(*table.columns)})"  # noqa: S608
            f" VALUES ({places})",
            rows,
        )

    def filled(self, tables: Iterable[Table]) -> None:
        """The next number is one more than the highest; triggers did the rest."""

    def others(self) -> int:
        """A file is held by a lease: models/runtime/server_locks.py."""
        return 0

    @contextmanager
    def receiving(self, address: str) -> Iterator[None]:
        # What a link leads to is made, and the link stays.
        path = Path(os.path.realpath(address))
        if not no_room(path):
            path.parent.mkdir(parents=True, exist_ok=True)
        with drafted(path, no_room) as draft, self.drafting(draft):
            yield

    @contextmanager
    def drafting(self, draft: Path) -> Iterator[None]:
        """Be open on a file that is not finished, and let go of it at the end."""
        self.init(str(draft), pragmas=FILLING)
        with self.connection_context():
            yield

    def copy_to(self, path: Path) -> None:
        with drafted(path, self._hindrance) as draft:
            with closing(sqlite3.connect(draft)) as copy:
                self.connection().backup(copy)

    def _hindrance(self, path: Path) -> str:
        """Beside what is no earlier copy: the database itself, and its logs."""
        ours = Path(str(self.database)).resolve()
        if path.is_file() and path.samefile(ours):
            return "it is the database itself"
        if str(path.resolve()).startswith(f"{ours}-"):
            return "something stands there that is no earlier copy"
        return no_copy(path)
