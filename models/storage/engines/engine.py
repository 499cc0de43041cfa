"""What every engine can do, each in its own way."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from os.path import abspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    # Most of what asks for an engine runs without what tables are read with.
    from models.storage.schema import Table

# How the address of a server begins; anything else is the path of a file.
SERVER = ("postgresql://", "postgres://")
# So long a write waits for the one before it.
BUSY_SECONDS = 5

# How well a text matches, the best with the lowest; and the text's number.
Ranked = tuple[float, int]


def is_served(address: str) -> bool:
    """Tell whether the address is that of a database server."""
    return address.startswith(SERVER)


def from_anywhere(address: str) -> str:
    """Return the address as it holds for a process in whatever folder."""
    return address if is_served(address) else abspath(address)


@dataclass(frozen=True)
class Sought:
    """A word or a phrase that must be there; a prefix need only begin a word."""

    text: str
    is_prefix: bool = False


class Engine(Protocol):
    """
    A database of Peewee's, and what else Masthead asks of it.

    One file beside this one has all that is special about each engine.
    """

    # Its name.
    kind: str
    # What it raises beside the errors of Peewee.
    errors: tuple[type[Exception], ...]
    # States that outlast their fault on the connection that has met them.
    outlasting: frozenset[str]
    # Tables, and columns by table.column, that it makes of others by itself.
    derived: frozenset[str]

    def aim(self, address: str) -> None:
        """Name what every thread will connect to."""

    def exists(self, address: str) -> bool:
        """Tell whether there is an instance, without making one."""

    def snapshot(self) -> AbstractContextManager[None]:
        """Read everything inside from one snapshot."""

    def require_ours(self) -> None:
        """Refuse to write where it would be lost, before a transaction."""

    def state_of(self, error: BaseException) -> str | None:
        """Name what the storage suffers from; None where it is not the reason."""

    def is_busy(self) -> bool:
        """Tell whether this thread is inside a transaction."""

    def read_once(self) -> None:
        """Take little memory: this thread reads everything, each thing once."""

    def empty_log(self) -> bool:
        """Leave no trace of what was purged; tell whether that was possible now."""

    def remaking_tables(self) -> AbstractContextManager[None]:
        """Let tables be made anew, around a transaction."""

    def strays(self) -> list[tuple[str, Any, str]]:
        """Return rows that refer to nothing: table, row and what they name."""

    def damages(self) -> list[str]:
        """Return what is broken in the storage itself."""

    def identity(self) -> str:
        """Tell this database apart from all others, its own copies too."""

    def folders(self) -> dict[str, Path]:
        """Return the folder of this host in which the database is, if it is in one."""

    def bytes_kept(self) -> dict[str, float]:
        """Return the size of the database and of its log of writes, in bytes."""

    def copy_to(self, path: Path) -> None:
        """
        Write a consistent copy into a file of SQLite, while writing goes on.

        Raise FileExistsError where something stands that is no earlier copy, and
        CopyFault where the copy would not be one.
        """

    def receiving(self, address: str) -> AbstractContextManager[None]:
        """
        Be open on a place where nothing is yet, for an instance to come into.

        It comes there if all goes well inside. Raise FileExistsError where something
        stands already.
        """

    def get_tables(self) -> list[str]:
        """Return the names of all tables."""

    def atomic(self, kind: str) -> AbstractContextManager[Any]:
        """Keep everything written inside, or nothing."""

    def rows_of(self, table: "Table") -> Iterator[tuple[Any, ...]]:
        """Yield every row in the order of its key, few of them in memory at a time."""

    def fill(self, table: "Table", rows: Iterable[tuple[Any, ...]]) -> None:
        """Put the rows into the table, and what is derived of them."""

    def filled(self, tables: Iterable["Table"]) -> None:
        """Go on after the rows that have come."""

    def others(self) -> int:
        """Count the other connections of ours, where the engine knows them."""

    def unindexed(self, field: Any) -> Any:
        """Return a column by which rows are not to be looked up."""

    def index_words(self, id: str, title: str, body: str) -> None:
        """Bring the index of words up to date with a text."""

    def rebuild_words(self) -> None:
        """Make the index of words anew, so that no forgotten word stays in it."""

    def match_of(self, sought: Iterable[Sought]) -> str:
        """Return the query of the index of words: all that is sought."""

    def matches(self, match: str) -> Any:
        """Select the numbers of the texts that match."""

    def newest_ranked(
        self, match: str, texts: Any, where: list[Any], most: int
    ) -> list[Ranked]:
        """Return the newest texts that match, which is not yet an order."""

    def streamed(self, statement: str, given: Sequence[Any]) -> Iterator[Any]:
        """Yield many rows, inside a snapshot, without holding them all."""

    def hours_as_text(self, number: int, start: int, end: int) -> tuple[str, list[str]]:
        """Return the hours of a service: all times, and the counts of each."""

    def days_of_hours(
        self, number: int, start: int, end: int
    ) -> Iterator[tuple[int, ...]]:
        """Yield the hours of a service added up by UTC day: its number, the sums."""
