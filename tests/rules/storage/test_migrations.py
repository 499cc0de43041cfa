"""The migrations and the rows that they create."""

import shutil
from importlib import import_module
from pkgutil import walk_packages

import pytest
from peewee import IntegrityError
from playhouse.schema_diff import diff_models

import models
from models.base import Row
from models.projects.members.members import MemberRow
from models.projects.projects.rows import ProjectRow
from models.storage import schema
from models.storage.database import database, migrate, open_database
from tests.conftest import NOON

PROJECT = {
    "id": "p",
    "slug": "atlas",
    "name": "Atlas",
    "status": "active",
    "owner_id": "o",
    "builtin": False,
    "created_at": NOON,
    "updated_at": NOON,
}
CREATED = {"created_at": NOON, "updated_at": NOON}

pytestmark = pytest.mark.both_engines


def rows(of=Row):
    for each in of.__subclasses__():
        yield each
        yield from rows(each)


def of_words(change):
    """On PostgreSQL the index of words is an extra column and its index."""
    table, name, *_ = change
    is_words = (table, name.removeprefix("indexed_text_")) == ("indexed_text", "words")
    return is_words and database.kind == "postgresql"


def test_schema_of_a_new_database(store):
    """The migrations create exactly the tables that the rows describe."""
    for each in walk_packages(models.__path__, "models."):
        if "migrations" not in each.name:
            import_module(each.name)

    kinds = diff_models(store, sorted(rows(), key=lambda row: row.__name__))

    found = [change for kind in kinds for change in kind]
    assert [each for each in found if not of_words(each)] == []


def migration(folder, name, body):
    """Add a migration to those of the release, as a later release would."""
    lines = "\n".join(f"    {line}" for line in body)
    (folder / f"{name}.py").write_text(f"def up(migrator, db):\n{lines}\n")


@pytest.fixture
def fresh(settings):
    """A migrated, empty database for this test only."""
    open_database(settings.database)
    migrate()
    yield database
    database.close()


@pytest.fixture
def migrations(tmp_path, monkeypatch):
    """A copy of the migrations folder, to which a test may add migrations."""
    folder = tmp_path / "migrations"
    shutil.copytree(schema.MIGRATIONS, folder)
    monkeypatch.setattr(schema, "MIGRATIONS", folder)
    return folder


def applied_names(fresh):
    rows = fresh.execute_sql("SELECT name FROM schema_migration ORDER BY id")
    return [name for (name,) in rows.fetchall()]


def test_migrations_run_once(store):
    """A database that is up to date is not changed."""
    assert migrate() == []


@pytest.mark.parametrize("name", ["0001_initial", "0018_newer"])
def test_unknown_migration(fresh, name):
    """A database of another version, older or newer, is rejected and left unchanged."""
    fresh.execute_sql("UPDATE schema_migration SET name = ? WHERE id = 1", (name,))
    before = applied_names(fresh)

    with pytest.raises(schema.NewerSchema, match=name):
        migrate()

    assert applied_names(fresh) == before


def test_migration_that_fails(fresh, migrations):
    """All pending migrations are one transaction: if one fails, none is applied."""
    before = applied_names(fresh)
    migration(migrations, "9998_fine", ["db.execute_sql('CREATE TABLE fine (a INT)')"])
    migration(
        migrations,
        "9999_broken",
        ["db.execute_sql('CREATE TABLE broken (a INT)')", "raise ValueError('broken')"],
    )

    with pytest.raises(ValueError, match="broken"):
        migrate()

    assert not {"fine", "broken"} & set(fresh.get_tables())
    assert applied_names(fresh) == before


@pytest.mark.sqlite
def test_remade_table_keeps_the_rows_that_refer_to_it(store, migrations):
    """SQLite alters most things by recreating a table, and the referring rows stay."""
    project = ProjectRow.create(**PROJECT)
    MemberRow.create(project=project, account_id="a", role="owner", created_at=NOON)
    migration(
        migrations,
        "9999_remade",
        [
            "db.execute_sql('CREATE TABLE remade AS SELECT * FROM project')",
            "db.execute_sql('DROP TABLE project')",
            "db.execute_sql('ALTER TABLE remade RENAME TO project')",
            "db.execute_sql('CREATE UNIQUE INDEX project_id ON project (id)')",
        ],
    )

    assert migrate() == ["9999_remade"]

    assert [row.account_id for row in MemberRow] == ["a"]
    assert store.pragma("foreign_keys") == 1


@pytest.mark.sqlite
def test_migration_that_loses_rows(store, migrations):
    """A migration that leaves dangling references is rolled back."""
    project = ProjectRow.create(**PROJECT)
    MemberRow.create(project=project, account_id="a", role="owner", created_at=NOON)
    migration(migrations, "9999_loses", ["db.execute_sql('DELETE FROM project')"])

    with pytest.raises(IntegrityError, match="member"):
        migrate()

    assert ProjectRow.select().count() == 1
