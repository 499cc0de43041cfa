"""Share a few connections to PostgreSQL among the threads of a process."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from queue import LifoQueue
from typing import Any

from models.storage.engines.postgresql_driver import Connection, psycopg

# Each is used for one statement at a time, so that few are enough.
MAX_EXTRA_CONNECTIONS = 2


class ConnectionPool:
    """
    Connections that are opened when they are needed, and commit every statement.

    What they commit is not synced: it is only needed together with a later commit, or
    may be lost with the last moments before a power failure.
    """

    def __init__(self, connect: Callable[[], Connection]) -> None:
        self._connect = connect
        self._idle: LifoQueue[Connection | None] = LifoQueue()
        for _ in range(MAX_EXTRA_CONNECTIONS):
            self._idle.put(None)

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        """Lend a connection; one that the server has closed is replaced."""
        connection = self._idle.get()
        try:
            if connection is None or connection.closed:
                connection = self._connect()
                connection.execute("SET synchronous_commit = off")
            yield connection
        finally:
            self._idle.put(connection)

    def fetch_one(self, statement: str, values: tuple[Any, ...] = ()) -> Any:
        """Return the row of the statement, or None if it returns none."""
        return self._execute(statement, values).fetchone()

    def execute(self, statement: str) -> None:
        self._execute(statement, ())

    def _execute(self, statement: str, values: tuple[Any, ...]) -> Any:
        """Execute it on a new connection if the server has closed the old one."""
        with self.connection() as connection:
            try:
                return connection.execute(statement, values)
            except psycopg.Error:
                if not connection.broken:
                    raise
        with self.connection() as connection:
            return connection.execute(statement, values)
