"""The prefix of the key that a record is about, and when a key was last used."""

from peewee import *


def up(migrator, db):  # noqa: ARG001
    migrator.migrate(
        migrator.add_column("audit", "target_prefix", TextField(null=True)),
        migrator.add_column("key", "last_used_at", BigIntegerField(null=True)),
    )
