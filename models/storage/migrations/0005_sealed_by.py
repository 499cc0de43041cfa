"""Record which key sealed the secret in a stored response."""

from peewee import TextField


def up(migrator, db):  # noqa: ARG001
    migrator.migrate(
        migrator.add_column("stored_response", "sealed_by", TextField(null=True))
    )
