"""Store work items, their links and their relationships."""

from typing import Any

from peewee import AutoField, ForeignKeyField, IntegerField, TextField

from models.base import MomentField, Row, row_with_id
from models.errors import WorkItemNotFound
from models.projects.planning.rows import LabelRow, MilestoneRow
from models.projects.projects.rows import ProjectRow
from models.projects.specifications.rows import SpecificationRow

# In the order in which lists sort them: most urgent first, nearest first.
PRIORITIES = ("critical", "high", "normal", "low", "none")
BUCKETS = ("now", "next", "later", "someday", "none")


class RankField(IntegerField):
    """One of a few ordered words, stored as its rank."""

    def __init__(self, words: tuple[str, ...], **options: Any) -> None:
        super().__init__(**options)
        self.words = words

    def db_value(self, value: Any) -> Any:
        return self.words.index(value) if isinstance(value, str) else value

    def python_value(self, value: Any) -> Any:
        return None if value is None else self.words[value]


class WorkItemRow(Row):
    project_id: str
    milestone_id: str | None
    # Set by load_links.
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
            # One for each sort order of a list, in one project and in all.
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
            # Filters of lists that often match few items.
            (("status",), False),
            (("creator_id",), False),
            (("completed_at",), False),
        )

    @property
    def noun(self) -> str:
        return f"work item {self.name}"

    @property
    def name(self) -> str:
        """The name for people: the slug of the project and the number."""
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
            # A covering index: finding the items of a label reads no rows.
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
    """A relationship: symmetric ones are stored once, depends_on as inverse blocks."""

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
    return row_with_id(WorkItemRow, id, WorkItemNotFound, "work item")
