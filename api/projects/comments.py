"""What may be asked about comments."""

from api.operation import MIB, Call, operation
from api.projects.by import by
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
from models.projects.comment import CommentRow, comment_with
from models.projects.comments import (
    AddComment,
    Comment,
    GetComment,
    ListComments,
    RemoveComment,
    UpdateComment,
    add_comment,
    comments_listed,
    remove_comment,
    update_comment,
)

COMMENTED = (WorkItemNotFound, SpecificationNotFound, DocumentNotFound)


@operation(
    "GET /projects/v1/comments/list",
    scope="projects:comments:list",
    takes=ListComments,
    gives=list[Comment],
    refuses=(ProjectNotFound, *COMMENTED),
)
def list_comments(call: Call, asked: ListComments) -> Page[CommentRow]:
    """
    List the comments on one thing, or in a project, oldest first.

    Removed comments keep their places, without their words, unless removed is
    exclude. A page also ends at 4 MiB of text.
    """
    return comments_listed(asked)


@operation(
    "GET /projects/v1/comments/get",
    scope="projects:comments:get",
    takes=GetComment,
    gives=Comment,
    refuses=(CommentNotFound,),
)
def get_comment(call: Call, asked: GetComment) -> CommentRow:
    """Get a comment."""
    return comment_with(asked.id)


@operation(
    "POST /projects/v1/comments/add",
    scope="projects:comments:add",
    takes=AddComment,
    gives=Comment,
    refuses=(*COMMENTED, RoleRequired, ProjectArchived, Archived),
    most_bytes=MIB,
)
def say_comment(call: Call, asked: AddComment) -> CommentRow:
    """
    Comment on a work item, a specification or a document.

    Send an Idempotency-Key to be able to repeat the call safely.
    """
    return add_comment(asked, call.now, by(call))


@operation(
    "POST /projects/v1/comments/update",
    scope="projects:comments:update",
    takes=UpdateComment,
    gives=Comment,
    refuses=(
        CommentNotFound,
        RoleRequired,
        NotAuthor,
        VersionConflict,
        ProjectArchived,
        Archived,
        CommentRemoved,
    ),
    most_bytes=MIB,
)
def change_comment(call: Call, asked: UpdateComment) -> CommentRow:
    """Change what a comment says, which only its author may."""
    comment, changed = update_comment(asked, call.now, by(call))
    if not changed:
        call.unchanged()
    return comment


@operation(
    "POST /projects/v1/comments/remove",
    scope="projects:comments:remove",
    takes=RemoveComment,
    gives=Comment,
    refuses=(CommentNotFound, RoleRequired, ProjectArchived),
    most_bytes=MIB,
)
def take_comment(call: Call, asked: RemoveComment) -> CommentRow:
    """
    Remove a comment: its place stays, its words are gone for good.

    Its author may, and a maintainer.
    """
    comment, changed = remove_comment(asked, call.now, by(call))
    if not changed:
        call.unchanged()
    return comment
