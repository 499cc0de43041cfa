"""The tables of comments and external references."""

from peewee import ForeignKeyField, TextField

from models.base import JsonField, MomentField, Row, row_with_id
from models.errors import CommentNotFound, ExternalReferenceNotFound
from models.projects.projects.rows import ProjectRow


class CommentRow(Row):
    """A comment; a removed one keeps its row without the content."""

    project_id: str

    id = TextField(primary_key=True)
    project = ForeignKeyField(ProjectRow, on_delete="CASCADE", index=False)
    entity_type = TextField()
    entity_id = TextField(index=True)
    author_id = TextField()
    author_type = TextField()
    content = TextField()
    created_at = MomentField()
    updated_at = MomentField()
    deleted_at = MomentField(null=True)

    class Meta:
        indexes = ((("project", "created_at", "id"), False),)

    @property
    def noun(self) -> str:
        return f"comment '{self.id}'"


def comment_with(id: str) -> CommentRow:
    return row_with_id(CommentRow, id, CommentNotFound, "comment")


class ExternalReferenceRow(Row):
    project_id: str

    id = TextField(primary_key=True)
    project = ForeignKeyField(ProjectRow, on_delete="CASCADE")
    entity_type = TextField()
    entity_id = TextField(index=True)
    system = TextField()
    kind = TextField()
    url = TextField(null=True, index=True)
    external_id = TextField(null=True)
    title = TextField(null=True)
    state = TextField(null=True)
    metadata = JsonField(null=True)
    creator_id = TextField()
    creator_type = TextField()
    created_at = MomentField()
    updated_at = MomentField()

    class Meta:
        indexes = ((("system", "external_id"), False),)

    @property
    def noun(self) -> str:
        return f"external reference '{self.id}'"


def reference_with(id: str) -> ExternalReferenceRow:
    noun = "external reference"
    return row_with_id(ExternalReferenceRow, id, ExternalReferenceNotFound, noun)
