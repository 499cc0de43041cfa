"""PostgreSQL, and what speaks its protocol: a server that many hosts write to."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from peewee import Psycopg3Adapter

from models.storage.engines.engine import BUSY_SECONDS
from models.storage.engines.postgresql_driver import (
    Connection,
    TransactionStatus,
    opened,
    psycopg,
)
from models.storage.engines.postgresql_rows import ServerRows
from models.storage.engines.postgresql_search import Words

log = logging.getLogger("masthead.database")

# One writer at a time, on whatever host: so all that holds between the writes of one
# machine holds here. The lock ends with the transaction, and so with its holder.
WRITING = 0x6D617374
# A writer that stands still between two statements loses it, so that others go on.
STILL_SECONDS = 30
BEGIN_WRITING = (
    f"BEGIN; SET LOCAL lock_timeout = '{BUSY_SECONDS}s';"
    f" SET LOCAL idle_in_transaction_session_timeout = '{STILL_SECONDS}s';"
    f" SELECT pg_advisory_xact_lock({WRITING}); SET LOCAL lock_timeout = 0"
)
# What the server says when it cannot be used, and the state that this is: by the
# class of its SQLSTATE or by all of it.
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

DAY_MS = 24 * 60 * 60 * 1000
_HOURS_AS_TEXT = (
    "SELECT string_agg(starts_at::text, ',' ORDER BY starts_at),"
    " array_agg(concat_ws(',', operational, degraded, down, time_sum, time_count, 0)"
    " ORDER BY starts_at) FROM hour"
    " WHERE service_id = ? AND starts_at >= ? AND starts_at < ?"
)
_DAYS_OF_HOURS = (
    f"SELECT starts_at / {DAY_MS}, SUM(operational)::bigint, SUM(degraded)::bigint,"  # noqa: S608  our own text
    " SUM(down)::bigint, SUM(time_sum)::bigint, SUM(time_count)::bigint, 0 FROM hour"
    " WHERE service_id = ? AND starts_at >= ? AND starts_at < ? GROUP BY 1 ORDER BY 1"
)


class Adapter(Psycopg3Adapter):
    """What Peewee asks of the driver, without which Peewee was loaded."""

    txn_idle = TransactionStatus.IDLE
    txn_inerror = TransactionStatus.INERROR
    txn_unknown = TransactionStatus.UNKNOWN

    def __init__(self) -> None:
        """No query of ours looks into JSON."""

    def check_driver(self) -> None:
        """It is here."""

    def get_binary_type(self) -> type[bytes]:
        return bytes


class ServerDatabase(Words, ServerRows):
    """Connects each thread to the server that the address names."""

    kind = "postgresql"
    errors = (psycopg.Error,)
    outlasting = frozenset(
        {"database-unreachable", "database-read-only", "database-failing"}
    )

    psycopg2_adapter = psycopg3_adapter = Adapter
    param = "?"
    # Texts sort by their bytes, as they do in SQLite; numbers have room for ours.
    field_types = ServerRows.field_types | {
        "AUTO": "BIGSERIAL",
        "FLOAT": "DOUBLE PRECISION",
        "INT": "BIGINT",
        "TEXT": 'TEXT COLLATE "C"',
    }

    def _connect(self) -> Connection:
        return opened(self.database)

    def aside(self) -> Connection:
        """Return a connection of its own, outside of every transaction."""
        return self._connect()

    def exists(self, address: str) -> bool:
        """A server that cannot be reached is for whoever opens it to tell of."""
        try:
            with opened(address) as connection:
                found = connection.execute("SELECT to_regclass('schema_migration')")
                return found.fetchone() != (None,)
        except psycopg.Error:
            return True

    def begin(self, kind: str | None = None) -> None:
        """Begin a transaction; for one that writes wait until no other does."""
        self._execute_anew(BEGIN_WRITING if kind else "BEGIN")

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        if self.is_busy():
            yield
            return
        self._execute_anew("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        try:
            yield
        finally:
            connection = self.connection()
            if not connection.closed:
                connection.rollback()

    def _execute_anew(self, statement: str) -> None:
        """Begin on a new connection where the server has ended the old one."""
        try:
            self.connection().execute(statement)
        except psycopg.Error:
            connection = self.connection()
            if not connection.broken:
                connection.rollback()
                raise
            self.close()
            self.connection().execute(statement)

    def require_ours(self) -> None:
        """A server has but one database of a name."""

    def state_of(self, error: BaseException) -> str | None:
        if not isinstance(error, psycopg.Error):
            return None
        code = error.sqlstate
        if code is None:
            # The connection was lost, or never had.
            lost = (psycopg.OperationalError, psycopg.InterfaceError)
            return "database-unreachable" if isinstance(error, lost) else None
        found = (STATES.get(code[:length]) for length in (5, 3, 2))
        return next(filter(None, found), None)

    def is_busy(self) -> bool:
        if self.in_transaction():
            return True
        status = self.connection().info.transaction_status
        return status in (TransactionStatus.INTRANS, TransactionStatus.INERROR)

    def read_once(self) -> None:
        """What is read is not kept here."""

    def empty_log(self) -> bool:
        """What was deleted goes when the server next vacuums the table."""
        return True

    def remaking_tables(self) -> Any:
        return nullcontext()

    def strays(self) -> list[tuple[str, Any, str]]:
        """The server lets no row refer to nothing."""
        return []

    def damages(self) -> list[str]:
        """A server checks its own files."""
        return []

    def identity(self) -> str:
        asked = "SELECT oid::text FROM pg_database WHERE datname = current_database()"
        return f"{self.execute_sql(asked).fetchone()[0]}"

    def folders(self) -> dict[str, Path]:
        return {}

    def bytes_kept(self) -> dict[str, float]:
        asked = "SELECT pg_database_size(current_database())"
        return {"database": float(self.execute_sql(asked).fetchone()[0])}

    def unindexed(self, field: Any) -> Any:
        """The server knows which values are rare."""
        return field

    def hours_as_text(self, number: int, start: int, end: int) -> tuple[str, list[str]]:
        asked = self.execute_sql(_HOURS_AS_TEXT, (number, start, end))
        times, counts = asked.fetchone()
        return times or "", counts or []

    def days_of_hours(
        self, number: int, start: int, end: int
    ) -> Iterator[tuple[int, ...]]:
        return iter(self.execute_sql(_DAYS_OF_HOURS, (number, start, end)))
