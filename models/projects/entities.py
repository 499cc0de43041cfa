"""What comments and references are about, by the words of the specification."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from models.errors import CommentRemoved, MemberNotFound
from models.projects.discussion.rows import CommentRow, comment_with
from models.projects.documents.rows import document_with
from models.projects.fields import EntityType
from models.projects.members.role_checks import MemberRow
from models.projects.planning.rows import milestone_with
from models.projects.projects.rows import ProjectRow, project_with, require_active
from models.projects.specifications.rows import specification_with
from models.projects.work.rows import work_item_with

_WITH_ID: dict[str, Callable[[str], Any]] = {
    "work": work_item_with,
    "specification": specification_with,
    "document": document_with,
    "milestone": milestone_with,
    "comment": comment_with,
}


@dataclass(frozen=True)
class Entity:
    """One thing of a project: `row` is None for the project itself."""

    type: EntityType
    id: str
    project: ProjectRow
    row: Any


def entity_with(type: EntityType, id: str, *, project_id: str | None = None) -> Entity:
    """
    Return the thing; a member is found by its project and its account.

    Raise the refusal of its kind where it is not there.
    """
    if type == "project":
        return Entity(type, id, project_with(id), None)
    if type == "member":
        project = project_with(project_id)
        return Entity(type, id, project, member_of(project, id))
    row = _WITH_ID[type](id)
    return Entity(type, id, row.project, row)


def member_of(project: ProjectRow, account_id: str) -> MemberRow:
    """Return the membership of the account, or refuse."""
    found = MemberRow.get_or_none(
        MemberRow.project == project.id, MemberRow.account_id == account_id
    )
    if found is None:
        raise MemberNotFound(
            f"The project '{project.slug}' has no member '{account_id}'."
        )
    return found


def require_open(entity: Entity) -> None:
    """Refuse to write on what is archived, or on a comment that was removed."""
    if entity.type == "comment":
        require_open(commented(entity.row))
        require_kept(entity.row)
    else:
        has_archive = entity.type not in ("project", "member")
        require_active(entity.project, entity.row if has_archive else None)


def commented(comment: CommentRow) -> Entity:
    """Return what the comment is on."""
    kind: Any = comment.entity_type
    return entity_with(kind, comment.entity_id)


def require_kept(comment: CommentRow) -> None:
    if comment.deleted_at is not None:
        raise CommentRemoved("The comment was removed, and what it said with it.")
