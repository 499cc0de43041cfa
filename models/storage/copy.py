"""An instance copied into another database, row by row, and compared with it."""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from errno import EEXIST
from typing import Any

from peewee import PeeweeException

from models.storage.schema import Table, migrated, tables

Rows = Iterable[tuple[Any, ...]]
# Is given what is told of, and returns what goes through it and says how far it is.
Telling = Callable[[str], Callable[[Iterable[Any]], Iterable[Any]]]


class CopyFault(Exception):
    """What cannot be copied, or is not there as it was; a sentence with its table."""


class Digest:
    """How many rows went by, and what was in them: equal for equal rows."""

    def __init__(self) -> None:
        self.count = 0
        self._hash = hashlib.sha256()

    def over(self, rows: Rows) -> Iterator[tuple[Any, ...]]:
        for row in rows:
            self.count += 1
            self._hash.update(repr(row).encode())
            yield row

    def told(self) -> str:
        return self._hash.hexdigest()


def _in_silence(_: str) -> Callable[[Iterable[Any]], Iterable[Any]]:
    return lambda things: things


@contextmanager
def copied(
    source: Any, target: Any, telling: Telling = _in_silence
) -> Iterator[dict[str, int]]:
    """
    Make an instance of an empty database: every row of another one, as it is there.

    The source is read from one snapshot. Inside, all of it stands in the target,
    compared, with the number of its rows by table; it stays there if all goes well
    inside, and else nothing does. Raise CopyFault where the copy is none.
    """
    with target.remaking_tables(), target.atomic("IMMEDIATE"):
        if target.get_tables():
            raise FileExistsError(EEXIST, "it holds tables already")
        migrated(target)
        with source.snapshot():
            pairs = _pairs(tables(source), tables(target))
            sent = {
                there: _sent(here, there, source, target, telling)
                for here, there in pairs
            }
        target.filled(sent)
        for table, digest in sent.items():
            _compare(table, digest, target, telling)
        yield {table.name: digest.count for table, digest in sent.items()}


def _pairs(here: list[Table], there: list[Table]) -> list[tuple[Table, Table]]:
    """Pair each table with the one that its rows come into, columns in one order."""
    found = {each.name: each for each in there}
    if odd := {each.name for each in here} ^ set(found):
        raise CopyFault(f"The table {min(odd)} is in one of the databases only.")
    if odd := {e.name for e in here if set(e.columns) != set(found[e.name].columns)}:
        raise CopyFault(f"The table {min(odd)} has other columns in the copy.")
    return [
        (each, replace(found[each.name], columns=each.columns, key=each.key))
        for each in here
    ]


def _sent(
    here: Table, there: Table, source: Any, target: Any, telling: Telling
) -> Digest:
    digest, told = Digest(), telling(f"row of {here.name}")
    with _naming(here, source, target):
        target.fill(there, digest.over(told(source.rows_of(here))))
    return digest


def _compare(table: Table, sent: Digest, target: Any, telling: Telling) -> None:
    """Read what has come, in the same order: that of the bytes of its key."""
    found, told = Digest(), telling(f"compared row of {table.name}")
    with _naming(table, target):
        for _ in found.over(told(target.rows_of(table))):
            pass
    if found.count != sent.count:
        raise CopyFault(f"Of the {sent.count} rows of {table.name} {found.count} came.")
    if found.told() != sent.told():
        raise CopyFault(f"The rows of {table.name} are not as they were.")


@contextmanager
def _naming(table: Table, *engines: Any) -> Iterator[None]:
    """Say of which table it is that an engine cannot read or take a row."""
    errors = [error for each in engines for error in each.errors]
    try:
        yield
    except (PeeweeException, UnicodeError, OverflowError, *errors) as error:
        said = str(error).partition("\n")[0].rstrip(".")
        raise CopyFault(f"{table.name} cannot be copied: {said}.") from error
