"""Databases for tests: files of SQLite, or of a PostgreSQL started for this run."""

import shutil
import sqlite3
import subprocess
from contextlib import closing, contextmanager
from itertools import count
from pathlib import Path

from models.storage.database import database
from models.storage.engines.postgresql_driver import connect_to, psycopg
from tests.databases.cluster import PROGRAMS, SWITCHES, as_account, cluster

# So long a server waits for those it sends away.
LEAVE_MS = 5000


class Files:
    """Each database is a file."""

    def __init__(self, folder):
        self._folder = folder

    def empty(self):
        """
        Return the address at which the migrated database is created, once for all
        tests.
        """
        return str(self._folder / "empty.db")

    def at_rest(self):
        database.execute_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        database.close()

    @contextmanager
    def place(self, path, is_made):
        """
        Yield a place for a database; return whether it will be created there at once.
        """
        yield str(path)

    def at(self, path):
        """Return the address of this path, at which there is no database yet."""
        return str(path)

    def leave(self, folder):
        """The databases of the folder are no longer needed."""

    def copy(self, address, to):
        """Copy a database that no process has open over another one."""
        for ending in ("-wal", "-shm"):
            Path(to + ending).unlink(missing_ok=True)
        shutil.copy(address, to)

    @contextmanager
    def elsewhere(self, address):
        """Connect as another process; each statement is committed at once."""
        with closing(sqlite3.connect(address, isolation_level=None)) as connection:
            yield connection

    @contextmanager
    def tampering(self, address):
        """
        Connect past the protection of the rows, as someone with access to the file can.
        """
        with self.elsewhere(address) as other:
            triggers = "SELECT name FROM sqlite_master WHERE type = 'trigger'"
            for (name,) in other.execute(triggers).fetchall():
                other.execute(f"DROP TRIGGER {name}")
            yield other

    def content(self, address):
        """Return all stored content, for comparison."""
        return Path(address).read_bytes()


class Databases:
    """
    Each database belongs to a server that runs only for this process.

    Creating one takes longer than most tests, so one is emptied and reused.
    """

    def __init__(self, folder):
        self._host = folder
        self._names = (f"t{number}" for number in count())
        self._server = psycopg.connect(self._address("postgres"), autocommit=True)
        self._at = {}
        self._lent = None
        self._uses = 0

    def _address(self, name):
        return f"postgresql://postgres@/{name}?host={self._host}"

    def empty(self):
        return self._new("empty")

    def at_rest(self):
        database.close()

    @contextmanager
    def place(self, path, is_made):
        if is_made:
            # Its own address, so that it is not mistaken for its predecessor.
            yield f"{self._address('lent')}&application_name={next(self._names)}"
            return
        yield self.at(path)
        self._drop(_name(self._at.pop(path)))

    def at(self, path):
        self._at[path] = self._at.get(path) or self._new(next(self._names))
        return self._at[path]

    def leave(self, folder):
        for path in [each for each in self._at if each.is_relative_to(folder)]:
            self._drop(_name(self._at.pop(path)))

    def copy(self, address, to):
        if _name(to) != "lent":
            self._copy(_name(address), _name(to))
            return
        self._lend()
        if _name(address) != "empty":
            with closing(psycopg.connect(address)) as source:
                _fill(self._lent, source)

    @contextmanager
    def elsewhere(self, address):
        with closing(connect_to(address)) as connection:
            yield connection

    @contextmanager
    def tampering(self, address):
        with self.elsewhere(address) as other:
            other.execute("SET session_replication_role = replica")
            yield other

    def content(self, address):
        with self.elsewhere(address) as other:
            query = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
            tables = [name for (name,) in other.execute(query)]
            return {
                name: sorted(map(str, other.execute(f'SELECT * FROM "{name}"')))
                for name in tables
            }

    @contextmanager
    def stopped(self):
        """Stop the server in the block, as if its host were down."""
        self.close()
        self._control("-m", "immediate", "stop")
        try:
            yield
        finally:
            self._control("-l", self._host / "log", "start")
            self._server = psycopg.connect(self._address("postgres"), autocommit=True)

    def _control(self, *words):
        command = (PROGRAMS[-1] / "pg_ctl", "-D", self._host / "data", "-w", "-s")
        subprocess.run(as_account(*command, *words), check=True, cwd="/")

    def _new(self, name):
        self._server.execute(f"CREATE DATABASE {name} STRATEGY FILE_COPY")
        return self._address(name)

    def _drop(self, name):
        self._server.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")

    def _copy(self, name, to):
        self._drop(to)
        # The server copies no database with open connections.
        self._end_connections(name)
        how = "STRATEGY FILE_COPY"
        self._server.execute(f"CREATE DATABASE {to} TEMPLATE {name} {how}")

    def _end_connections(self, name):
        self._server.execute(
            f"SELECT pg_terminate_backend(pid, {LEAVE_MS}) FROM pg_stat_activity"
            f" WHERE datname = '{name}'"
        )

    @contextmanager
    def away(self, address):
        """Reject and close all connections to the database in the block."""
        name = _name(address)
        self._server.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
        self._end_connections(name)
        yield
        self._server.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")

    def _lend(self):
        if self._lent is not None:
            try:
                self._lent.execute(self._emptying)
            except psycopg.Error:
                # A test broke its tables, or died with a lock on them.
                self._forget_lent()
        if self._lent is None:
            self._copy("empty", "lent")
            self._lent = psycopg.connect(self._address("lent"), autocommit=True)
            self._emptying = _emptying(self._lent)
        self._uses += 1
        if self._uses % 100 == 0:
            self._lent.execute("VACUUM")

    def _forget_lent(self):
        if self._lent is not None:
            self._lent.close()
            self._lent = None

    def close(self):
        self._forget_lent()
        self._server.close()


