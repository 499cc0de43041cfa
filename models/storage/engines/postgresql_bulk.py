"""Read all rows from PostgreSQL and insert them in bulk, for copies and backups."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain, count, islice
from pathlib import Path
from typing import Any

from peewee import PostgresqlDatabase

from models.storage.atomic_file import atomic_write, backup_conflict
from models.storage.copy import copy_database
from models.storage.engines.postgresql_driver import numbered_placeholders
from models.storage.engines.postgresql_search import tsvector_of
from models.storage.engines.sqlite import SqliteEngine
from models.storage.schema import Table, quote_names

# The number of rows that are fetched at a time; fewer if each may be a document.
FETCH_SIZE, FETCH_SIZE_OF_TABLES = 2000, 200
# Server-side cursors need names.
_cursor_numbers = count()
# After so many rows the server checks their foreign keys, which it keeps in memory.
BATCH_SIZE = 50_000
_OTHER_CONNECTIONS = (
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
    " AND application_name = current_setting('application_name')"
    " AND pid <> pg_backend_pid()"
)


class PostgresqlBulkRows(PostgresqlDatabase):
    """The operations on all rows of a PostgreSQL database."""

    # The full-text index is derived from the texts; migrations record themselves; every
    # token bucket is full after a start.
    derived = frozenset({"schema_migration", "indexed_text.words", "rate_limit"})

    def configure(self, address: str) -> None:
        self.init(address)

    def read_rows(self, table: Table) -> Iterator[tuple[Any, ...]]:
        columns = (
            f"{quote_names(name)}::int" if name in table.booleans else quote_names(name)
            for name in table.columns
        )
        query = (
            f"SELECT {', '.join(columns)} FROM {quote_names(table.name)}"  # noqa: S608  names of our schema
            f" ORDER BY {quote_names(*table.key)}"
        )
        return self.stream(query, (), batch_size=FETCH_SIZE_OF_TABLES)

    def stream(
        self, statement: str, parameters: Sequence[Any], batch_size: int = FETCH_SIZE
    ) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a server-side cursor, which is fetched in batches."""
        with self.connection().cursor(name=f"rows-{next(_cursor_numbers)}") as cursor:
            cursor.itersize = batch_size
            cursor.execute(numbered_placeholders(statement), parameters)
            yield from cursor

    def insert_rows(self, table: Table, rows: Iterable[tuple[Any, ...]]) -> None:
        if table.name == "indexed_text":
            table, rows = _with_tsvectors(table, rows)
        command = (
            f"COPY {quote_names(table.name)} ({quote_names(*table.columns)}) FROM STDIN"
        )
        with self.connection().cursor() as cursor:
            for batch in _batches(rows):
                with cursor.copy(command) as copy:
                    deque(map(copy.write_row, batch), maxlen=0)

    def finish_inserts(self, tables: Iterable[Table]) -> None:
        """Advance the sequences past the highest numbers, and analyze the tables."""
        for table in tables:
            name, key = quote_names(table.name), table.key[0]
            query = "SELECT pg_get_serial_sequence(?, ?)"
            (sequence,) = self.execute_sql(query, (name, key)).fetchone()
            if sequence:
                highest = f"MAX({quote_names(key)})"
                self.execute_sql(
                    f"SELECT setval(?::regclass, GREATEST({highest}, 1),"  # noqa: S608
                    f" {highest} IS NOT NULL) FROM {name}",
                    (sequence,),
                )
            self.execute_sql(f"ANALYZE {name}")

    def other_connections(self) -> int:
        return int(self.execute_sql(_OTHER_CONNECTIONS).fetchone()[0])

    @contextmanager
    def create_empty(self, address: str) -> Iterator[None]:
        self.configure(address)
        with self.connection_context():
            yield

    def copy_to(self, path: Path) -> None:
        copy = SqliteEngine(None)
        with (
            atomic_write(path, backup_conflict) as draft,
            copy.open_draft(draft),
            copy_database(self, copy),
        ):
            """The block of the copy is empty: it needs no further check."""


def _with_tsvectors(
    table: Table, rows: Iterable[tuple[Any, ...]]
) -> tuple[Table, Iterator[tuple[Any, ...]]]:
    title, body = map(table.columns.index, ("title", "body"))
    extended = ((*row, tsvector_of(row[title], row[body])) for row in rows)
    return replace(table, columns=(*table.columns, "words")), extended


def _batches(rows: Iterable[tuple[Any, ...]]) -> Iterator[Iterator[tuple[Any, ...]]]:
    """Yield the rows in batches; each must be consumed before the next."""
    remaining = iter(rows)
    for first in remaining:
        yield chain((first,), islice(remaining, BATCH_SIZE - 1))
