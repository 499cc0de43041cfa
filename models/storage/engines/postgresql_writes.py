"""Let write transactions of PostgreSQL overlap, and number what they change."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property
from threading import local
from typing import Any

from models.storage.engines.engine import Settled
from models.storage.engines.postgresql_locks import (
    ANNOUNCE,
    ANNOUNCEMENTS,
    LAST_NUMBERS,
    LOCK,
    NAME_SPACE,
    NUMBER_SPACE,
    begin_statements,
    lock_number,
)
from models.storage.engines.postgresql_pool import ConnectionPool
from models.storage.write_locks import ALONE, SHARED, WriteLocks

# A database that was copied from another engine may have a higher mark than counter.
_MARK = (
    "WITH next AS (INSERT INTO instance AS counter (name, value)"
    " SELECT 'generation', (COALESCE(MAX(marked), 0) + 1)::text FROM area"
    " ON CONFLICT (name) DO UPDATE SET value ="
    " GREATEST(counter.value::bigint + 1, excluded.value::bigint)::text"
    " RETURNING value::bigint AS generation)"
    " INSERT INTO area (name, marked, built) SELECT ?, generation, 0 FROM next"
    " ON CONFLICT (name) DO UPDATE SET marked = excluded.marked RETURNING marked"
)


class PostgresqlWrites:
    """The write transactions of the engine."""

    connection: Any
    atomic: Any
    in_transaction: Any
    _connect: Any
    _execute_reconnecting: Any

    # The writers of one process do not wait for each other either.
    has_one_writer = False

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        # Of each thread: the locks of its transaction, and what its snapshot may show.
        self._current = local()

    def begin(self, locks: WriteLocks | str | None = None) -> None:
        """Begin a transaction, with its locks if it writes."""
        if locks is None:
            self._execute_reconnecting("BEGIN")
        else:
            known = locks if isinstance(locks, WriteLocks) else ALONE
            self._execute_reconnecting(begin_statements(known))

    @cached_property
    def extra_connections(self) -> ConnectionPool:
        """Connections outside of every transaction, for what must not wait for one."""
        return ConnectionPool(self._connect)

    @contextmanager
    def write_transaction(self, locks: WriteLocks) -> Iterator[None]:
        """Commit everything written inside, or nothing."""
        if self.in_transaction():
            outer = getattr(self._current, "locks", ALONE)
            if outer.shared and not locks.shared:
                raise RuntimeError(
                    "A write that shares cannot begin one that does not."
                )
            with self.atomic():
                yield
            return
        with self.atomic(locks):
            self._current.locks = locks
            self._current.is_announced = bool(locks.ids)
            yield

    def lock_name(self, name: str) -> None:
        """Lock the name until the end, unless this transaction locked it or all."""
        locks = getattr(self._current, "locks", SHARED)
        if locks.shared and name not in locks.names:
            self._lock_pair(NAME_SPACE, lock_number(name))

    def lock_numbers(self, numbers: Iterable[int]) -> None:
        """Lock the services with these numbers, in their order."""
        for number in sorted(numbers):
            self._lock_pair(NUMBER_SPACE, number)

    def _lock_pair(self, space: int, number: int) -> None:
        self.connection().execute(LOCK.format(space, number))

    def announce(self) -> None:
        """Announce that this transaction will get higher numbers than the last."""
        if not self._current.is_announced:
            self.connection().execute(ANNOUNCE)
            self._current.is_announced = True

    def advance(self, statement: str, values: tuple[Any, ...]) -> int:
        """
        Execute the statement that advances a counter, and return its new value.

        It is committed at once, so that no other write waits for this transaction.
        """
        return int(self.extra_connections.fetch_one(statement, values)[0])

    def mark_area(self, area: str) -> int:
        """
        Give the area the next generation of the site, and return it.

        Other writes wait for the row of the counter until this transaction ends.
        """
        row = self.connection().execute(_MARK, (area,)).fetchone()
        return int(row[0])

    def begin_poll(self) -> None:
        """
        Begin a new snapshot, and determine what of it is settled.

        The announcements are read before the snapshot, and the last numbers before the
        announcements: a write that had not announced itself gets higher ones.
        """
        connection = self.connection()
        connection.rollback()
        instant, activity = connection.execute(LAST_NUMBERS).fetchone()
        announced = connection.execute(ANNOUNCEMENTS).fetchone()
        self._execute_reconnecting("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        latest, _ = connection.execute(LAST_NUMBERS).fetchone()
        lowest = [value for value in (announced[0], instant) if value is not None]
        lowest_activity = [v for v in (announced[1], activity) if v is not None]
        self._current.settled = Settled(min(lowest), latest, min(lowest_activity))

    def settled(self) -> Settled | None:
        """Return what the snapshot of a poll may show; None outside of a poll."""
        settled: Settled | None = getattr(self._current, "settled", None)
        return settled
