"""List, add, change and remove comments."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from models.base import Schema, new_id
from models.errors import NotAuthor
from models.fields import ID, CreatedAt, Id, MayOmit, Moment, UpdatedAt
from models.pagination import CursorQuery, Page, cursor_page, filter_rows
from models.projects import descriptions
from models.projects.discussion.rows import CommentRow, comment_with
from models.projects.entities import (
    commented_entity,
    entity_with,
    require_not_removed,
    require_writable,
)
from models.projects.fields import (
    Actor,
    AuthorType,
    ExpectedUpdatedAt,
    Order,
    ProjectId,
    ProjectQuery,
    UpdatedAfter,
    sort_keys,
)
from models.projects.members.role_checks import require_role
from models.projects.projects.activity import record_activity
from models.projects.projects.rows import (
    filter_by_project,
    require_active,
    require_updated_at,
)
from models.projects.search.text_index import index_text, remove_text

CommentedType = Literal["work", "specification", "document"]
CommentText = Annotated[str, Field(min_length=1, max_length=50_000)]


class Comment(Schema):
    id: Annotated[Id, ID]
    entity_type: Annotated[CommentedType, descriptions.ENTITY_TYPE]
    entity_id: Annotated[Id, descriptions.ENTITY_ID]
    project_id: ProjectId
    author_id: Annotated[str, descriptions.AUTHOR_ID]
    author_type: AuthorType
    content: Annotated[str, descriptions.CONTENT]
    created_at: CreatedAt
    updated_at: UpdatedAt
    deleted_at: Moment | None = Field(
        description="When it was removed.", examples=[None]
    )


class ListComments(ProjectQuery, CursorQuery, example=("entityType", "entityId")):
    entity_type: Annotated[CommentedType | None, descriptions.ENTITY_TYPE] = None
    entity_id: Annotated[Id | None, descriptions.ENTITY_ID] = None
    author_id: Annotated[Id | None, descriptions.AUTHOR_ID] = None
    removed: Literal["include", "exclude"] = Field(
        default="include", description="Whether to include removed comments."
    )
    updated_after: UpdatedAfter | None = None
    order: Order = "asc"

    @model_validator(mode="after")
    def _require_subject(self) -> "ListComments":
        if (self.entity_type is None) != (self.entity_id is None):
            raise ValueError("entityType and entityId go together.")
        if self.entity_id is self.project_id is self.project_slug is None:
            raise ValueError("Give entityType with entityId, or a project.")
        return self


class GetComment(Schema):
    id: Annotated[Id, ID]


class AddComment(Schema, example=("content",)):
    entity_type: Annotated[CommentedType, descriptions.ENTITY_TYPE]
    entity_id: Annotated[Id, descriptions.ENTITY_ID]
    content: Annotated[CommentText, descriptions.CONTENT]


class UpdateComment(Schema, example=("content",)):
    id: Annotated[Id, ID]
    content: Annotated[CommentText, descriptions.CONTENT]
    expected_updated_at: MayOmit[ExpectedUpdatedAt] = None


class RemoveComment(Schema):
    id: Annotated[Id, ID]


def list_comments(query: ListComments) -> Page[CommentRow]:
    """Return a page; removed comments are listed, without content, by default."""
    rows = filter_by_project(CommentRow.select(), CommentRow, query, is_named=True)
    if query.entity_type is not None and query.entity_id is not None:
        entity_with(query.entity_type, query.entity_id)
        rows = rows.where(
            CommentRow.entity_type == query.entity_type,
            CommentRow.entity_id == query.entity_id,
        )
    rows = filter_rows(rows, CommentRow, query, "author_id")
    if query.removed == "exclude":
        rows = rows.where(CommentRow.deleted_at.is_null())
    if query.updated_after is not None:
        rows = rows.where(CommentRow.updated_at >= query.updated_after)
    sort = sort_keys(CommentRow, "createdAt", query.order)
    return cursor_page(
        rows, query, *sort, weight=lambda comment: len(comment.content.encode())
    )


def add_comment(request: AddComment, now: datetime, actor: Actor) -> CommentRow:
    entity = entity_with(request.entity_type, request.entity_id)
    require_role(entity.project, actor, "comments:add")
    require_writable(entity)
    comment = CommentRow.create(
        id=new_id(now),
        project=entity.project,
        author_id=actor.id,
        author_type=actor.type,
        created_at=now,
        updated_at=now,
        **request.all_fields(),
    )
    index_text(entity.project, "comment", comment.id, "", comment.content)
    _record_activity(comment, "added", now, actor, length=len(comment.content))
    return comment


def update_comment(
    request: UpdateComment, now: datetime, actor: Actor
) -> tuple[CommentRow, bool]:
    """
    Change a comment; return whether the content differs.

    Raise NotAuthor unless the actor is the author.
    """
    comment = comment_with(request.id)
    require_role(comment.project, actor, "comments:update")
    if not is_author(comment, actor):
        raise NotAuthor("Only the author of a comment may change it.")
    require_updated_at(comment, request.expected_updated_at)
    require_writable(commented_entity(comment))
    require_not_removed(comment)
    old_length = len(comment.content)
    if not comment.change({"content": request.content}, now):
        return comment, False
    index_text(comment.project, "comment", comment.id, "", comment.content)
    lengths = {"fromLength": old_length, "toLength": len(comment.content)}
    _record_activity(comment, "updated", now, actor, **lengths)
    return comment, True


def remove_comment(
    request: RemoveComment, now: datetime, actor: Actor
) -> tuple[CommentRow, bool]:
    """
    Delete the content of a comment for good; return whether that changed anything.

    The author may do so even if the entity is archived, but not in an archived
    project.
    """
    comment = comment_with(request.id)
    is_by_author = is_author(comment, actor)
    case = "comments:remove of one's own" if is_by_author else "comments:remove"
    require_role(comment.project, actor, case)
    require_active(comment.project)
    if comment.deleted_at is not None:
        return comment, False
    comment.change({"content": "", "deleted_at": now}, now)
    remove_text(comment.id)
    _record_activity(comment, "removed", now, actor, byAuthor=is_by_author)
    return comment, True


def is_author(comment: CommentRow, actor: Actor) -> bool:
    return (comment.author_type, comment.author_id) == (actor.type, actor.id)


def _record_activity(
    comment: CommentRow, verb: str, now: datetime, actor: Actor, **metadata: Any
) -> None:
    """Record the comment and its subject, never its content."""
    record_activity(
        comment,
        f"comment.{verb}",
        actor,
        now,
        onType=comment.entity_type,
        onId=comment.entity_id,
        **metadata,
    )
