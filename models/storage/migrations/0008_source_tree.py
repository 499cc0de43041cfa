"""The tree that a document was imported from, beside its file in it."""

from peewee import *


def up(migrator, db):  # noqa: ARG001
    migrator.migrate(
        migrator.add_column("document", "source_tree", TextField(null=True)),
    )
