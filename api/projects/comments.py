"""Operations on comments."""

from api.operation import MIB, Call, operation
from api.projects import ENTITY_CHANGE, PROJECT_CHANGE, VERSIONED_CHANGE
from models.errors import (
    CommentNotFound,
    CommentRemoved,
    DocumentNotFound,
    NotAuthor,
    ProjectNotFound,
    SpecificationNotFound,
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


@operation("GET /projects/v1/comments/get", response=Comment, errors=(CommentNotFound,))
def get_comment(call: Call, query: GetComment) -> CommentRow:
    """Get a comment."""
    return comment_with(query.id)


@operation(
    "POST /projects/v1/comments/add",
    response=Comment,
    errors=(*ENTITY_NOT_FOUND, *ENTITY_CHANGE),
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
    response=Comment,
    errors=(CommentNotFound, *VERSIONED_CHANGE, NotAuthor, CommentRemoved),
    max_body_bytes=MIB,
)
def update_comment(call: Call, request: UpdateComment) -> CommentRow:
    """Change the content of a comment. Only its author may do so."""
    return call.result_of(comments.update_comment(request, call.now, call.actor))


@operation(
    "POST /projects/v1/comments/remove",
    response=Comment,
    errors=(CommentNotFound, *PROJECT_CHANGE),
    max_body_bytes=MIB,
)
def remove_comment(call: Call, request: RemoveComment) -> CommentRow:
    """
    Remove a comment. Its content is deleted for good; the record remains.

    Its author and maintainers may do so.
    """
    return call.result_of(comments.remove_comment(request, call.now, call.actor))
