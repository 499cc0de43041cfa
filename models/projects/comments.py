"""Comments on work items, specifications and documents: flat, in order of time."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from models.base import Shape, new_id
from models.errors import NotAuthor
from models.pagination import CursorQuery, Page, page_of
from models.projects.activity import record_activity
from models.projects.comment import CommentRow, comment_with
from models.projects.entities import (
    commented,
    entity_with,
    require_kept,
    require_open,
)
from models.projects.listing import in_projects
from models.projects.members import require_role
from models.projects.project import require_active, require_updated_at
from models.projects.text_index import index_text, unindex_text
from models.projects.words import ActorType, By, OfProject, Order, sorted_by
from models.words import Id, MayOmit, Moment

CommentedType = Literal["work", "specification", "document"]
CommentText = Annotated[str, Field(min_length=1, max_length=50_000)]


class Comment(Shape):
    id: Id
    entity_type: CommentedType
    entity_id: Id
    project_id: Id
    author_id: str
    author_type: ActorType
    content: str
    created_at: Moment
    updated_at: Moment
    deleted_at: Moment | None


class ListComments(OfProject, CursorQuery):
    entity_type: CommentedType | None = None
    entity_id: Id | None = None
    author_id: Id | None = None
    removed: Literal["include", "exclude"] = "include"
    updated_after: Moment | None = None
    order: Order = "asc"

    @model_validator(mode="after")
    def _on_something(self) -> "ListComments":
        if (self.entity_type is None) != (self.entity_id is None):
            raise ValueError("entityType and entityId go together.")
        if self.entity_id is self.project_id is self.project_slug is None:
            raise ValueError("Give entityType with entityId, or a project.")
        return self


class GetComment(Shape):
    id: Id


class AddComment(Shape):
    entity_type: CommentedType
    entity_id: Id
    content: CommentText


class UpdateComment(Shape):
    id: Id
    content: CommentText
    expected_updated_at: MayOmit[Moment] = None


class RemoveComment(Shape):
    id: Id


def comments_listed(asked: ListComments) -> Page[CommentRow]:
    """Return a page; removed comments keep their places unless left out."""
    query = in_projects(CommentRow.select(), CommentRow, asked, is_named=True)
    if asked.entity_type is not None and asked.entity_id is not None:
        entity_with(asked.entity_type, asked.entity_id)
        query = query.where(
            CommentRow.entity_type == asked.entity_type,
            CommentRow.entity_id == asked.entity_id,
        )
    if asked.author_id is not None:
        query = query.where(CommentRow.author_id == asked.author_id)
    if asked.removed == "exclude":
        query = query.where(CommentRow.deleted_at.is_null())
    if asked.updated_after is not None:
        query = query.where(CommentRow.updated_at >= asked.updated_after)
    sort = sorted_by(CommentRow.created_at, asked.order, CommentRow.id)
    return page_of(query, asked, *sort, weight=_bytes)


def add_comment(asked: AddComment, now: datetime, by: By) -> CommentRow:
    entity = entity_with(asked.entity_type, asked.entity_id)
    require_role(entity.project, by, "comments:add")
    require_open(entity)
    comment = CommentRow.create(
        id=new_id(now),
        project=entity.project,
        author_id=by.actor_id,
        author_type=by.actor_type,
        created_at=now,
        updated_at=now,
        **asked.members(),
    )
    index_text(entity.project, "comment", comment.id, "", comment.content)
    _record(comment, "added", now, by, length=len(comment.content))
    return comment


def update_comment(
    asked: UpdateComment, now: datetime, by: By
) -> tuple[CommentRow, bool]:
    """Let the author say it otherwise; tell whether it is otherwise."""
    comment = comment_with(asked.id)
    require_role(comment.project, by, "comments:update")
    if not is_author(comment, by):
        raise NotAuthor("Only the author of a comment may change what it says.")
    require_updated_at(comment, asked.expected_updated_at)
    require_open(commented(comment))
    require_kept(comment)
    old = len(comment.content)
    if not comment.change({"content": asked.content}, now):
        return comment, False
    index_text(comment.project, "comment", comment.id, "", comment.content)
    told = {"fromLength": old, "toLength": len(comment.content)}
    _record(comment, "updated", now, by, **told)
    return comment, True


def remove_comment(
    asked: RemoveComment, now: datetime, by: By
) -> tuple[CommentRow, bool]:
    """
    Take the words away for good; tell whether they were there.

    An author may always take back the own words, from what is archived too; only
    an archived project stays as it is.
    """
    comment = comment_with(asked.id)
    by_author = is_author(comment, by)
    case = "comments:remove of one's own" if by_author else "comments:remove"
    require_role(comment.project, by, case)
    require_active(comment.project)
    if comment.deleted_at is not None:
        return comment, False
    comment.change({"content": "", "deleted_at": now}, now)
    unindex_text(comment.id)
    _record(comment, "removed", now, by, byAuthor=by_author)
    return comment, True


def is_author(comment: CommentRow, by: By) -> bool:
    return (comment.author_type, comment.author_id) == (by.actor_type, by.actor_id)


def _bytes(comment: CommentRow) -> int:
    return len(comment.content.encode())


def _record(comment: CommentRow, verb: str, now: datetime, by: By, **told: Any) -> None:
    """Tell that someone spoke, and on what; never what was said."""
    about = {"onType": comment.entity_type, "onId": comment.entity_id}
    action = f"comment.{verb}"
    record_activity(comment.project, action, comment.id, by, now, **about, **told)
