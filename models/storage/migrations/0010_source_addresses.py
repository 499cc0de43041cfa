"""Keep the addresses that imported pages had on the website of their tree."""

from peewee import TextField


def up(migrator, _db):
    migrator.migrate(
        migrator.add_column("document", "source_address", TextField(null=True)),
        migrator.add_column("document", "source_base", TextField(null=True)),
    )
