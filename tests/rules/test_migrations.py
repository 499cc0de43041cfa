"""The migrations, and the rows they are for."""

from importlib import import_module
from pkgutil import walk_packages

from playhouse.schema_diff import diff_models

import models
from models.base import Row


def rows(of=Row):
    for each in of.__subclasses__():
        yield each
        yield from rows(each)


def test_schema_of_a_new_database(store):
    """The migrations make exactly the tables that the rows describe."""
    for each in walk_packages(models.__path__, "models."):
        if "migrations" not in each.name:
            import_module(each.name)

    kinds = diff_models(store, sorted(rows(), key=lambda row: row.__name__))

    assert [change for kind in kinds for change in kind] == []
