"""A work item as it is kept, with what it is tied to."""

from typing import Any

from peewee import AutoField, ForeignKeyField, IntegerField, TextField

from models.base import MomentField, Row
from models.errors import WorkItemNotFound
from models.projects.planning.rows import LabelRow, MilestoneRow
from models.projects.projects.rows import ProjectRow
from models.projects.specifications.rows import SpecificationRow

# Strongest first, nearest first: the order in which lists sort them.
PRIORITIES = ("critical", "high", "normal", "low", "none")
BUCKETS = ("now", "next", "later", "someday", "none")


class RankField(IntegerField):
    """A word of a few that have an order, kept as its rank."""

    def __init__(self, words: tuple[str, ...], **more: Any) -> None:
        super().__init__(**more)
        self.words = words

    def db_value(self, value: Any) -> Any:
        return self.words.index(value) if isinstance(value, str) else value

    def python_value(self, value: Any) -> Any:
        return None if value is None else self.words[value]


class WorkItemRow(Row):
    project_id: str
    milestone_id: str | None
    # What it is tied to, once that has been read.
    assignee_ids: list[str]
    label_ids: list[str]
    specifications: list[Any]

    id = TextField(primary_key=True)
    project = ForeignKeyField(ProjectRow, on_delete="CASCADE", index=False)
    number = IntegerField()
    type = TextField()
    title = TextField()
    description = TextField(null=True)
    status = TextField()
    priority = RankField(PRIORITIES)
    bucket = RankField(BUCKETS)
    creator_id = TextField()
    creator_type = TextField()
    milestone = ForeignKeyField(MilestoneRow, on_delete="SET NULL", null=True)
    due_at = MomentField(null=True)
    created_at = MomentField()
    updated_at = MomentField()
    completed_at = MomentField(null=True)
    archived_at = MomentField(null=True)

    class Meta:
        indexes = (
            (("project", "number"), True),
            # One for each order of a list, in a project and over all.
            (("project", "updated_at", "id"), False),
            (("project", "created_at", "id"), False),
            (("project", "due_at", "id"), False),
            (("project", "priority", "id"), False),
            (("project", "bucket", "id"), False),
            (("updated_at", "id"), False),
            (("created_at", "id"), False),
            (("due_at", "id"), False),
            (("priority", "id"), False),
            (("bucket", "id"), False),
            (("number", "id"), False),
            # What lists are narrowed by where few items have it.
            (("status",), False),
            (("creator_id",), False),
            (("completed_at",), False),
        )

    @property
    def noun(self) -> str:
        return f"work item {self.name}"

    @property
    def name(self) -> str:
        """How people name it: its project and its number."""
        return f"{self.project.slug}#{self.number}"


class WorkAssigneeRow(Row):
    work_id: str

    number = AutoField()
    work = ForeignKeyField(WorkItemRow, on_delete="CASCADE", index=False)
    account_id = TextField()

    class Meta:
        indexes = (
            (("work", "account_id"), True),
            (("account_id", "work"), False),
        )


class WorkLabelRow(Row):
    work_id: str
    label_id: str

    number = AutoField()
    work = ForeignKeyField(WorkItemRow, on_delete="CASCADE", index=False)
    label = ForeignKeyField(LabelRow, on_delete="CASCADE", index=False)

    class Meta:
        indexes = (
            (("work", "label"), True),
            # The items of a label are told without a look at its rows.
            (("label", "work"), False),
        )


class WorkSpecificationRow(Row):
    work_id: str
    specification_id: str

    number = AutoField()
    work = ForeignKeyField(WorkItemRow, on_delete="CASCADE", index=False)
    specification = ForeignKeyField(SpecificationRow, on_delete="CASCADE")
    relationship = TextField()

    class Meta:
        indexes = ((("work", "specification", "relationship"), True),)


class WorkRelationshipRow(Row):
    """As it is stored: symmetric ones once, depends_on as blocks turned round."""

    source_id: str
    target_id: str

    number = AutoField()
    source = ForeignKeyField(WorkItemRow, on_delete="CASCADE", index=False)
    target = ForeignKeyField(WorkItemRow, on_delete="CASCADE")
    relationship = TextField()
    created_by = TextField()
    created_at = MomentField()

    class Meta:
        indexes = ((("source", "target", "relationship"), True),)


def work_item_with(id: str) -> WorkItemRow:
    item = WorkItemRow.get_or_none(WorkItemRow.id == id)
    if item is None:
        raise WorkItemNotFound(f"No work item has the id '{id}'.")
    return item
