"""A move that is impossible, or interrupted, leaves nothing behind."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from models.runtime.server_locks import ServerLocks
from models.status.services.rows import ServiceRow
from models.storage.database import database, without_password
from models.storage.engines.postgresql_bulk import PostgresqlBulkRows
from models.storage.engines.postgresql_driver import psycopg
from models.storage.engines.sqlite_bulk import SqliteBulkRows
from tests.commands.test_every_command import one_sentence
from tests.databases.databases import _name


def tables_of(address):
    with psycopg.connect(address) as read:
        query = "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"
        return read.execute(query).fetchone()[0]


def is_nothing(to):
    """Return whether there is neither an instance nor a part of one."""
    if str(to).startswith("postgresql"):
        return tables_of(to) == 0
    return not list(Path(to).parent.glob(f"{Path(to).name}*"))


def test_there_already(file, to, command):
    """A target with an instance is rejected, and unchanged."""
    assert command("move", to)[0] == 0

    code, _, err = command("move", to)

    one_sentence(code, err)
    assert "already" in err
    assert ServiceRow.select().count() == 20


def test_itself(file, served, command, monkeypatch):
    """The source cannot be the target, in any spelling."""
    (file.parent / "link.db").symlink_to(file)
    for name in (file, file.parent / "link.db"):
        one_sentence(*command("move", name)[::2])
    assert command("move", served)[0] == 0
    monkeypatch.setenv("MASTHEAD_DATABASE", served)

    one_sentence(*command("move", f"{served}&connect_timeout=3")[::2])

    assert command("check")[0] == 0


@pytest.mark.parametrize("name", ["moved.db", "moved.db-wal"])
def test_what_stands_there(name, file, tmp_path, command):
    """A file that is no database, or a leftover log, is not touched."""
    (tmp_path / name).write_text("Somebody's.")

    code, _, err = command("move", tmp_path / "moved.db")

    one_sentence(code, err)
    assert (tmp_path / name).read_text() == "Somebody's."
    assert len(list(tmp_path.glob("moved.db*"))) == 1


@pytest.mark.parametrize(
    ("to", "expected"),
    [
        ("folder", "it is a folder"),
        ("", "it is a folder"),
        ("plain/moved.db", "plain/moved.db cannot be used"),
    ],
)
def test_no_place(to, expected, file, tmp_path, command):
    """A target that is no path for a file is named."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "plain").touch()

    code, _, err = command("move", to)

    one_sentence(code, err)
    assert expected in err


def test_empty_file(file, tmp_path, command):
    """An empty file is a valid target, also behind a link; the result is private."""
    (tmp_path / "moved.db").touch()
    (tmp_path / "link.db").symlink_to("moved.db")

    assert command("move", tmp_path / "link.db")[0] == 0

    assert (tmp_path / "link.db").is_symlink()
    assert (tmp_path / "moved.db").stat().st_mode & 0o777 == 0o600


def test_strange_tables(file, served, command):
    """A database that is used for something else is not touched."""
    with psycopg.connect(served) as write:
        write.execute("CREATE TABLE project (theirs text)")

    one_sentence(*command("move", served)[::2])

    assert tables_of(served) == 1


@pytest.mark.parametrize(
    ("there", "expected"),
    [
        ("postgresql://ada:hushhush@127.0.0.1:1/x", "cannot be used"),
        ("postgresql://ada:hush%zzhush@127.0.0.1/x", "the address is not a valid URL"),
        ("postgresql://ada:hushhush@x:many/x", "cannot be used"),
        ("postgresql://ada:hush/hush@127.0.0.1/x", "cannot be used"),
        ("postgresql://ada:hush@hush@127.0.0.1/x", "cannot be used"),
        ("postgresql://127.0.0.1:1/x?user=ada&password=hushhush", "cannot be used"),
    ],
)
def test_no_server(there, expected, file, command):
    """An unreachable server is named without its password."""
    code, _, err = command("move", there)

    one_sentence(code, err)
    assert expected in err
    assert "hush" not in err
    assert "hush" not in without_password(there)


@pytest.fixture
def guarded(served):
    """A server that requires a password for one account."""
    with psycopg.connect(served, autocommit=True) as owner:
        (path,) = owner.execute("SHOW hba_file").fetchone()
        before = Path(path).read_text()
        Path(path).write_text(f"local all guarded scram-sha-256\n{before}")
        owner.execute("CREATE ROLE guarded LOGIN PASSWORD 'right'")
        owner.execute("SELECT pg_reload_conf()")
        yield served.replace("postgres@", "guarded:hush@")
        Path(path).write_text(before)
        owner.execute("SELECT pg_reload_conf()")
        owner.execute("DROP OWNED BY guarded; DROP ROLE guarded")


