"""Copy an instance into an empty database row by row, and compare the two."""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from errno import EEXIST
from typing import Any

from peewee import PeeweeException

from models.storage.schema import Table, apply_migrations, tables_of
from models.storage.write_locks import WriteLock

Rows = Iterable[tuple[Any, ...]]
# Takes the name of the items; returns a function that passes the items through and
# reports the progress.
ReportProgress = Callable[[str], Callable[[Iterable[Any]], Iterable[Any]]]


class CopyError(Exception):
    """Rows that cannot be copied or differ in the copy; the message names the table."""


class RowDigest:
    """The number and the hash of a sequence of rows."""

    def __init__(self) -> None:
        self.count = 0
        self._hash = hashlib.sha256()

    def consume(self, rows: Rows) -> Iterator[tuple[Any, ...]]:
        for row in rows:
            self.count += 1
            self._hash.update(repr(row).encode())
            yield row

    def hexdigest(self) -> str:
        return self._hash.hexdigest()


def _no_progress(_: str) -> Callable[[Iterable[Any]], Iterable[Any]]:
    return lambda items: items


@contextmanager
def copy_database(
    source: Any, target: Any, report: ReportProgress = _no_progress
) -> Iterator[dict[str, int]]:
    """
    Copy every row of the source into the target, an empty database.

    The source is read from one snapshot. The block receives the number of rows by
    table, after they were compared; the target keeps them if the block succeeds, and
    nothing otherwise. Raise CopyError if the copy differs.
    """
    with target.without_foreign_keys(), target.atomic(WriteLock.ALL):
        if target.get_tables():
            raise FileExistsError(EEXIST, "it already contains tables")
        apply_migrations(target)
        with source.snapshot():
            pairs = _pairs(tables_of(source), tables_of(target))
            sent = {
                target_table: _copy_table(table, target_table, source, target, report)
                for table, target_table in pairs
            }
        target.finish_inserts(sent)
        for table, digest in sent.items():
            _compare(table, digest, target, report)
        yield {table.name: digest.count for table, digest in sent.items()}


def _pairs(sources: list[Table], targets: list[Table]) -> list[tuple[Table, Table]]:
    """Pair each table with its copy, with the columns in the same order."""
    by_name = {table.name: table for table in targets}
    if unpaired := {table.name for table in sources} ^ set(by_name):
        raise CopyError(f"The table {min(unpaired)} is in one of the databases only.")
    for table in sources:
        if set(table.columns) != set(by_name[table.name].columns):
            raise CopyError(f"The table {table.name} has other columns in the copy.")
    return [
        (table, replace(by_name[table.name], columns=table.columns, key=table.key))
        for table in sources
    ]


def _copy_table(
    table: Table, target_table: Table, source: Any, target: Any, report: ReportProgress
) -> RowDigest:
    digest, reported = RowDigest(), report(f"row of {table.name}")
    with _naming(table, source, target):
        rows = digest.consume(reported(source.read_rows(table)))
        target.insert_rows(target_table, rows)
    return digest


def _compare(
    table: Table, sent: RowDigest, target: Any, report: ReportProgress
) -> None:
    """Read the copy in the same order; raise CopyError if a row differs."""
    copied, reported = RowDigest(), report(f"compared row of {table.name}")
    with _naming(table, target):
        for _ in copied.consume(reported(target.read_rows(table))):
            pass
    if copied.count != sent.count:
        raise CopyError(
            f"{table.name} has {sent.count} rows, but its copy has {copied.count}."
        )
    if copied.hexdigest() != sent.hexdigest():
        raise CopyError(f"The rows of {table.name} differ in the copy.")


@contextmanager
def _naming(table: Table, *engines: Any) -> Iterator[None]:
    """Raise CopyError with the name of the table if an engine fails on a row."""
    errors = [error for engine in engines for error in engine.errors]
    try:
        yield
    except (PeeweeException, UnicodeError, OverflowError, *errors) as error:
        reason = str(error).partition("\n")[0].rstrip(".")
        raise CopyError(f"{table.name} cannot be copied: {reason}.") from error
