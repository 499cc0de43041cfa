"""The tables of files: names, contents in pieces, and what publications show."""

from typing import Any

from peewee import (
    BigIntegerField,
    BlobField,
    CompositeKey,
    ForeignKeyField,
    IntegerField,
    TextField,
)

from models.base import MomentField, Row, row_with_id
from models.errors import FileNotFound
from models.projects.documents.rows import DocumentRow
from models.projects.projects.rows import ProjectRow


class FileContentRow(Row):
    """Bytes that files have; equal bytes are stored once, under their SHA-256."""

    digest = TextField(primary_key=True)
    size = IntegerField()
    # Of pictures whose size is known.
    width = IntegerField(null=True)
    height = IntegerField(null=True)


class FileChunkRow(Row):
    """A piece of a content, so that nobody needs all of it in memory."""

    content = ForeignKeyField(
        FileContentRow, column_name="digest", on_delete="CASCADE", index=False
    )
    number = IntegerField()
    bytes = BlobField()

    class Meta:
        primary_key = CompositeKey("content", "number")


class FileRow(Row):
    """A file of a project, as it is now."""

    project_id: str
    content_id: str

    id = TextField(primary_key=True)
    project = ForeignKeyField(ProjectRow, on_delete="CASCADE", index=False)
    name = TextField()
    content = ForeignKeyField(
        FileContentRow, column_name="digest", object_id_name="content_id"
    )
    # SHA-256 of the bytes that were sent, before they were cleaned.
    source_digest = TextField()
    # Of a file that was imported from a tree, so that the next import need not read it.
    source_size = BigIntegerField(null=True)
    source_modified_ns = BigIntegerField(null=True)
    creator_id = TextField()
    creator_type = TextField()
    created_at = MomentField()
    updated_at = MomentField()

    class Meta:
        indexes = (
            (("project", "name"), True),
            (("updated_at", "id"), False),
        )

    @property
    def noun(self) -> str:
        return f"file '{self.name}'"


class PinnedFileRow(Row):
    """The content that a version of a document shows under a file's name."""

    content_id: str

    document = ForeignKeyField(DocumentRow, on_delete="CASCADE", index=False)
    version = IntegerField()
    name = TextField()
    content = ForeignKeyField(
        FileContentRow, column_name="digest", object_id_name="content_id"
    )

    class Meta:
        primary_key = CompositeKey("document", "version", "name")


def file_named(project: ProjectRow, name: str) -> FileRow | None:
    is_same = (FileRow.project == project.id) & (FileRow.name == name)
    file: FileRow | None = FileRow.get_or_none(is_same)
    return file


def files_by_name(project: ProjectRow) -> dict[str, FileRow]:
    return {row.name: row for row in FileRow.select().where(FileRow.project == project)}


def digests_by_name(project: ProjectRow) -> dict[str, str]:
    """Return the digest of each file of a project, in the order of their names."""
    query = FileRow.select(FileRow.name, FileRow.content)
    rows: Any = query.where(FileRow.project == project.id).order_by(FileRow.name)
    return dict(rows.tuples())


def file_with(id: str) -> FileRow:
    return row_with_id(FileRow, id, FileNotFound, "file")
