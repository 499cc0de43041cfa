"""Let write transactions of PostgreSQL overlap, and number what they change."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property
from threading import local
from typing import Any

from models.storage.engines.engine import Settled
from models.storage.engines.postgresql_locks import (
    ANNOUNCEMENTS,
    BEGIN_SHARED,
    BEGIN_WRITE,
    LOCK,
    LOCK_OWNERS,
    LOCK_PROJECTS,
    NAME_SPACE,
    NUMBER_SPACE,
    REQUEST_SPACE,
    announce,
    last_numbers,
    lock_number,
)
from models.storage.engines.postgresql_pool import ConnectionPool
from models.storage.write_locks import ALONE, WriteLocks

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
        """Begin a transaction; one that writes waits for those that write alone."""
        if locks is None:
            self._execute_reconnecting("BEGIN")
            return
        is_shared = isinstance(locks, WriteLocks) and locks.shared
        self._execute_reconnecting(BEGIN_SHARED if is_shared else BEGIN_WRITE)

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
            if locks.shared:
                self._acquire(locks)
            yield

    def lock_name(self, name: str) -> None:
        """Wait for the other transactions that locked the name, until the end."""
        self._lock_pair(NAME_SPACE, lock_number(name))

    def lock_numbers(self, numbers: Iterable[int]) -> None:
        """Lock the services with these numbers, in their order."""
        for number in sorted(numbers):
            self._lock_pair(NUMBER_SPACE, number)

    def _acquire(self, locks: WriteLocks) -> None:
        if locks.request is not None:
            self._lock_pair(REQUEST_SPACE, lock_number(locks.request))
        if locks.ids:
            is_project = locks.table == "project"
            statement = LOCK_PROJECTS if is_project else LOCK_OWNERS.format(locks.table)
            self.connection().execute(statement, (list(locks.ids),))
        for name in locks.names:
            self.lock_name(name)

    def _lock_pair(self, space: int, number: int) -> None:
        self.connection().execute(LOCK.format(space, number))

    def advance(self, name: str, statement: str, values: tuple[Any, ...]) -> int:
        """
        Execute the statement that advances a counter, and return its new value.

        It is committed at once, so that no other write waits for this transaction,
        which announces before that it will get a higher value than the last.
        """
        self.connection().execute(announce(name))
        return int(self.extra_connections.fetch_one(statement, values)[0])

    def mark_area(self, area: str) -> int:
        """
        Give the area the next generation of the site, and return it.

        Other writes wait for the row of the counter until this transaction ends.
        """
        row = self.connection().execute(_MARK, (area,)).fetchone()
        return int(row[0])

    def begin_poll(self, name: str) -> None:
        """
        Begin a new snapshot, and determine what of it is settled.

        The announcements are read before the snapshot, and the last numbers before the
        announcements: a write that had not announced itself gets higher ones.
        """
        connection = self.connection()
        connection.rollback()
        instant, activity = connection.execute(last_numbers(name)).fetchone()
        announced = connection.execute(ANNOUNCEMENTS).fetchone()
        self._execute_reconnecting("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        latest, _ = connection.execute(last_numbers(name)).fetchone()
        lowest = [value for value in (announced[0], instant) if value is not None]
        lowest_activity = [v for v in (announced[1], activity) if v is not None]
        self._current.settled = Settled(min(lowest), latest, min(lowest_activity))

    def settled(self) -> Settled | None:
        """Return what the snapshot of a poll may show; None outside of a poll."""
        settled: Settled | None = getattr(self._current, "settled", None)
        return settled
