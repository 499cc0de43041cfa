"""Access to a database past the application, for both engines."""

import re
import sqlite3
from contextlib import closing, contextmanager
from pathlib import Path
from unittest.mock import patch

from models.storage.database import BUSY_SECONDS, database
from models.storage.engines import postgresql
from models.storage.engines.postgresql import WRITE_LOCKS
from models.storage.engines.postgresql_driver import Cursor, connect_to
from models.storage.engines.postgresql_search import tsvector_of
from models.storage.write_locks import WriteLock


class OfFile:
    """Access to a file of SQLite."""

    # The error if nothing is at the address any more.
    lost = "database-gone"
    mistake = "no such table"

    def __init__(self, address):
        self._address = address

    @contextmanager
    def writing_elsewhere(self):
        """
        Hold the write lock in another process, with a short timeout for those who wait.
        """
        database.execute_sql("PRAGMA busy_timeout = 20")
        with closing(sqlite3.connect(self._address)) as other:
            other.execute("BEGIN IMMEDIATE")
            yield
        database.execute_sql(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000}")

    def is_locked(self):
        """Return whether another process would have to wait for the write lock."""
        with closing(sqlite3.connect(self._address, timeout=0)) as other:
            try:
                other.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError as error:
                return "locked" in str(error)
        return False

    def lose(self):
        """Remove what is at the address."""
        database.close()
        # Only deleted: opening it would create it and its folder.
        database.init(str(Path(self._address).parent / "nowhere" / "masthead.db"))

    def unguard(self):
        """
        Remove the protection of audit records, as the owner of the database could.
        """
        query = "SELECT name FROM sqlite_master WHERE type = 'trigger'"
        for (name,) in database.execute_sql(query).fetchall():
            database.execute_sql(f'DROP TRIGGER "{name}"')

    def require_words(self):
        """The index of words matches the texts: FTS5 verifies that itself."""
        check = "INSERT INTO text_index(text_index, rank) VALUES ('integrity-check', 1)"
        database.execute_sql(check)

    @contextmanager
    def statements(self):
        """Yield the list of statements that this thread executes in the block."""
        executed, connection = [], database.connection()
        connection.set_trace_callback(executed.append)
        yield executed
        connection.set_trace_callback(None)

    def rows(self, excluded_table):
        """Return a line for each row of every table but one."""
        lines = database.connection().iterdump()
        return [
            each
            for each in lines
            if not each.startswith(f'INSERT INTO "{excluded_table}"')
        ]

    def checkpoint(self):
        """Write the log into the file, where all content stays."""
        database.execute_sql("PRAGMA wal_checkpoint")

    def stored_bytes(self):
        """
        Return all stored bytes: the file with its free pages, and the files beside it.
        """
        path = Path(self._address)
        return b"".join(each.read_bytes() for each in path.parent.glob(f"{path.name}*"))


class OfServer:
    """Access to a database of PostgreSQL."""

    lost = "database-unreachable"
    mistake = "does not exist"

    def __init__(self, address):
        self._address = address

    @contextmanager
    def writing_elsewhere(self):
        impatient = postgresql.BEGIN_WRITE.replace(f"{BUSY_SECONDS}s", "20ms")
        with connect_to(self._address) as other:
            for lock in WriteLock.ALL:
                other.execute(f"SELECT pg_advisory_lock({WRITE_LOCKS}, {lock.value})")
            with patch.object(postgresql, "BEGIN_WRITE", impatient):
                yield

    def is_locked(self):
        with connect_to(self._address) as other:
            return not all(
                other.execute(
                    f"SELECT pg_try_advisory_xact_lock({WRITE_LOCKS}, {lock.value})"
                ).fetchone()[0]
                for lock in WriteLock.ALL
            )

    def lose(self):
        database.close()
        database.configure(re.sub(r"@/\w+", "@/nowhere", self._address))

    def unguard(self):
        # For this connection only: other tests use the same database.
        database.execute_sql("SET session_replication_role = replica")

    def require_words(self):
        """Each text has exactly its words beside it."""
        query = "SELECT title, body, words::text FROM indexed_text"
        for title, body, words in database.execute_sql(query).fetchall():
            result = tsvector_of(title, body)
            made = database.execute_sql("SELECT ?::tsvector::text", (result,))
            assert made.fetchone() == (words,)

    @contextmanager
    def statements(self):
        executed, execute = [], Cursor.execute

        def execute_and_record(cursor, query, *parameters, **more):
            executed.append(query.decode() if isinstance(query, bytes) else query)
            return execute(cursor, query, *parameters, **more)

        Cursor.execute = execute_and_record
        yield executed
        Cursor.execute = execute

    def checkpoint(self):
        """Rows are where they stay."""

    def stored_bytes(self):
        """Return all rows of all tables, including deleted ones until a vacuum."""
        return b"".join(self._copied("(FORMAT binary)"))

    def rows(self, excluded_table):
        return b"".join(self._copied("", excluded_table)).decode().splitlines()

    def _copied(self, form, excluded_table=""):
        tables = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
        with connect_to(self._address) as other:
            for (table,) in other.execute(f"{tables} ORDER BY tablename").fetchall():
                if table != excluded_table:
                    with other.cursor().copy(
                        f'COPY "{table}" TO STDOUT {form}'
                    ) as copy:
                        yield from map(bytes, copy)
