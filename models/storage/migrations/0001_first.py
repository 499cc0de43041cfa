"""The first tables: what the areas share, keys, and the status page."""

from peewee import *

APPEND_ONLY = {
    "sqlite": [
        f"CREATE TRIGGER audit_refuses_{change.lower()} BEFORE {change} ON audit"
        " BEGIN SELECT RAISE(ABORT, 'The audit is append-only.'); END"
        for change in ("UPDATE", "DELETE")
    ],
    "postgresql": [
        "CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS"
        " $$BEGIN RAISE EXCEPTION 'The audit is append-only.'"
        " USING ERRCODE = 'integrity_constraint_violation'; END$$",
        "CREATE TRIGGER audit_refuses_change BEFORE UPDATE OR DELETE OR TRUNCATE"
        " ON audit EXECUTE FUNCTION refuse_change()",
    ],
}


def up(migrator, db):  # noqa: ARG001
    class ServiceRow(Model):
        number = AutoField()
        id = TextField(unique=True)
        slug = TextField(unique=True)
        name = TextField()
        description = TextField(null=True)
        hostname = TextField(null=True)
        group = TextField(null=True)
        display_order = IntegerField()
        enabled = BooleanField()
        created_at = BigIntegerField()
        updated_at = BigIntegerField()

        class Meta:
            database = db
            table_name = "service"

    db.create_tables([ServiceRow])

    class AffectedRow(Model):
        number = AutoField()
        subject = TextField(index=True)
        service = ForeignKeyField(ServiceRow, null=True, on_delete="SET NULL")
        slug = TextField()
        kept_name = TextField()

        class Meta:
            database = db
            table_name = "affected"
            indexes = ((("slug", "subject"), False),)

    db.create_tables([AffectedRow])

    class AreaRow(Model):
        name = TextField(primary_key=True)
        marked = IntegerField(default=0)
        built = IntegerField(default=0)

        class Meta:
            database = db
            table_name = "area"

    db.create_tables([AreaRow])

    class AuditRow(Model):
        number = AutoField()
        area = TextField()
        id = TextField(unique=True)
        actor = TextField()
        action = TextField()
        target_type = TextField()
        target_id = TextField()
        target_label = TextField(null=True)
        at = BigIntegerField()
        detail = TextField(null=True)
        link = TextField()

        class Meta:
            database = db
            table_name = "audit"
            indexes = ((("area", "number"), True),)

    db.create_tables([AuditRow])

    class IncidentRow(Model):
        id = TextField(primary_key=True)
        title = TextField()
        status = TextField()
        severity = TextField()
        started_at = BigIntegerField()
        resolved_at = BigIntegerField(null=True)
        created_at = BigIntegerField()
        updated_at = BigIntegerField()

        class Meta:
            database = db
            table_name = "incident"
            indexes = ((("started_at", "id"), False),)

    db.create_tables([IncidentRow])

    class EntryRow(Model):
        number = AutoField()
        id = TextField(unique=True)
        incident = ForeignKeyField(IncidentRow, on_delete="CASCADE")
        status = TextField()
        body = TextField()
        created_at = BigIntegerField()

        class Meta:
            database = db
            table_name = "entry"

    db.create_tables([EntryRow])

    class FailedPageRow(Model):
        path = TextField(primary_key=True)
        area = TextField()
        reason = TextField()
        at = BigIntegerField()

        class Meta:
            database = db
            table_name = "failed_page"

    db.create_tables([FailedPageRow])

    class InstanceRow(Model):
        name = TextField(primary_key=True)
        value = TextField()

        class Meta:
            database = db
            table_name = "instance"

    db.create_tables([InstanceRow])

    class KeyRow(Model):
        id = TextField(primary_key=True)
        prefix = TextField(unique=True)
        hash = TextField(unique=True)
        name = TextField()
        scopes = TextField()
        created_at = BigIntegerField()
        expires_at = BigIntegerField(null=True)
        revoked_at = BigIntegerField(null=True)
        rate_capacity = IntegerField(null=True)
        rate_refill = FloatField(null=True)
        account_id = TextField(index=True, null=True)
        lifetime_days = IntegerField(null=True)
        issuer = TextField()
        lineage = TextField()

        class Meta:
            database = db
            table_name = "key"
            indexes = ((("created_at", "id"), False),)

    db.create_tables([KeyRow])

    class MaintenanceRow(Model):
        id = TextField(primary_key=True)
        title = TextField()
        description = TextField(null=True)
        starts_at = BigIntegerField()
        ends_at = BigIntegerField()
        written = TextField()
        created_at = BigIntegerField()
        updated_at = BigIntegerField()

        class Meta:
            database = db
            table_name = "maintenance"
            indexes = ((("starts_at", "id"), False),)

    db.create_tables([MaintenanceRow])

    class MeasurementRow(Model):
        service = ForeignKeyField(ServiceRow, on_delete="CASCADE", index=False)
        observed_at = BigIntegerField()
        source = TextField()
        status = TextField()
        response_time_ms = IntegerField(null=True)

        class Meta:
            database = db
            table_name = "measurement"
            without_rowid = True
            primary_key = CompositeKey("service", "observed_at", "source")

    db.create_tables([MeasurementRow])

    class ReadingRow(Model):
        service = ForeignKeyField(ServiceRow, on_delete="CASCADE", index=False)
        source = TextField()
        observed_at = BigIntegerField()
        status = TextField()
        response_time_ms = IntegerField(null=True)

        class Meta:
            database = db
            table_name = "reading"
            without_rowid = True
            primary_key = CompositeKey("service", "source")

    db.create_tables([ReadingRow])

    class StoredAnswerRow(Model):
        id = TextField(primary_key=True)
        fingerprint = TextField()
        body = BlobField()
        secret_at = IntegerField(null=True)
        sealed = BlobField(null=True)
        secret_sha256 = TextField(null=True)
        completed_at = BigIntegerField(index=True)

        class Meta:
            database = db
            table_name = "stored_answer"

    db.create_tables([StoredAnswerRow])

    for each in APPEND_ONLY[db.kind]:
        db.execute_sql(each)
