"""Keep what an import over the API has sent, until it is applied."""

from peewee import (
    BigIntegerField,
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


class FileContentRow(Model):
    digest = TextField(primary_key=True)

    class Meta:
        table_name = "file_content"


class DocumentImportRow(Model):
    id = TextField(primary_key=True)
    project = ForeignKeyField(ProjectRow, on_delete="CASCADE", index=False)
    tree = TextField()
    collection = TextField()
    manifest = TextField()
    updated_at = BigIntegerField(index=True)

    class Meta:
        table_name = "document_import"
        indexes = ((("project", "tree", "collection"), False),)


class ImportTextRow(Model):
    document_import = ForeignKeyField(
        DocumentImportRow, column_name="import", on_delete="CASCADE", index=False
    )
    sha256 = TextField()
    size = IntegerField(null=True)
    content = TextField(null=True)

    class Meta:
        table_name = "import_text"
        primary_key = CompositeKey("document_import", "sha256")


class ImportFileRow(Model):
    document_import = ForeignKeyField(
        DocumentImportRow, column_name="import", on_delete="CASCADE", index=False
    )
    name = TextField()
    source_digest = TextField()
    content = ForeignKeyField(FileContentRow, column_name="digest", null=True)

    class Meta:
        table_name = "import_file"
        primary_key = CompositeKey("document_import", "name")


TABLES = [DocumentImportRow, ImportTextRow, ImportFileRow]


def up(_migrator, db):
    with db.bind_ctx(TABLES, bind_refs=False, bind_backrefs=False):
        db.create_tables(TABLES)
