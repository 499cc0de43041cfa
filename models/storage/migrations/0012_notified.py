"""Name what subscribers were notified of, index deliveries, and keep former secrets."""

from peewee import (
    AutoField,
    BigIntegerField,
    BlobField,
    ForeignKeyField,
    Model,
    TextField,
)


class SubscriptionRow(Model):
    id = TextField(primary_key=True)

    class Meta:
        table_name = "subscription"


class FormerSecretRow(Model):
    number = AutoField()
    subscription = ForeignKeyField(SubscriptionRow, on_delete="CASCADE")
    sealed_secret = BlobField()
    expires_at = BigIntegerField(index=True)

    class Meta:
        table_name = "former_secret"


COPY_FORMER_SECRETS = (
    "INSERT INTO former_secret (subscription_id, sealed_secret, expires_at)"
    " SELECT id, former_secret, former_secret_until FROM subscription"
    " WHERE former_secret IS NOT NULL AND former_secret_until IS NOT NULL ORDER BY id"
)


def up(migrator, db):
    migrator.migrate(
        migrator.rename_column("maintenance", "is_told", "is_notified"),
        migrator.rename_table("told_state", "notified_state"),
        migrator.drop_index("event", "eventrow_told_at"),
        migrator.rename_column("event", "told_at", "notified_at"),
        migrator.rename_column("event", "told_to", "notified_up_to"),
        migrator.add_index("event", ("notified_at",)),
        migrator.add_index("delivery", ("status", "created_at")),
        migrator.add_index("delivery", ("subscription_id", "created_at")),
    )
    with db.bind_ctx([FormerSecretRow], bind_refs=False, bind_backrefs=False):
        db.create_tables([FormerSecretRow])
    db.execute_sql(COPY_FORMER_SECRETS)
    migrator.migrate(
        migrator.drop_column("subscription", "former_secret"),
        migrator.drop_column("subscription", "former_secret_until"),
    )
