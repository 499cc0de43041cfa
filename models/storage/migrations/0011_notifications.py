"""Store subscriptions, the events that they are told of, and the deliveries."""

from peewee import (
    AutoField,
    BigIntegerField,
    BlobField,
    BooleanField,
    ForeignKeyField,
    IntegerField,
    Model,
    TextField,
)


class SubscriptionRow(Model):
    id = TextField(primary_key=True)
    channel = TextField()
    address = TextField()
    live_key = TextField(null=True, unique=True)
    state = TextField()
    events = TextField()
    services = TextField()
    language = TextField(null=True)
    source = TextField()
    sealed_secret = BlobField(null=True)
    former_secret = BlobField(null=True)
    former_secret_until = BigIntegerField(null=True)
    created_at = BigIntegerField()
    updated_at = BigIntegerField()
    confirmed_at = BigIntegerField(null=True)
    quarantined_at = BigIntegerField(null=True)
    ended_at = BigIntegerField(null=True)
    failing_since = BigIntegerField(null=True)
    last_delivery_at = BigIntegerField(null=True)
    reason = TextField(null=True)

    class Meta:
        table_name = "subscription"
        indexes = ((("state", "id"), False),)


class EventRow(Model):
    number = AutoField()
    id = TextField(unique=True)
    type = TextField()
    subject_id = TextField()
    phase = TextField()
    area = TextField()
    generation = IntegerField(null=True)
    services = TextField()
    path = TextField()
    data = TextField()
    at = BigIntegerField(index=True)
    told_to = TextField(null=True)
    told_at = BigIntegerField(null=True, index=True)

    class Meta:
        table_name = "event"
        indexes = ((("type", "subject_id", "phase"), True),)


class DeliveryRow(Model):
    number = AutoField()
    id = TextField(unique=True)
    subscription = ForeignKeyField(SubscriptionRow, on_delete="CASCADE", index=False)
    event = ForeignKeyField(EventRow, on_delete="CASCADE", index=False, null=True)
    type = TextField()
    subject_id = TextField()
    status = TextField()
    attempts = IntegerField()
    status_code = IntegerField(null=True)
    duration_ms = IntegerField(null=True)
    answer = TextField(null=True)
    possibly_repeated = BooleanField()
    due_at = BigIntegerField()
    created_at = BigIntegerField(index=True)
    sending_at = BigIntegerField(null=True)
    delivered_at = BigIntegerField(null=True)
    next_attempt_at = BigIntegerField(null=True)

    class Meta:
        table_name = "delivery"
        indexes = (
            (("event", "subscription"), True),
            (("subscription", "subject_id", "number"), False),
            (("status", "next_attempt_at"), False),
        )


class ServiceRow(Model):
    number = AutoField()

    class Meta:
        table_name = "service"


class ToldStateRow(Model):
    service = ForeignKeyField(ServiceRow, primary_key=True, on_delete="CASCADE")
    state = TextField()
    changed_to = TextField(null=True)
    changed_at = BigIntegerField(null=True)

    class Meta:
        table_name = "told_state"


TABLES = [SubscriptionRow, EventRow, DeliveryRow, ToldStateRow]


def up(migrator, db):
    with db.bind_ctx(TABLES, bind_refs=False, bind_backrefs=False):
        db.create_tables(TABLES)
    migrator.migrate(
        migrator.add_column("maintenance", "is_told", BooleanField(default=True))
    )
