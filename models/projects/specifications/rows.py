"""The tables of specifications: heads and revisions."""

from peewee import ForeignKeyField, IntegerField, TextField

from models.base import MomentField, Row
from models.errors import SpecificationNotFound
from models.projects.projects.rows import ProjectRow
from models.projects.versioning.versioned import Versioned


class SpecificationRow(Row):
    """The head of a specification; its content is stored in the revisions."""

    project_id: str
    content: str

    id = TextField(primary_key=True)
    project = ForeignKeyField(ProjectRow, on_delete="CASCADE", index=False)
    title = TextField()
    slug = TextField()
    status = TextField()
    version = IntegerField()
    creator_id = TextField()
    creator_type = TextField()
    created_at = MomentField()
    updated_at = MomentField()
    superseded_at = MomentField(null=True)
    # The id of its successor, in the same project.
    superseded_by = TextField(null=True, index=True)
    archived_at = MomentField(null=True)

    class Meta:
        indexes = (
            (("project", "slug"), True),
            (("updated_at", "id"), False),
        )

    @property
    def noun(self) -> str:
        return f"specification '{self.slug}'"


class SpecificationRevisionRow(Row):
    specification_id: str

    id = TextField(primary_key=True)
    specification = ForeignKeyField(SpecificationRow, on_delete="CASCADE", index=False)
    version = IntegerField()
    title = TextField()
    status = TextField()
    summary = TextField(null=True)
    author_id = TextField()
    author_type = TextField()
    created_at = MomentField()
    # Bytes of the content. The content is the last column, so that reading the others
    # stays cheap.
    size = IntegerField()
    content = TextField()

    class Meta:
        indexes = ((("specification", "version"), True),)


SPECIFICATIONS = Versioned[SpecificationRow, SpecificationRevisionRow](
    "specification", SpecificationRow, SpecificationRevisionRow, SpecificationNotFound
)


def specification_with(id: str) -> SpecificationRow:
    return SPECIFICATIONS.with_id(id)
