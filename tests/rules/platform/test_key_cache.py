"""Keys that are looked up without a statement while nothing was committed."""

import mmap
import os
import random
import sqlite3
import subprocess
import sys
from contextlib import closing
from hashlib import sha256
from threading import Thread

import pytest

from models.platform import verification
from models.platform.keys import KeyRow
from models.platform.verification import key_by_hash
from models.storage.database import database, reading, writing
from models.storage.engines import sqlite_commits

pytestmark = pytest.mark.sqlite

REVOKE = "UPDATE key SET revoked_at = 1 WHERE hash = ?"
RENAME = "UPDATE key SET name = ? WHERE hash = ?"


@pytest.fixture
def hash(issue):
    return sha256(issue("*").encode()).hexdigest()


@pytest.fixture
def statements(store):
    """The statements that this thread's connection runs from here on."""
    executed = []
    database.connection().set_trace_callback(executed.append)
    return executed


def execute_elsewhere(path, statement, *values):
    """Commit in a process that knows nothing of Masthead."""
    program = (
        "import sqlite3, sys; db = sqlite3.connect(sys.argv[1], isolation_level=None);"
        " db.execute(sys.argv[2], sys.argv[3:]); db.close()"
    )
    command = [sys.executable, "-c", program, path, statement, *values]
    subprocess.run(command, check=True)


def is_revoked(hash):
    return key_by_hash(hash).revoked_at is not None


def test_revoked_elsewhere(hash, settings, statements):
    """
    A key is looked up again without a statement, and the first look-up after another
    program has revoked it says so.
    """
    assert not is_revoked(hash)
    statements.clear()
    assert not is_revoked(hash)
    assert statements == []

    execute_elsewhere(settings.database, REVOKE, hash)

    assert is_revoked(hash)


def test_revoked_while_nobody_has_the_database_open(hash, settings, monkeypatch):
    """SQLite deletes and recreates what says that there was a commit: this is seen."""
    monkeypatch.setattr(sqlite_commits, "CHECK_SECONDS", 3600)
    assert not is_revoked(hash)
    assert database.commit_stamp() is not None
    database.close()

    execute_elsewhere(settings.database, REVOKE, hash)

    assert is_revoked(hash)


def test_replaced_database(hash, settings, tmp_path):
    """A connection to a new file sees nothing that was read from the old one."""
    copy = tmp_path / "copy.db"
    database.copy_to(copy)
    execute_elsewhere(str(copy), REVOKE, hash)
    assert not is_revoked(hash)

    os.replace(copy, settings.database)
    for suffix in ("-wal", "-shm"):
        os.unlink(f"{settings.database}{suffix}")
    seen = []
    thread = Thread(target=lambda: seen.append(is_revoked(hash)))
    thread.start()
    thread.join()

    assert seen == [True]
    # What this thread reads is the old file, with or without cache.
    assert not is_revoked(hash)


def test_within_a_transaction(hash):
    """A transaction sees its own changes, and a snapshot what was committed before."""
    assert not is_revoked(hash)

    with writing():
        KeyRow.update(revoked_at=1).where(KeyRow.hash == hash).execute()
        assert is_revoked(hash)
        KeyRow.update(revoked_at=None).where(KeyRow.hash == hash).execute()
    with reading():
        assert not is_revoked(hash)
        with closing(sqlite3.connect(database.database)) as other, other:
            other.execute(REVOKE, (hash,))
        assert not is_revoked(hash)

    assert is_revoked(hash)


def test_unknown_key(settings, hash):
    """A key is found as soon as it exists."""
    other = "0" * 64
    assert key_by_hash(other) is None

    execute_elsewhere(
        settings.database, "UPDATE key SET hash = ? WHERE hash = ?", other, hash
    )

    assert key_by_hash(other) is not None


def test_bounded(hash, issue, monkeypatch):
    """However many keys are looked up, no more than so many are held."""
    monkeypatch.setattr(verification, "MAX_CACHED", 3)
    hashes = [sha256(issue("*").encode()).hexdigest() for _ in range(7)]

    for each in hashes * 2:
        assert key_by_hash(each) is not None
        assert len(verification._cached.records) <= 3


def test_no_look_up_is_older_than_a_commit(hash, settings):
    """
    While two processes commit, checkpoint and reconnect at random, no thread sees a
    record that is older than the last commit before the look-up.
    """
    seed = random.randrange(10**6)
    print(f"seed {seed}")
    numbers = mmap.mmap(-1, 16)
    writers = [
        commit_in_child(settings.database, hash, numbers, index, seed)
        for index in range(2)
    ]
    failures, threads = [], []
    for _ in range(2):
        thread = Thread(target=look_up, args=(hash, numbers, failures))
        thread.start()
        threads.append(thread)

    for writer in writers:
        assert os.waitpid(writer, 0)[1] == 0
    for thread in threads:
        thread.join()

    assert failures == []


COLUMNS = "name", "issuer"
COMMITS = 300


def commit_in_child(path, hash, numbers, index, seed):
    """Count a column of the key up in another process, and publish each number."""
    if child := os.fork():
        return child
    choose = random.Random(f"{seed} {index}").random
    statement = f"UPDATE key SET {COLUMNS[index]} = ? WHERE hash = ?"
    connection = sqlite3.connect(path, timeout=30, isolation_level=None)
    for number in range(1, COMMITS + 1):
        connection.execute("PRAGMA synchronous = off")
        connection.execute(statement, (str(number), hash))
        numbers[index * 8 : index * 8 + 8] = number.to_bytes(8)
        if choose() < 0.05:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        if choose() < 0.05:
            connection.close()
            connection = sqlite3.connect(path, timeout=30, isolation_level=None)
    os._exit(0)


def published(numbers):
    return [int.from_bytes(numbers[at : at + 8]) for at in (0, 8)]


def look_up(hash, numbers, failures):
    choose = random.random
    while (committed := published(numbers)) != [COMMITS, COMMITS]:
        key = key_by_hash(hash)
        seen = [int(text) if text.isdigit() else 0 for text in (key.name, key.issuer)]
        if seen[0] < committed[0] or seen[1] < committed[1]:
            failures.append((seen, committed))
        if choose() < 0.01:
            database.close()
    database.close()
