"""The tables of imports over the API: what a tree has, and the parts that were sent."""

from peewee import CompositeKey, ForeignKeyField, IntegerField, TextField

from models.base import MomentField, Row
from models.errors import DocumentImportNotFound
from models.projects.files.rows import FileContentRow
from models.projects.projects.rows import ProjectRow


class DocumentImportRow(Row):
    """An import of a tree that was started and not applied yet."""

    project_id: str

    id = TextField(primary_key=True)
    project = ForeignKeyField(ProjectRow, on_delete="CASCADE", index=False)
    tree = TextField()
    collection = TextField()
    # The request that started it, as JSON; empty once another import replaced it.
    manifest = TextField()
    updated_at = MomentField(index=True)

    class Meta:
        indexes = ((("project", "tree", "collection"), False),)


class ImportTextRow(Row):
    """A text that the project did not have when the import was started."""

    document_import = ForeignKeyField(
        DocumentImportRow, column_name="import", on_delete="CASCADE", index=False
    )
    sha256 = TextField()
    # Bytes of the content; both are null until the text is sent.
    size = IntegerField(null=True)
    content = TextField(null=True)

    class Meta:
        primary_key = CompositeKey("document_import", "sha256")


class ImportFileRow(Row):
    """A file that is new to the project, or changed, when the import was started."""

    content_id: str | None

    document_import = ForeignKeyField(
        DocumentImportRow, column_name="import", on_delete="CASCADE", index=False
    )
    name = TextField()
    # Of the file as it is in the tree.
    source_digest = TextField()
    # Null until the file is sent.
    content = ForeignKeyField(
        FileContentRow, column_name="digest", object_id_name="content_id", null=True
    )

    class Meta:
        primary_key = CompositeKey("document_import", "name")


def import_with(id: str) -> DocumentImportRow:
    row: DocumentImportRow | None = DocumentImportRow.get_or_none(
        DocumentImportRow.id == id
    )
    if row is None:
        raise DocumentImportNotFound(
            f"No import has the id '{id}'. It was applied or has expired; start it"
            " again, which sends only what is missing."
        )
    return row
