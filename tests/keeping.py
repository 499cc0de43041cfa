"""Databases for tests: files of SQLite, or of a PostgreSQL started for this run."""

import os
import shutil
import subprocess
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import psycopg
import pytest

from models.database import database

# Where Debian keeps them, the newest last.
PROGRAMS = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
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

    def copy(self, address, to):
        shutil.copy(address, to)


class Databases:
    """
    Each database is one of a server that runs for this process alone.

    To make one takes longer than most tests do, so one is emptied again and again.
    """

    def __init__(self, folder):
        self._host = folder
        self._names = (f"t{number}" for number in count())
        self._server = psycopg.connect(self._address("postgres"), autocommit=True)
        self._lent = None
        self._uses = 0

    def _address(self, name):
        return f"postgresql://postgres@/{name}?host={self._host}"

    def empty(self):
        self._server.execute("CREATE DATABASE empty")
        return self._address("empty")

    def at_rest(self):
        database.close()

    @contextmanager
    def place(self, path, is_made):
        if is_made:
            # Its own address, so that nobody takes it for what it was before.
            yield f"{self._address('lent')}&application_name={next(self._names)}"
            return
        name = next(self._names)
        self._server.execute(f"CREATE DATABASE {name}")
        yield self._address(name)
        self._server.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")

    def copy(self, address, to):
        if (_name(address), _name(to)) == ("empty", "lent"):
            self._lend()
            return
        self._server.execute(f"DROP DATABASE IF EXISTS {_name(to)} WITH (FORCE)")
        self._copy(_name(address), _name(to))
        if _name(to) == "lent":
            self._forget_lent()

    def _copy(self, name, to):
        how = "STRATEGY FILE_COPY"
        self._server.execute(f"CREATE DATABASE {to} TEMPLATE {name} {how}")

    def _lend(self):
        if self._lent is None:
            self._server.execute("DROP DATABASE IF EXISTS lent WITH (FORCE)")
            self._copy("empty", "lent")
            self._lent = psycopg.connect(self._address("lent"), autocommit=True)
            self._emptying = _emptying(self._lent)
            return
        self._uses += 1
        self._lent.execute(self._emptying)
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
        # Neither keys nor triggers are in the way.
        "SET session_replication_role = replica",
        *(f'DELETE FROM "{table}"' for table in sorted(tables)),
        f"INSERT INTO instance (name, value) VALUES {rows}",
        "SELECT " + ",".join(f"setval('{each}', 1, false)" for each in sequences),
    ]
    return ";".join(steps)


def _name(address):
    return address.partition("?")[0].rpartition("/")[2]


@contextmanager
def cluster(folder):
    """Start a PostgreSQL of which nobody else knows; the system's account runs it."""
    if not PROGRAMS:
        pytest.skip("PostgreSQL is not installed here.")
    as_whom = []
    if os.geteuid() == 0:
        shutil.chown(folder, "postgres")
        as_whom = ["runuser", "-u", "postgres", "--"]
    told = " ".join(f"-c {name}='{value}'" for name, value in SWITCHES.items())
    data, bin = folder / "data", PROGRAMS[-1]
    common = {"check": True, "stdout": subprocess.DEVNULL, "cwd": "/"}
    make = [bin / "initdb", "-D", data, "-U", "postgres", "-A", "trust"]
    make += ["-E", "UTF8", "--locale=C.UTF-8", "--no-sync"]
    run = [bin / "pg_ctl", "-D", data, "-w", "-s", "-l", folder / "log"]
    subprocess.run([*as_whom, *make], **common)
    start = [*run, "-o", f"{told} -k {folder}", "start"]
    subprocess.run([*as_whom, *start], **common)
    databases = Databases(folder)
    try:
        yield databases
    finally:
        databases.close()
        subprocess.run([*as_whom, *run, "-m", "immediate", "stop"], **common)
