"""Record which keys send measurements for a source."""

from peewee import BigIntegerField, CompositeKey, Model, TextField


class SourceKeyRow(Model):
    source = TextField()
    lineage = TextField()
    key_id = TextField()
    key_prefix = TextField()
    first_used_at = BigIntegerField()
    last_used_at = BigIntegerField(null=True)

    class Meta:
        table_name = "source_key"
        primary_key = CompositeKey("source", "lineage")


def up(_migrator, db):
    with db.bind_ctx([SourceKeyRow], bind_refs=False, bind_backrefs=False):
        db.create_tables([SourceKeyRow])
