"""Operations on comments."""

from api.locks import of_entity, of_row
from api.operation import MIB, Call, operation
from models.errors import (
    Archived,
    CommentNotFound,
    CommentRemoved,
    DocumentNotFound,
    NotAuthor,
    ProjectArchived,
    ProjectNotFound,
    RoleRequired,
    SpecificationNotFound,
    VersionConflict,
    WorkItemNotFound,
)
from models.pagination import Page
from models.projects.discussion import comments
from models.projects.discussion.comments import (
    AddComment,
    Comment,
    GetComment,
    ListComments,
    RemoveComment,
    UpdateComment,
)
from models.projects.discussion.rows import CommentRow, comment_with

ENTITY_NOT_FOUND = (WorkItemNotFound, SpecificationNotFound, DocumentNotFound)


@operation(
    "GET /projects/v1/comments/list",
    scope="projects:comments:list",
    request=ListComments,
    response=list[Comment],
    errors=(ProjectNotFound, *ENTITY_NOT_FOUND),
)
def list_comments(call: Call, query: ListComments) -> Page[CommentRow]:
    """
    List the comments on an entity or in a project, oldest first.

    Removed comments are listed without their content unless removed is exclude. A
    page also ends at 4 MiB of content.
    """
    return comments.list_comments(query)


@operation(
    "GET /projects/v1/comments/get",
    scope="projects:comments:get",
    request=GetComment,
    response=Comment,
    errors=(CommentNotFound,),
)
def get_comment(call: Call, query: GetComment) -> CommentRow:
    """Get a comment."""
    return comment_with(query.id)


@operation(
    "POST /projects/v1/comments/add",
    scope="projects:comments:add",
    locks=of_entity,
    request=AddComment,
    response=Comment,
    errors=(*ENTITY_NOT_FOUND, RoleRequired, ProjectArchived, Archived),
    max_body_bytes=MIB,
)
def add_comment(call: Call, request: AddComment) -> CommentRow:
    """
    Comment on a work item, a specification or a document.

    Send an Idempotency-Key to repeat the call safely.
    """
    return comments.add_comment(request, call.now, call.actor)


@operation(
    "POST /projects/v1/comments/update",
    scope="projects:comments:update",
    locks=of_row("comment"),
    request=UpdateComment,
    response=Comment,
    errors=(
        CommentNotFound,
        RoleRequired,
        NotAuthor,
        VersionConflict,
        ProjectArchived,
        Archived,
        CommentRemoved,
    ),
    max_body_bytes=MIB,
)
def update_comment(call: Call, request: UpdateComment) -> CommentRow:
    """Change the content of a comment. Only its author may do so."""
    comment, is_changed = comments.update_comment(request, call.now, call.actor)
    if not is_changed:
        call.mark_unchanged()
    return comment


@operation(
    "POST /projects/v1/comments/remove",
    scope="projects:comments:remove",
    locks=of_row("comment"),
    request=RemoveComment,
    response=Comment,
    errors=(CommentNotFound, RoleRequired, ProjectArchived),
    max_body_bytes=MIB,
)
def remove_comment(call: Call, request: RemoveComment) -> CommentRow:
    """
    Remove a comment. Its content is deleted for good; the record remains.

    Its author and maintainers may do so.
    """
    comment, is_changed = comments.remove_comment(request, call.now, call.actor)
    if not is_changed:
        call.mark_unchanged()
    return comment
