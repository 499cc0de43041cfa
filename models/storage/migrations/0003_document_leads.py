"""Let files say whether the pages of their documents begin with the summary."""

from peewee import BooleanField


def up(migrator, _):
    migrator.migrate(
        migrator.add_column("document", "has_lead", BooleanField(default=True))
    )