def _emptying(connection):
    """Return the statements that reset a database to a new one."""
    query = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
    tables = {name for (name,) in connection.execute(query)} - {"schema_migration"}
    settings = list(connection.execute("SELECT name, value FROM instance"))
    rows = ",".join(f"('{name}', '{value}')" for name, value in settings)
    query = "SELECT sequencename FROM pg_sequences WHERE schemaname = 'public'"
    sequences = [name for (name,) in connection.execute(query)]
    steps = [
        # Keys and triggers are disabled, and no lock is waited for.
        "SET session_replication_role = replica; SET lock_timeout = '5s'",
        *(f'DELETE FROM "{table}"' for table in sorted(tables)),
        f"INSERT INTO instance (name, value) VALUES {rows}",
        "SELECT " + ",".join(f"setval('{each}', 1, false)" for each in sequences),
    ]
    return ";".join(steps)


def _fill(connection, source):
    """Copy the rows of another database into one that was just emptied."""
    query = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
    tables = {name for (name,) in source.execute(query)} - {"schema_migration"}
    # Keys are disabled, so the order of tables does not matter.
    connection.execute("SET session_replication_role = replica")
    connection.execute("DELETE FROM instance")
    for table in tables:
        if source.execute(f'SELECT 1 FROM "{table}" LIMIT 1').fetchone():
            with (
                source.cursor().copy(f'COPY "{table}" TO STDOUT') as rows,
                connection.cursor().copy(f'COPY "{table}" FROM STDIN') as copy,
            ):
                for each in rows:
                    copy.write(each)
    query = (
        "SELECT sequencename, last_value FROM pg_sequences"
        " WHERE schemaname = 'public' AND last_value IS NOT NULL"
    )
    for name, value in source.execute(query):
        connection.execute(f"SELECT setval('{name}', {value})")


def _name(address):
    return address.partition("?")[0].rpartition("/")[2]


@contextmanager
def databases(folder, switches=SWITCHES):
    """Yield the databases of a PostgreSQL that runs in this folder in the block."""
    with cluster(folder, switches), closing(Databases(folder)) as cluster_databases:
        yield cluster_databases
