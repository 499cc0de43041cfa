"""Use PostgreSQL as the database: a server that several hosts can write to."""

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from peewee import Psycopg3Adapter

from models.storage.engines.engine import BUSY_SECONDS, Engine
from models.storage.engines.postgresql_bulk import PostgresqlBulkRows
from models.storage.engines.postgresql_driver import (
    Connection,
    TransactionStatus,
    connect_to,
    psycopg,
)
from models.storage.engines.postgresql_search import PostgresqlTextIndex
from models.storage.write_locks import WriteLock

log = logging.getLogger("masthead.database")

# The fault states of SQLSTATE codes, by the whole code or by its class. All other
# errors are bugs of Masthead.
STATES = {
    "08": "database-unreachable",
    "3D": "database-unreachable",
    "28": "database-unreachable",
    "57P": "database-unreachable",
    "53300": "database-unreachable",
    "55P03": "database-locked",
    "40": "database-locked",
    "53100": "database-full",
    "25006": "database-read-only",
    "58": "database-failing",
    "53": "database-failing",
    "XX": "database-damaged",
}

# A writer that is idle for so long within its transaction is disconnected, so that
# others can write.
IDLE_SECONDS = 30
BEGIN_WRITE = (
    f"BEGIN; SET LOCAL lock_timeout = '{BUSY_SECONDS}s';"
    f" SET LOCAL idle_in_transaction_session_timeout = '{IDLE_SECONDS}s'"
)
# The first number of the advisory locks; the second is that of the WriteLock.
WRITE_LOCKS = 0x6D617374

DAY_MS = 24 * 60 * 60 * 1000
_HOURS_AS_TEXT = (
    "SELECT string_agg(starts_at::text, ',' ORDER BY starts_at),"
    " array_agg(concat_ws(',', operational, degraded, down, time_sum, time_count, 0)"
    " ORDER BY starts_at) FROM hour"
    " WHERE service_id = ? AND starts_at >= ? AND starts_at < ?"
)
_DAILY_SUMS = (
    f"SELECT starts_at / {DAY_MS}, SUM(operational)::bigint, SUM(degraded)::bigint,"  # noqa: S608  no user input
    " SUM(down)::bigint, SUM(time_sum)::bigint, SUM(time_count)::bigint, 0 FROM hour"
    " WHERE service_id = ? AND starts_at >= ? AND starts_at < ? GROUP BY 1 ORDER BY 1"
)

_PROCESS = "SELECT pg_backend_pid()"
# How often two connections are asked for their processes.
SESSION_CHECKS = 10

# Of the server, and of this user if it has a limit of its own.
_MAX_CONNECTIONS = (
    "SELECT LEAST(current_setting('max_connections')::int"
    " - current_setting('superuser_reserved_connections')::int,"
    " NULLIF(rolconnlimit, -1)) FROM pg_roles WHERE rolname = current_user"
)


class Adapter(Psycopg3Adapter):
    """The adapter of the driver, which was not loaded when Peewee was."""

    txn_idle = TransactionStatus.IDLE
    txn_inerror = TransactionStatus.INERROR
    txn_unknown = TransactionStatus.UNKNOWN

    def __init__(self) -> None:
        """Skip the JSON support, which no query needs."""

    def check_driver(self) -> None:
        """The driver is installed."""

    def get_binary_type(self) -> type[bytes]:
        return bytes


