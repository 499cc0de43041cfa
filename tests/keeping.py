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
        self._paths = (folder / f"{number}.db" for number in count())

    def new(self, path=None):
        return str(path or next(self._paths))

    def make(self, address):
        """A file is made when it is opened."""

    def at_rest(self, address):
        database.execute_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        database.close()
        return address

    def copy(self, address, to):
        shutil.copy(address, to)

    def forget(self, address):
        """It goes with its folder."""


class Databases:
    """Each database is one of a server that runs for this process alone."""

    def __init__(self, folder):
        self._host = folder
        self._names = (f"t{number}" for number in count())
        self._server = psycopg.connect(self._address("postgres"), autocommit=True)

    def _address(self, name):
        return f"postgresql://postgres@/{name}?host={self._host}"

    def _run(self, statement, address):
        self._server.execute(statement.format(_name(address)))

    def new(self, path=None):
        return self._address(next(self._names))

    def make(self, address):
        self._run("CREATE DATABASE {}", address)

    def at_rest(self, address):
        database.close()
        return address

    def copy(self, address, to):
        template = f"TEMPLATE {_name(address)} STRATEGY FILE_COPY"
        self._run(f"CREATE DATABASE {{}} {template}", to)

    def close(self):
        self._server.close()

    def forget(self, address):
        self._run("DROP DATABASE IF EXISTS {} WITH (FORCE)", address)


def _name(address):
    return address.partition("?")[0].rpartition("/")[2]


@contextmanager
def cluster(folder):
    """Start a PostgreSQL of which nobody else knows; the system's account runs it."""
    if not PROGRAMS:
        pytest.skip("PostgreSQL is not installed here.")
    folder.chmod(0o700)
    for above in folder.parents[:4]:
        above.chmod(above.stat().st_mode | 0o011)
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
