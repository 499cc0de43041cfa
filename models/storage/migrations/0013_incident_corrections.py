"""Keep earlier words of updates, what was removed, and templates of incidents."""

from peewee import (
    AutoField,
    BigIntegerField,
    ForeignKeyField,
    IntegerField,
    Model,
    TextField,
)


class EntryRow(Model):
    number = AutoField()

    class Meta:
        table_name = "entry"


class IncidentUpdateVersionRow(Model):
    number = AutoField()
    incident_update = ForeignKeyField(EntryRow, on_delete="CASCADE")
    status = TextField()
    body = TextField()
    written_at = BigIntegerField()
    replaced_at = BigIntegerField()

    class Meta:
        table_name = "incident_update_version"


class IncidentTemplateRow(Model):
    id = TextField(primary_key=True)
    name = TextField(unique=True)
    title = TextField()
    severity = TextField()
    body = TextField()
    version = IntegerField()
    created_at = BigIntegerField()
    updated_at = BigIntegerField()

    class Meta:
        table_name = "incident_template"


TABLES = [IncidentUpdateVersionRow, IncidentTemplateRow]
COLUMNS = (
    ("entry", "edited_at"),
    ("entry", "removed_at"),
    ("incident", "removed_at"),
    ("maintenance", "removed_at"),
    ("event", "withdrawn_at"),
)


def up(migrator, db):
    with db.bind_ctx(TABLES, bind_refs=False, bind_backrefs=False):
        db.create_tables(TABLES)
    migrator.migrate(
        *(
            migrator.add_column(table, column, BigIntegerField(null=True))
            for table, column in COLUMNS
        )
    )
