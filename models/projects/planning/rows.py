"""Store milestones and labels."""

from datetime import datetime

from peewee import ForeignKeyField, TextField

from models.audit import AuditTarget
from models.base import MomentField, Row, row_with_id
from models.errors import LabelNotFound, MilestoneNotFound
from models.projects.projects.rows import ProjectRow


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
    return row_with_id(MilestoneRow, id, MilestoneNotFound, "milestone")


class LabelRow(Row):
    """A label; without a project it is global, and every project can use it."""

    project_id: str | None

    id = TextField(primary_key=True)
    project = ForeignKeyField(ProjectRow, on_delete="CASCADE", null=True, index=False)
    name = TextField(index=True)
    created_at = MomentField()

    class Meta:
        indexes = ((("project", "name"), True),)

    @property
    def is_global(self) -> bool:
        return self.project_id is None

    @property
    def audited(self) -> AuditTarget:
        return AuditTarget("label", self.id, self.name)

    def touch(self, now: datetime) -> None:  # noqa: ARG002
        """Save the row, which has no updated_at."""
        self.save()


def label_with(id: str) -> LabelRow:
    return row_with_id(LabelRow, id, LabelNotFound, "label")
