"""The words of a project in which search looks, kept beside their things."""

from typing import Literal

from peewee import AutoField, ForeignKeyField, TextField

from models.base import Row
from models.database import database
from models.projects.project import ProjectRow

Indexed = Literal["work", "specification", "document", "comment"]


class IndexedTextRow(Row):
    """One thing's title and text; the database keeps its index of words equal."""

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
    """Let search find the thing by these words, in the transaction of the change."""
    IndexedTextRow.insert(
        project=project.id,
        entity_type=type,
        entity_id=id,
        title=title,
        body=body or "",
    ).on_conflict(
        conflict_target=[IndexedTextRow.entity_id],
        preserve=[IndexedTextRow.title, IndexedTextRow.body],
    ).execute()


def unindex_text(id: str) -> None:
    """Forget the words of the thing."""
    IndexedTextRow.delete().where(IndexedTextRow.entity_id == id).execute()


def rebuild_index() -> None:
    """
    Make the index of words anew, so that no forgotten word stays in it.

    FTS5 marks what was removed and drops it at a later merge; SQLite can be told
    to do it at once only from version 3.42 on.
    """
    database.execute_sql("INSERT INTO text_index(text_index) VALUES ('rebuild')")
