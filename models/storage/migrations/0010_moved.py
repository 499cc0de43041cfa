"""What came from another status page, by its old names."""

from peewee import *


def up(migrator, db):  # noqa: ARG001
    class MovedRow(Model):
        source = TextField()
        type = TextField()
        old = TextField()
        subject = TextField()
        address = TextField(null=True)

        class Meta:
            database = db
            table_name = "moved"
            primary_key = CompositeKey("source", "type", "old")

    db.create_tables([MovedRow])
