"""Databases for tests: files of SQLite, or of a PostgreSQL started for this run."""

import os
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from itertools import count
from pathlib import Path
from select import select
from unittest.mock import patch

from models.database import database
from models.engines import postgresql
from models.engines.driver import opened, psycopg
from models.engines.engine import BUSY_SECONDS
from models.engines.postgresql import WRITING

# Where Debian keeps them, the newest last.
PROGRAMS = sorted(
    Path("/usr/lib/postgresql").glob("*/bin"), key=lambda each: int(each.parent.name)
)
# No test cuts the power: nothing waits for the disk.
SWITCHES = {
    "listen_addresses": "",
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "autovacuum": "off",
    "max_connections": "200",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "checkpoint_timeout": "1h",
    "max_wal_size": "4GB",
}
# It lives as long as whoever holds the other end of its input, however that ends.
GUARD = """
bin=$1 folder=$2 options=$3
trap '"$bin/pg_ctl" -D "$folder/data" -m immediate stop >&2; rm -rf "$folder"' EXIT
trap "" INT TERM HUP
"$bin/initdb" -D "$folder/data" -U postgres -A trust -E UTF8 --locale=C.UTF-8 \
    --no-sync >&2 || exit
"$bin/pg_ctl" -D "$folder/data" -w -t 60 -l "$folder/log" -o "$options" start >&2 ||
    { cat "$folder/log" >&2; exit; }
echo started
cat
"""
START_SECONDS = 120
LEAVE_MS = 5000


class Files:
    """Each database is a file."""

    def __init__(self, folder):
        self._folder = folder

    def empty(self):
        """Return where a migrated database is to be made, once for all tests."""
        return str(self._folder / "empty.db")

    def at_rest(self):
        database.execute_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        database.close()

    @contextmanager
    def place(self, path, is_made):
        """Lend a place for a database; tell whether it will be made there at once."""
        yield str(path)

    def at(self, path):
        """Name the database of this path, in which there is nothing yet."""
        return str(path)

    def leave(self, folder):
        """All of the folder's databases are needed no more."""

    def copy(self, address, to):
        """Put a copy of one that nobody has open in the place of another."""
        for ending in ("-wal", "-shm"):
            Path(to + ending).unlink(missing_ok=True)
        shutil.copy(address, to)

    @contextmanager
    def elsewhere(self, address):
        """Connect as another process would; what is executed is kept at once."""
        with closing(sqlite3.connect(address, isolation_level=None)) as connection:
            yield connection

    @contextmanager
    def held(self, address):
        """Write from elsewhere; this thread does not wait for it for long."""
        with self.elsewhere(address) as other:
            other.execute("BEGIN IMMEDIATE")
            database.execute_sql("PRAGMA busy_timeout = 50")
            yield
            other.execute("ROLLBACK")
            database.execute_sql(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000}")


class Databases:
    """
    Each database is one of a server that runs for this process alone.

    To make one takes longer than most tests do, so one is emptied again and again.
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
            # Its own address, so that nobody takes it for what it was before.
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
        if (_name(address), _name(to)) == ("empty", "lent"):
            self._lend()
            return
        self._forget_lent()
        self._copy(_name(address), _name(to))

    @contextmanager
    def elsewhere(self, address):
        with closing(opened(address)) as connection:
            yield connection

    @contextmanager
    def held(self, address):
        with self.elsewhere(address) as other:
            other.execute(f"SELECT pg_advisory_lock({WRITING})")
            hasty = postgresql.BEGIN_WRITING.replace(f"{BUSY_SECONDS}s", "50ms")
            with patch.object(postgresql, "BEGIN_WRITING", hasty):
                yield

    def _new(self, name):
        self._server.execute(f"CREATE DATABASE {name} STRATEGY FILE_COPY")
        return self._address(name)

    def _drop(self, name):
        self._server.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")

    def _copy(self, name, to):
        self._drop(to)
        # The server copies none that anybody is connected to.
        self._server.execute(
            f"SELECT pg_terminate_backend(pid, {LEAVE_MS}) FROM pg_stat_activity"
            f" WHERE datname = '{name}'"
        )
        how = "STRATEGY FILE_COPY"
        self._server.execute(f"CREATE DATABASE {to} TEMPLATE {name} {how}")

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
    """Return what leaves of a database what is in one that was just made."""
    asked = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
    tables = {name for (name,) in connection.execute(asked)} - {"schema_migration"}
    kept = list(connection.execute("SELECT name, value FROM instance"))
    rows = ",".join(f"('{name}', '{value}')" for name, value in kept)
    asked = "SELECT sequencename FROM pg_sequences WHERE schemaname = 'public'"
    sequences = [name for (name,) in connection.execute(asked)]
    steps = [
        # Neither keys nor triggers are in the way, and nobody is waited for.
        "SET session_replication_role = replica; SET lock_timeout = '5s'",
        *(f'DELETE FROM "{table}"' for table in sorted(tables)),
        f"INSERT INTO instance (name, value) VALUES {rows}",
        "SELECT " + ",".join(f"setval('{each}', 1, false)" for each in sequences),
    ]
    return ";".join(steps)


def _name(address):
    return address.partition("?")[0].rpartition("/")[2]


@contextmanager
def cluster(
    folder: Path, switches: Mapping[str, str] = SWITCHES
) -> Iterator[Databases]:
    """Start a PostgreSQL of which nobody else knows; the system's account runs it."""
    options = " ".join(f"-c {name}='{value}'" for name, value in switches.items())
    words = ["sh", "-c", GUARD, "sh", str(PROGRAMS[-1]), str(folder)]
    if os.geteuid() == 0:
        shutil.chown(folder, "postgres")
        words = ["runuser", "-u", "postgres", "--", *words]
    # Whoever is nobody comes to it too.
    folder.chmod(0o755)
    with (folder / "guard").open("w+") as said:
        guard = subprocess.Popen(
            [*words, f"{options} -k {folder}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=said,
            cwd="/",
            # Ctrl-C is for the tests, which are still at their end then.
            start_new_session=True,
        )
        try:
            is_there = select([guard.stdout], [], [], START_SECONDS)[0]
            if not is_there or guard.stdout.readline() != b"started\n":
                said.seek(0)
                raise RuntimeError(f"PostgreSQL does not start: {said.read()}")
            with closing(Databases(folder)) as databases:
                yield databases
        finally:
            guard.stdin.close()
            guard.wait(START_SECONDS)
            guard.stdout.close()
