"""How all rows leave a server of PostgreSQL, and come into one."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain, count, islice
from pathlib import Path
from typing import Any

from peewee import PostgresqlDatabase

from models.storage.atomic_file import drafted, no_copy
from models.storage.copy import copied
from models.storage.engines.postgresql_driver import numbered
from models.storage.engines.postgresql_search import told_vector
from models.storage.engines.sqlite import FileDatabase
from models.storage.schema import Table, quoted

# So many rows of a long list are fetched at a time, and where each may be a document;
# each list has a name.
MANY, FEW = 2000, 200
_numbers = count()
# After so many rows the server holds them to what they refer to: until then it
# remembers each.
AT_ONCE = 50_000
_OTHERS = (
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
    " AND application_name = current_setting('application_name')"
    " AND pid <> pg_backend_pid()"
)


class ServerRows(PostgresqlDatabase):
    """What a server does with all rows of a database at once."""

    # The words of a text are made of it; the migrations write down themselves what
    # they did; every bucket is full after a start.
    derived = frozenset({"schema_migration", "indexed_text.words", "bucket"})

    def aim(self, address: str) -> None:
        self.init(address)

    def rows_of(self, table: Table) -> Iterator[tuple[Any, ...]]:
        told = (
            f"{quoted(name)}::int" if name in table.flags else quoted(name)
            for name in table.columns
        )
        asked = (
            f"SELECT {', '.join(told)} FROM {quoted(table.name)}"  # noqa: S608  names of our schema
            f" ORDER BY {quoted(*table.key)}"
        )
        return self.streamed(asked, (), at_once=FEW)

    def streamed(
        self, statement: str, given: Sequence[Any], at_once: int = MANY
    ) -> Iterator[tuple[Any, ...]]:
        """The server would send them all at once: they are fetched part by part."""
        with self.connection().cursor(name=f"rows-{next(_numbers)}") as cursor:
            cursor.itersize = at_once
            cursor.execute(numbered(statement), given)
            yield from cursor

    def fill(self, table: Table, rows: Iterable[tuple[Any, ...]]) -> None:
        if table.name == "indexed_text":
            table, rows = _with_words(table, rows)
        command = f"COPY {quoted(table.name)} ({quoted(*table.columns)}) FROM STDIN"
        with self.connection().cursor() as cursor:
            for part in _parts(rows):
                with cursor.copy(command) as copy:
                    deque(map(copy.write_row, part), maxlen=0)

    def filled(self, tables: Iterable[Table]) -> None:
        """Let numbers go on after the highest, and the server know what it has."""
        for table in tables:
            name, key = quoted(table.name), table.key[0]
            asked = self.execute_sql("SELECT pg_get_serial_sequence(?, ?)", (name, key))
            (sequence,) = asked.fetchone()
            if sequence:
                highest = f"MAX({quoted(key)})"
                self.execute_sql(
                    f"SELECT setval(?::regclass, GREATEST({highest}, 1),"  # noqa: S608
                    f" {highest} IS NOT NULL) FROM {name}",
                    (sequence,),
                )
            self.execute_sql(f"ANALYZE {name}")

    def others(self) -> int:
        return int(self.execute_sql(_OTHERS).fetchone()[0])

    @contextmanager
    def receiving(self, address: str) -> Iterator[None]:
        self.aim(address)
        with self.connection_context():
            yield

    def copy_to(self, path: Path) -> None:
        copy = FileDatabase(None)
        with drafted(path, no_copy) as draft, copy.drafting(draft), copied(self, copy):
            """All of it is a backup, whatever its audit says."""


def _with_words(
    table: Table, rows: Iterable[tuple[Any, ...]]
) -> tuple[Table, Iterator[tuple[Any, ...]]]:
    title, body = map(table.columns.index, ("title", "body"))
    more = ((*row, told_vector(row[title], row[body])) for row in rows)
    return replace(table, columns=(*table.columns, "words")), more


def _parts(rows: Iterable[tuple[Any, ...]]) -> Iterator[Iterator[tuple[Any, ...]]]:
    """Yield the rows in parts, each to be gone through before the next."""
    left = iter(rows)
    for first in left:
        yield chain((first,), islice(left, AT_ONCE - 1))