def test_wrong_password(guarded, file, command):
    """
    A wrong password, or a missing right to create tables, is reported without the
    password.
    """
    code, _, err = command("move", guarded)
    one_sentence(code, err)
    assert "password authentication failed" in err
    assert "hush" not in err

    code, _, err = command("move", guarded.replace("hush", "right"))
    one_sentence(code, err)
    assert "permission denied" in err


def test_missing_database(served, file, command):
    """An account that may create the database does so; an invalid name is reported."""
    code, _, err = command("move", served.replace(_name(served), "nowhere"))

    one_sentence(code, err)
    assert '"nowhere" does not exist' in err


def test_running_server(file, to, tmp_path, command):
    """
    There is no move from a file that a server writes to: the copy would miss rows.
    """
    with ServerLocks(str(file), str(tmp_path)):
        database.close()
        code, _, err = command("move", to)

    one_sentence(code, err)
    assert "A server is running" in err
    assert is_nothing(to)
    assert command("move", to)[0] == 0


def test_running_on_a_server(served, file, tmp_path, command, monkeypatch):
    """There is no move from a server to which a process of ours is connected."""
    assert command("move", served)[0] == 0
    monkeypatch.setenv("MASTHEAD_DATABASE", served)
    with psycopg.connect(served, application_name="masthead"):
        code, _, err = command("move", tmp_path / "back.db")

    one_sentence(code, err)
    assert "A server is running" in err
    assert is_nothing(tmp_path / "back.db")


def changed_row(row):
    return (*row[:2], "other", *row[3:])


@pytest.mark.parametrize(
    ("bend", "expected"),
    [
        (lambda rows: rows[:-1], "service has 20 rows, but its copy has 19."),
        (
            lambda rows: [*rows[:-1], changed_row(rows[-1])],
            "The rows of service differ in the copy.",
        ),
        (lambda rows: [*rows, rows[0]], "service cannot be copied"),
    ],
)
@pytest.mark.parametrize("bulk_rows", [SqliteBulkRows, PostgresqlBulkRows])
def test_comparison(
    bulk_rows, bend, expected, file, served, tmp_path, command, monkeypatch
):
    """A lost, altered or duplicated row is detected, and the copy is removed."""
    fill = bulk_rows.insert_rows

    def filling(self, table, rows):
        fill(self, table, bend(list(rows)) if table.name == "service" else rows)

    monkeypatch.setattr(bulk_rows, "insert_rows", filling)
    to = served if bulk_rows is PostgresqlBulkRows else tmp_path / "moved.db"
    code, out, err = command("move", to)

    assert (code, out) == (1, "")
    assert expected in err
    assert err.endswith("Nothing was kept.\n")
    assert is_nothing(to)


@pytest.mark.parametrize("wrong", ["NUL: \0", 1.5, b"bytes"])
def test_what_only_a_file_keeps(wrong, file, served, command):
    """What PostgreSQL rejects is reported by its table; SQLite has no types."""
    column = "display_order" if wrong == 1.5 else "name"
    with closing(sqlite3.connect(file)) as write, write:
        write.execute(f"UPDATE service SET {column} = ? WHERE number = 7", (wrong,))

    code, _, err = command("move", served)

    assert code == 1
    assert "service" in err
    assert is_nothing(served)


def test_broken_chain(file, to, clock, command):
    """An instance with a broken audit chain is not moved."""
    command("keys", "bootstrap", "--email", "ada@example.com")
    with closing(sqlite3.connect(file)) as write, write:
        write.execute("DROP TRIGGER audit_refuses_update")
        write.execute("UPDATE audit SET actor = 'eve@example.com'")

    code, _, err = command("move", to)

    assert code == 1
    assert "The audit chain of platform breaks" in err
    assert is_nothing(to)


def test_row_that_refers_to_nothing(file, to, command):
    """A row with a dangling reference is reported on both engines."""
    with closing(sqlite3.connect(file)) as write, write:
        write.execute("INSERT INTO reading VALUES (99, 'p', 1, 'down', NULL)")

    code, _, err = command("move", to)

    assert code == 1
    assert "reading" in err
    assert is_nothing(to)
