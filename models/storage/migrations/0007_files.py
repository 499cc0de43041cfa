"""Store the pictures and other files of projects, and which of them pages show."""

from peewee import (
    BigIntegerField,
    BlobField,
    CompositeKey,
    ForeignKeyField,
    IntegerField,
    Model,
    TextField,
)


class ProjectRow(Model):
    id = TextField(primary_key=True)

    class Meta:
        table_name = "project"


class DocumentRow(Model):
    id = TextField(primary_key=True)

    class Meta:
        table_name = "document"


class FileContentRow(Model):
    digest = TextField(primary_key=True)
    size = IntegerField()
    width = IntegerField(null=True)
    height = IntegerField(null=True)

    class Meta:
        table_name = "file_content"


class FileChunkRow(Model):
    content = ForeignKeyField(
        FileContentRow, column_name="digest", on_delete="CASCADE", index=False
    )
    number = IntegerField()
    bytes = BlobField()

    class Meta:
        table_name = "file_chunk"
        primary_key = CompositeKey("content", "number")


class FileRow(Model):
    id = TextField(primary_key=True)
    project = ForeignKeyField(ProjectRow, on_delete="CASCADE", index=False)
    name = TextField()
    content = ForeignKeyField(FileContentRow, column_name="digest")
    source_digest = TextField()
    source_size = BigIntegerField(null=True)
    source_modified_ns = BigIntegerField(null=True)
    creator_id = TextField()
    creator_type = TextField()
    created_at = BigIntegerField()
    updated_at = BigIntegerField()

    class Meta:
        table_name = "file"
        indexes = (
            (("project", "name"), True),
            (("updated_at", "id"), False),
        )


class PinnedFileRow(Model):
    document = ForeignKeyField(DocumentRow, on_delete="CASCADE", index=False)
    version = IntegerField()
    name = TextField()
    content = ForeignKeyField(FileContentRow, column_name="digest")

    class Meta:
        table_name = "pinned_file"
        primary_key = CompositeKey("document", "version", "name")


TABLES = [FileContentRow, FileChunkRow, FileRow, PinnedFileRow]


def up(_migrator, db):
    with db.bind_ctx(TABLES, bind_refs=False, bind_backrefs=False):
        db.create_tables(TABLES)
