"""Store who is signed in to the console."""

from peewee import BigIntegerField, Model, TextField


class ConsoleSessionRow(Model):
    hash = TextField(primary_key=True)
    key_id = TextField(index=True)
    person = TextField(null=True)
    created_at = BigIntegerField()
    used_at = BigIntegerField()
    expires_at = BigIntegerField(index=True)

    class Meta:
        table_name = "console_session"


TABLES = [ConsoleSessionRow]


def up(_migrator, db):
    with db.bind_ctx(TABLES, bind_refs=False, bind_backrefs=False):
        db.create_tables(TABLES)
