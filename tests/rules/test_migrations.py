"""The migrations, and the rows they are for."""

from importlib import import_module
from pkgutil import walk_packages

import pytest
from playhouse.migrations import Runner
from playhouse.schema_diff import diff_models

import models
from models.base import Row
from models.storage.database import database, migrate, open_database
from models.storage.schema import MIGRATIONS

pytestmark = pytest.mark.both_engines


def rows(of=Row):
    for each in of.__subclasses__():
        yield each
        yield from rows(each)


def of_words(change):
    """On a server the index of words is a column that no row has, and its index."""
    table, name, *_ = change
    is_words = (table, name.removeprefix("indexed_text_")) == ("indexed_text", "words")
    return is_words and database.kind == "postgresql"


def test_schema_of_a_new_database(store):
    """The migrations make exactly the tables that the rows describe."""
    for each in walk_packages(models.__path__, "models."):
        if "migrations" not in each.name:
            import_module(each.name)

    kinds = diff_models(store, sorted(rows(), key=lambda row: row.__name__))

    found = [change for kind in kinds for change in kind]
    assert [each for each in found if not of_words(each)] == []


def kept(table):
    return database.execute_sql(f"SELECT COUNT(*) FROM {table}").fetchone()[0]


@pytest.mark.sqlite
def test_rows_outlive_a_table_made_anew(settings):
    """No migration takes along the rows that refer to those of another table."""
    open_database(settings.database)
    Runner(database, str(MIGRATIONS)).up("0004_platform")
    for values in (
        "project VALUES ('p', 'docs', 'Docs', NULL, 'active', 'o', 1, 0, 0, NULL)",
        "document VALUES ('d', 'p', 'T', 't', 'note', NULL, 1, NULL, NULL, 0, NULL,"
        " NULL, 'c', 'account', 0, 0, NULL, NULL)",
        "document_revision VALUES ('r', 'd', 1, 'T', NULL, NULL, 'c', 'account', 0, 5,"
        " 'Words')",
    ):
        database.execute_sql(f"INSERT INTO {values}")

    migrate()

    assert [kept(each) for each in ("project", "document", "document_revision")] == [
        1
    ] * 3
    assert database.pragma("foreign_keys") == 1
    database.close()
