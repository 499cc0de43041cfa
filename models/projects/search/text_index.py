"""Keep the full-text index of a project's work, documents and comments up to date."""

from collections.abc import Iterable, Mapping
from typing import Literal

from peewee import AutoField, ForeignKeyField, TextField

from models.base import Row, insert_all
from models.projects.projects.rows import ProjectRow
from models.storage.database import database

Indexed = Literal["work", "specification", "document", "comment"]


class IndexedTextRow(Row):
    """Title and body of one entity; the database keeps its word index in step."""

    project_id: str

    number = AutoField()
    project = ForeignKeyField(ProjectRow, on_delete="CASCADE")
    entity_type = TextField()
    entity_id = TextField(unique=True)
    title = TextField()
    body = TextField()


def index_text(
    project: ProjectRow, type: Indexed, id: str, title: str, body: str | None
) -> None:
    """Index an entity or replace its text, in the transaction of the change."""
    row, text = IndexedTextRow, {"title": title, "body": body or ""}
    row.insert(project=project.id, entity_type=type, entity_id=id, **text).on_conflict(
        conflict_target=[row.entity_id], preserve=[row.title, row.body]
    ).execute()
    database.index_text(id, **text)


def with_summary(summary: str | None, content: str) -> str:
    """Return the body to index for a document, which is also found by its summary."""
    return f"{summary}\n\n{content}" if summary else content


def index_texts(rows: Iterable[Mapping[str, str]]) -> None:
    """Index new entities; each row has the columns of IndexedTextRow."""
    insert_all([IndexedTextRow(**row) for row in rows])


def remove_text(id: str) -> None:
    """Remove an entity from the index."""
    IndexedTextRow.delete().where(IndexedTextRow.entity_id == id).execute()


def rebuild_index() -> None:
    """Rebuild the word index, so that it holds no word of a deleted text."""
    database.rebuild_text_index()
