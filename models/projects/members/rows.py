"""Store the members of projects."""

from datetime import datetime

from peewee import AutoField, ForeignKeyField, TextField

from models.base import MomentField, Row
from models.errors import MemberNotFound
from models.projects.projects.rows import ProjectRow


class MemberRow(Row):
    project_id: str

    number = AutoField()
    project = ForeignKeyField(ProjectRow, on_delete="CASCADE")
    account_id = TextField(index=True)
    role = TextField()
    created_at = MomentField()

    class Meta:
        indexes = ((("project", "account_id"), True),)

    @property
    def id(self) -> str:
        """Return the id by which activity names a member."""
        return str(self.account_id)

    def touch(self, now: datetime) -> None:  # noqa: ARG002
        """Save the row, which has no updated_at."""
        self.save()


def find_member(project: ProjectRow, account_id: str) -> MemberRow | None:
    """Return the membership of the account, or None."""
    member: MemberRow | None = MemberRow.get_or_none(
        MemberRow.project == project.id, MemberRow.account_id == account_id
    )
    return member


def member_with(project: ProjectRow, account_id: str) -> MemberRow:
    """Return the membership of the account; raise MemberNotFound if it has none."""
    member = find_member(project, account_id)
    if member is None:
        raise MemberNotFound(
            f"The project '{project.slug}' has no member '{account_id}'."
        )
    return member