class PostgresqlEngine(PostgresqlTextIndex, PostgresqlBulkRows, Engine):
    """A PostgreSQL database, with one connection for each thread."""

    kind = "postgresql"
    errors = (psycopg.Error,)
    states_to_reconnect = frozenset(
        {"database-unreachable", "database-read-only", "database-failing"}
    )

    psycopg2_adapter = psycopg3_adapter = Adapter
    param = "?"
    # Texts sort by their bytes, as in SQLite, and integers have 64 bits.
    field_types = PostgresqlBulkRows.field_types | {
        "AUTO": "BIGSERIAL",
        "FLOAT": "DOUBLE PRECISION",
        "INT": "BIGINT",
        "TEXT": 'TEXT COLLATE "C"',
    }

    # The writers of one process do not wait for each other, unless they lock the same.
    has_one_writer = False

    def begin(self, locks: WriteLock | None = None) -> None:  # type: ignore[override]
        """Begin a transaction, with its locks in the same round trip if it writes."""
        if locks is None:
            self._execute_reconnecting("BEGIN")
            return
        statements = f"{BEGIN_WRITE}; {_lock_statements(locks)}"
        if locks == WriteLock.ALL:
            # Migrations wait for those who read their tables.
            statements += "; SET LOCAL lock_timeout = 0"
        self._execute_reconnecting(statements.encode())

    def lock(self, locks: WriteLock) -> None:
        self.connection().execute(_lock_statements(locks).encode())

    def _connect(self) -> Connection:
        return connect_to(self.database)

    def exists(self, address: str) -> bool:
        """Return whether there is an instance, also if the server is unreachable."""
        try:
            with connect_to(address) as connection:
                table = connection.execute("SELECT to_regclass('schema_migration')")
                return table.fetchone() != (None,)
        except psycopg.Error:
            return True

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        if self.has_transaction():
            yield
            return
        self._execute_reconnecting("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        try:
            yield
        finally:
            connection = self.connection()
            if not connection.closed:
                connection.rollback()

    def fetch_one(self, statement: str, values: Sequence[Any]) -> Any:
        if self.has_transaction():
            return self.connection().execute(statement, values).fetchone()
        return self._execute_reconnecting(statement, values).fetchone()

    @contextmanager
    def limit_query(self, seconds: float) -> Iterator[None]:
        """Have the server cancel statements that take longer than this."""
        milliseconds = max(1, round(seconds * 1000))
        self.connection().execute(f"SET LOCAL statement_timeout = {milliseconds}")
        yield

    def is_interruption(self, error: BaseException) -> bool:
        return isinstance(error, psycopg.errors.QueryCanceled)

    def _execute_reconnecting(
        self, statement: str | bytes, values: Sequence[Any] = ()
    ) -> Any:
        """Execute on a new connection if the server has closed the old one."""
        try:
            return self.connection().execute(statement, values)
        except psycopg.Error:
            connection = self.connection()
            if not connection.broken:
                connection.rollback()
                raise
            self.close()
            return self.connection().execute(statement, values)

    def fault_state(self, error: BaseException) -> str | None:
        if not isinstance(error, psycopg.Error):
            return None
        code = error.sqlstate
        if code is None:
            # The connection was lost, or could not be established.
            lost = (psycopg.OperationalError, psycopg.InterfaceError)
            return "database-unreachable" if isinstance(error, lost) else None
        states = (STATES.get(code[:length]) for length in (5, 3, 2))
        return next(filter(None, states), None)

    def has_transaction(self) -> bool:
        if self.in_transaction():
            return True
        status = self.connection().info.transaction_status
        return status in (TransactionStatus.INTRANS, TransactionStatus.INERROR)

    def clock_at(self) -> datetime | None:
        at: datetime = self.fetch_one("SELECT clock_timestamp()", ())[0]
        return at

    def has_own_sessions(self) -> bool:
        """
        Ask two connections in turn for the processes of the server that they are in.

        A pooler that lends a process for each transaction lends one to both, or several
        to each. Locks, notifications and prepared statements are lost with it.
        """
        one_has, other_has = set(), set()
        with connect_to(self.database) as one, connect_to(self.database) as other:
            for _ in range(SESSION_CHECKS):
                one_has.add(one.execute(_PROCESS, prepare=False).fetchone())
                other_has.add(other.execute(_PROCESS, prepare=False).fetchone())
        return len(one_has) == len(other_has) == 1 and one_has != other_has

    def max_connections(self) -> int | None:
        (limit,) = self.execute_sql(_MAX_CONNECTIONS).fetchone()
        return int(limit)

    def identity(self) -> str:
        query = "SELECT oid::text FROM pg_database WHERE datname = current_database()"
        return str(self.execute_sql(query).fetchone()[0])

    def bytes_used(self) -> dict[str, float]:
        query = "SELECT pg_database_size(current_database())"
        return {"database": float(self.execute_sql(query).fetchone()[0])}

    def hours_as_text(self, number: int, start: int, end: int) -> tuple[str, list[str]]:
        result = self.execute_sql(_HOURS_AS_TEXT, (number, start, end))
        times, counts = result.fetchone()
        return times or "", counts or []

    def daily_sums(
        self, number: int, start: int, end: int
    ) -> Iterator[tuple[int, ...]]:
        return iter(self.execute_sql(_DAILY_SUMS, (number, start, end)))


def _lock_statements(locks: WriteLock) -> str:
    """Return the statements that take each lock until the end of the transaction."""
    return "; ".join(
        f"SELECT pg_advisory_xact_lock({WRITE_LOCKS}, {lock.value})" for lock in locks
    )
