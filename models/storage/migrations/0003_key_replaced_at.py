"""Record when a key was rotated, since it cannot be rotated again in its grace."""

from peewee import BigIntegerField

# The audit log has the time of every rotation.
_ROTATED = (
    "SELECT MAX(audit.at) FROM audit WHERE audit.area = 'platform'"
    " AND audit.action = 'rotate' AND audit.target_id = \"key\".id"
)


def up(migrator, db):
    migrator.migrate(
        migrator.add_column("key", "replaced_at", BigIntegerField(null=True))
    )
    db.execute_sql(f'UPDATE "key" SET replaced_at = ({_ROTATED})')  # noqa: S608
