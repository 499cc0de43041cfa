"""A milestone as it is kept."""

from peewee import ForeignKeyField, TextField

from models.base import MomentField, Row
from models.errors import MilestoneNotFound
from models.projects.project import ProjectRow


class MilestoneRow(Row):
    project_id: str

    id = TextField(primary_key=True)
    project = ForeignKeyField(ProjectRow, on_delete="CASCADE")
    name = TextField()
    description = TextField(null=True)
    status = TextField()
    bucket = TextField()
    target_at = MomentField(null=True)
    created_at = MomentField()
    updated_at = MomentField()
    archived_at = MomentField(null=True)

    @property
    def noun(self) -> str:
        return f"milestone '{self.name}'"


def milestone_with(id: str) -> MilestoneRow:
    milestone = MilestoneRow.get_or_none(MilestoneRow.id == id)
    if milestone is None:
        raise MilestoneNotFound(f"No milestone has the id '{id}'.")
    return milestone
