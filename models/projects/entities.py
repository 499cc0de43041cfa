"""Find the entities of projects that comments and references are attached to."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from models.errors import CommentRemoved
from models.projects.discussion.rows import CommentRow, comment_with
from models.projects.documents.rows import document_with
from models.projects.fields import EntityType
from models.projects.members.rows import member_with
from models.projects.planning.rows import milestone_with
from models.projects.projects.rows import ProjectRow, project_with, require_active
from models.projects.specifications.rows import specification_with
from models.projects.work.rows import work_item_with

_FINDERS: dict[str, Callable[[str], Any]] = {
    "work": work_item_with,
    "specification": specification_with,
    "document": document_with,
    "milestone": milestone_with,
    "comment": comment_with,
}


@dataclass(frozen=True)
class Entity:
    """An entity of a project; `row` is None for the project itself."""

    type: EntityType
    id: str
    project: ProjectRow
    row: Any

    @property
    def project_id(self) -> str:
        return str(self.project.id)


def entity_with(type: EntityType, id: str, *, project_id: str | None = None) -> Entity:
    """
    Return the entity; a member has the id of its account and needs `project_id`.

    Raise the not-found error of its type if there is none.
    """
    if type == "project":
        return Entity(type, id, project_with(id), None)
    if type == "member":
        project = project_with(project_id)
        return Entity(type, id, project, member_with(project, id))
    row = _FINDERS[type](id)
    return Entity(type, id, row.project, row)


def require_writable(entity: Entity) -> None:
    """Raise an error if the entity is archived, or is a removed comment."""
    if entity.type == "comment":
        require_writable(commented_entity(entity.row))
        require_not_removed(entity.row)
    else:
        has_archive = entity.type not in ("project", "member")
        require_active(entity.project, entity.row if has_archive else None)


def commented_entity(comment: CommentRow) -> Entity:
    """Return the entity that the comment is on."""
    type: Any = comment.entity_type
    return entity_with(type, comment.entity_id)


def require_not_removed(comment: CommentRow) -> None:
    """Raise CommentRemoved if the comment was removed."""
    if comment.deleted_at is not None:
        raise CommentRemoved("The comment was removed, and its text was deleted.")
