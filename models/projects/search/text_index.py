"""The words of a project in which search looks, kept beside their things."""

from typing import Literal

from peewee import AutoField, ForeignKeyField, TextField

from models.base import Row
from models.projects.projects.rows import ProjectRow
from models.storage.database import database

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
    row, words = IndexedTextRow, {"title": title, "body": body or ""}
    row.insert(project=project.id, entity_type=type, entity_id=id, **words).on_conflict(
        conflict_target=[row.entity_id], preserve=[row.title, row.body]
    ).execute()
    database.index_text(id, **words)


def index_texts(rows: list[dict[str, str]]) -> None:
    """Let search find things that were not there before."""
    IndexedTextRow.insert_many(rows).execute()
    for row in rows:
        database.index_text(row["entity_id"], row["title"], row["body"])


def unindex_text(id: str) -> None:
    """Forget the words of the thing."""
    IndexedTextRow.delete().where(IndexedTextRow.entity_id == id).execute()


def rebuild_index() -> None:
    """Make the index of words anew, so that no forgotten word stays in it."""
    database.rebuild_text_index()
