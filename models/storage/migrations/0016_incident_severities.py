"""Keep the history of each incident's severity; it begins with the present one."""

from peewee import AutoField, BigIntegerField, ForeignKeyField, Model, TextField


class IncidentRow(Model):
    id = TextField(primary_key=True)

    class Meta:
        table_name = "incident"


class IncidentSeverityRow(Model):
    number = AutoField()
    incident = ForeignKeyField(IncidentRow, on_delete="CASCADE")
    severity = TextField()
    starts_at = BigIntegerField()

    class Meta:
        table_name = "incident_severity"


def up(_migrator, db):
    with db.bind_ctx([IncidentSeverityRow], bind_refs=False, bind_backrefs=False):
        db.create_tables([IncidentSeverityRow])
    db.execute_sql(
        "INSERT INTO incident_severity (incident_id, severity, starts_at)"
        " SELECT id, severity, started_at FROM incident ORDER BY id"
    )
