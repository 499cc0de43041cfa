"""A reference to something in another system, as it is kept."""

from peewee import ForeignKeyField, TextField

from models.base import JsonField, MomentField, Row
from models.errors import ExternalReferenceNotFound
from models.projects.project import ProjectRow


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
    reference = ExternalReferenceRow.get_or_none(ExternalReferenceRow.id == id)
    if reference is None:
        raise ExternalReferenceNotFound(f"No external reference has the id '{id}'.")
    return reference
