"""What tests say of a database, in the words of either engine."""

import re
import sqlite3
from contextlib import closing, contextmanager
from pathlib import Path
from unittest.mock import patch

from models.storage.database import BUSY_SECONDS, database
from models.storage.engines import postgresql_locks
from models.storage.engines.postgresql_driver import Cursor, connect_to
from models.storage.engines.postgresql_locks import WRITE_LOCK
from models.storage.engines.postgresql_search import tsvector_of


class OfFile:
    """Of a file of SQLite."""

    # What is said when there is nothing at the address any more.
    lost = "database-gone"
    mistake = "no such table"

    def __init__(self, address):
        self._address = address

    @contextmanager
    def writing_elsewhere(self):
        """Another process has the write lock; whoever waits for it gives up soon."""
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
        """From now on there is nothing at the address."""
        database.close()
        # Named alone: what is opened is made, and its folder with it.
        database.init(str(Path(self._address).parent / "nowhere" / "masthead.db"))

    def unguard(self):
        """Take away what refuses changes of the audit, as its owner could."""
        request = "SELECT name FROM sqlite_master WHERE type = 'trigger'"
        for (name,) in database.execute_sql(request).fetchall():
            database.execute_sql(f'DROP TRIGGER "{name}"')

    def require_words(self):
        """The index of words is what the texts say: FTS5 compares them itself."""
        check = "INSERT INTO text_index(text_index, rank) VALUES ('integrity-check', 1)"
        database.execute_sql(check)

    @contextmanager
    def statements(self):
        """Lend the list of what this thread asks of the database inside."""
        said, connection = [], database.connection()
        connection.set_trace_callback(said.append)
        yield said
        connection.set_trace_callback(None)

    def rows(self, but):
        """Return a line for each row of every table but one."""
        lines = database.connection().iterdump()
        return [each for each in lines if not each.startswith(f'INSERT INTO "{but}"')]

    def settle(self):
        """Let what was written be where it stays, and in the log as well."""
        database.execute_sql("PRAGMA wal_checkpoint")

    def kept(self):
        """Return all that is kept: the file, free pages too, and what is beside it."""
        path = Path(self._address)
        return b"".join(each.read_bytes() for each in path.parent.glob(f"{path.name}*"))


class OfServer:
    """Of a database of PostgreSQL."""

    lost = "database-unreachable"
    mistake = "does not exist"

    def __init__(self, address):
        self._address = address

    @contextmanager
    def writing_elsewhere(self):
        hasty = {
            name: getattr(postgresql_locks, name).replace(f"{BUSY_SECONDS}s", "20ms")
            for name in ("BEGIN_WRITE", "BEGIN_SHARED")
        }
        with connect_to(self._address) as other:
            other.execute(f"SELECT pg_advisory_lock({WRITE_LOCK})")
            with patch.multiple(postgresql_locks, **hasty):
                yield

    def is_locked(self):
        with connect_to(self._address) as other:
            request = f"SELECT pg_try_advisory_xact_lock({WRITE_LOCK})"
            return not other.execute(request).fetchone()[0]

    def lose(self):
        database.close()
        database.configure(re.sub(r"@/\w+", "@/nowhere", self._address))

    def unguard(self):
        # For this connection alone: other tests are lent the same database.
        database.execute_sql("SET session_replication_role = replica")

    def require_words(self):
        """Each text has its words beside it, and no others."""
        request = "SELECT title, body, words::text FROM indexed_text"
        for title, body, words in database.execute_sql(request).fetchall():
            result = tsvector_of(title, body)
            made = database.execute_sql("SELECT ?::tsvector::text", (result,))
            assert made.fetchone() == (words,)

    @contextmanager
    def statements(self):
        said, execute = [], Cursor.execute

        def told(cursor, query, *given, **more):
            said.append(query.decode() if isinstance(query, bytes) else query)
            return execute(cursor, query, *given, **more)

        Cursor.execute = told
        yield said
        Cursor.execute = execute

    def settle(self):
        """Rows are where they stay."""

    def kept(self):
        """Return all rows of all tables: what was deleted stays until a vacuum."""
        return b"".join(self._copied("(FORMAT binary)"))

    def rows(self, but):
        return b"".join(self._copied("", but)).decode().splitlines()

    def _copied(self, form, but=""):
        request = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
        with connect_to(self._address) as other:
            for (table,) in other.execute(f"{request} ORDER BY tablename").fetchall():
                if table != but:
                    with other.cursor().copy(
                        f'COPY "{table}" TO STDOUT {form}'
                    ) as copy:
                        yield from map(bytes, copy)
