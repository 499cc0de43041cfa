"""Keep the language that an imported page declares."""

from peewee import TextField


def up(migrator, _db):
    migrator.migrate(migrator.add_column("document", "language", TextField(null=True)))
