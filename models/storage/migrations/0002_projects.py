"""Projects, their members and activity, and documents with their revisions."""

from peewee import *


def up(migrator, db):  # noqa: ARG001
    class ProjectRow(Model):
        id = TextField(primary_key=True)
        slug = TextField(unique=True)
        name = TextField()
        description = TextField(null=True)
        status = TextField()
        owner_id = TextField()
        builtin = BooleanField()
        created_at = BigIntegerField()
        updated_at = BigIntegerField()
        archived_at = BigIntegerField(null=True)

        class Meta:
            database = db
            table_name = "project"

    db.create_tables([ProjectRow])

    class MemberRow(Model):
        number = AutoField()
        project = ForeignKeyField(ProjectRow, on_delete="CASCADE")
        account_id = TextField(index=True)
        role = TextField()
        created_at = BigIntegerField()

        class Meta:
            database = db
            table_name = "member"
            indexes = ((("project", "account_id"), True),)

    db.create_tables([MemberRow])

    class ActivityRow(Model):
        number = AutoField()
        id = TextField(unique=True)
        project = ForeignKeyField(ProjectRow, on_delete="CASCADE")
        actor_id = TextField()
        actor_type = TextField()
        entity_type = TextField()
        entity_id = TextField(index=True)
        action = TextField()
        metadata = TextField(null=True)
        created_at = BigIntegerField()

        class Meta:
            database = db
            table_name = "activity"

    db.create_tables([ActivityRow])

    class DocumentRow(Model):
        id = TextField(primary_key=True)
        project = ForeignKeyField(ProjectRow, on_delete="CASCADE")
        title = TextField()
        slug = TextField()
        type = TextField()
        summary = TextField(null=True)
        version = IntegerField()
        collection = TextField(null=True)
        section = TextField(null=True)
        position = IntegerField()
        published_version = IntegerField(null=True)
        published_at = BigIntegerField(null=True)
        creator_id = TextField()
        creator_type = TextField()
        created_at = BigIntegerField()
        updated_at = BigIntegerField()
        archived_at = BigIntegerField(null=True)
        source_path = TextField(null=True)

        class Meta:
            database = db
            table_name = "document"
            indexes = (
                (("project", "slug"), True),
                (("project", "collection"), False),
                (("updated_at", "id"), False),
            )

    db.create_tables([DocumentRow])

    class DocumentRevisionRow(Model):
        id = TextField(primary_key=True)
        document = ForeignKeyField(DocumentRow, on_delete="CASCADE", index=False)
        version = IntegerField()
        title = TextField()
        summary = TextField(null=True)
        note = TextField(null=True)
        author_id = TextField()
        author_type = TextField()
        created_at = BigIntegerField()
        size = IntegerField()
        content = TextField()

        class Meta:
            database = db
            table_name = "document_revision"
            indexes = ((("document", "version"), True),)

    db.create_tables([DocumentRevisionRow])

    class FormerAddressRow(Model):
        number = AutoField()
        document = ForeignKeyField(DocumentRow, on_delete="CASCADE", index=False)
        collection = TextField()

        class Meta:
            database = db
            table_name = "former_address"
            indexes = ((("document", "collection"), True),)

    db.create_tables([FormerAddressRow])
