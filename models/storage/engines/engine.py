"""Declare what a database engine of Masthead must provide."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from models.storage.write_locks import WriteLock

if TYPE_CHECKING:
    # Most users of an engine do not need what tables are read with.
    from models.storage.schema import Table

# Any other address is the path of an SQLite file.
POSTGRESQL_SCHEMES = ("postgresql://", "postgres://")
# How long a write waits for the write lock.
BUSY_SECONDS = 5

# The rank of a matching text, lowest first, and its number.
RankedText = tuple[float, int]


class NumberRange(NamedTuple):
    """The numbers of texts from the first to the last, which are both included."""

    first: int
    last: int


# SQLite's highest number of a row; a text of PostgreSQL has a lower one.
ALL_NUMBERS = NumberRange(0, 2**63 - 1)


def is_postgresql(address: str) -> bool:
    """Return whether the address is the URL of a PostgreSQL server."""
    return address.startswith(POSTGRESQL_SCHEMES)


@dataclass(frozen=True)
class SearchTerm:
    """A word or phrase that a text must contain; a prefix need only begin a word."""

    text: str
    is_prefix: bool = False


class Engine(Protocol):
    """
    A Peewee database with the additional operations that Masthead needs.

    What is specific to an engine is in the files that are named after it. An operation
    that only one of them needs does nothing here.
    """

    # sqlite or postgresql.
    kind: str
    # The errors of the driver, which it may raise besides those of Peewee.
    errors: tuple[type[Exception], ...]
    # Fault states after which the connection must be closed, not reused.
    states_to_reconnect: frozenset[str]
    # Tables, and columns as table.column, whose content is derived from others.
    derived: frozenset[str]
    # Whether a write transaction waits for all others, whatever they lock.
    has_one_writer: bool

    def configure(self, address: str) -> None:
        """Set the address that every thread will connect to."""

    def exists(self, address: str) -> bool:
        """Return whether there is an instance, without creating one."""

    def snapshot(self) -> AbstractContextManager[None]:
        """Read everything inside from one snapshot."""

    def fetch_one(self, statement: str, values: Sequence[Any]) -> Any:
        """Return the first row of a statement that needs no snapshot, or None."""

    def limit_query(self, seconds: float) -> AbstractContextManager[None]:
        """Interrupt statements inside a snapshot that take longer than this."""

    def is_interruption(self, error: BaseException) -> bool:
        """Return whether the error means that `limit_query` ended a statement."""

    def require_writable(self) -> None:
        """Raise before a transaction if its writes would be lost."""
        return

    def fault_state(self, error: BaseException) -> str | None:
        """Return the fault state that the error means, None if it is not a fault."""

    def has_transaction(self) -> bool:
        """Return whether this thread is inside a transaction."""

    def truncate_wal(self) -> bool:
        """
        Remove purged content from the log of writes; return whether it succeeded.

        PostgreSQL removes it when it next vacuums the table.
        """
        return True

    def limit_wal(self) -> None:
        """Truncate the log of writes if it has become long; called after commits."""
        return

    def without_foreign_keys(self) -> AbstractContextManager[None]:
        """Disable foreign keys around a transaction that replaces tables."""
        return nullcontext()

    def foreign_key_violations(self) -> list[tuple[str, Any, str]]:
        """Return table, row id and referenced table of rows that refer to nothing."""
        return []

    def integrity_errors(self) -> list[str]:
        """Return the errors that the engine finds in its own storage."""
        return []

    def identity(self) -> str:
        """Return an id that differs from those of other databases and of copies."""

    def data_folders(self) -> dict[str, Path]:
        """Return the folder on this host that contains the database, if any."""
        return {}

    def bytes_used(self) -> dict[str, float]:
        """Return the size of the database and of its log of writes, in bytes."""

    def copy_to(self, path: Path) -> None:
        """
        Write a consistent copy into an SQLite file, during concurrent writes.

        Raise FileExistsError if the path is taken by anything but an earlier copy, and
        CopyError if the copy would be incomplete.
        """

    def create_empty(self, address: str) -> AbstractContextManager[None]:
        """
        Open a new, empty database, to copy an instance into.

        It is kept if the block succeeds. Raise FileExistsError if the address is taken.
        """

    def begin(self, locks: WriteLock | None = None) -> None:
        """Begin a transaction, with these locks until its end if it writes."""

    def lock(self, locks: WriteLock) -> None:  # noqa: ARG002
        """Take further locks for the rest of the write transaction."""
        return

    def read_rows(self, table: "Table") -> Iterator[tuple[Any, ...]]:
        """Yield every row in the order of its key, with few of them in memory."""

    def insert_rows(self, table: "Table", rows: Iterable[tuple[Any, ...]]) -> None:
        """Insert the rows into the table, with what is derived from them."""

    def finish_inserts(self, tables: Iterable["Table"]) -> None:  # noqa: ARG002
        """Advance sequences and update statistics after the rows are inserted."""
        return

    def clock_at(self) -> datetime | None:
        """Return the time of the server of the database; None without one."""
        return None

    def has_own_sessions(self) -> bool:
        """Return whether each connection has a session that no other one has."""
        return True

    def max_connections(self) -> int | None:
        """Return how many connections may be open, None if there is no limit."""
        return None

    def other_connections(self) -> int:
        """Count the other connections of Masthead, 0 if the engine does not know."""
        return 0

    def without_index(self, field: Any) -> Any:
        """
        Return the column as an expression for which no index is used.

        The planner of PostgreSQL knows which values are rare.
        """
        return field

    def index_text(self, id: str, title: str, body: str) -> None:
        """Update the full-text index with a text."""

    def rebuild_text_index(self) -> None:
        """Rebuild the full-text index, so that no purged word remains in it."""

    def match_query(self, terms: Iterable[SearchTerm]) -> str:
        """Return the full-text query that matches all terms."""

    def matching_texts(self, match: str) -> Any:
        """Select the numbers of the texts that match."""

    def newest_ranked(
        self,
        match: str,
        texts: Any,
        where: list[Any],
        limit: int | None,
        numbers: NumberRange = ALL_NUMBERS,
    ) -> list[RankedText]:
        """Return ranks and numbers of the newest texts that match, newest first."""

    def stream(self, statement: str, parameters: Sequence[Any]) -> Iterator[Any]:
        """Yield many rows, inside a snapshot, without loading them all."""

    def hours_as_text(self, number: int, start: int, end: int) -> tuple[str, list[str]]:
        """
        Return the hours of a service between two times as text that is part of JSON.

        First all start times, then for each hour its counts, both with commas.
        """

    def daily_sums(
        self, number: int, start: int, end: int
    ) -> Iterator[tuple[int, ...]]:
        """Yield the hours of a service added up by UTC day: days since 1970, sums."""
