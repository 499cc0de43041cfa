"""Every kind of problem: its status, what it means and what the caller can do."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Problem:
    """One kind; `remedy` is said to whoever meets it."""

    status: int
    title: str
    meaning: str
    remedy: str


def _not_found(noun: str) -> Problem:
    return Problem(
        404,
        f"No such {noun}",
        "The request names one that is not there, or that this caller cannot see.",
        "Check the id or slug; list what there is.",
    )


def _conflict(title: str, meaning: str, remedy: str) -> Problem:
    """State in the way: read again, then decide."""
    return Problem(409, title, meaning, remedy)


KINDS: dict[str, Problem] = {
    "malformed-request": Problem(
        400,
        "Malformed request",
        "The body is not JSON in UTF-8, or a query parameter is repeated.",
        "Send one JSON object, and each parameter once.",
    ),
    "idempotency-key-missing": Problem(
        400,
        "Idempotency-Key missing",
        "The operation creates something and must be safe to repeat.",
        "Send the header Idempotency-Key with a text of your own, new for each"
        " new request and the same for each repeat.",
    ),
    "idempotency-key-invalid": Problem(
        400,
        "Idempotency-Key invalid",
        "The key must be 1 to 255 visible ASCII characters.",
        "Send a UUID, for example; a pair of quotation marks around it is fine.",
    ),
    "invalid-cursor": Problem(
        400,
        "Invalid cursor",
        "The cursor is damaged, or was given for another list or other filters.",
        "Start again without a cursor and keep the filters while paging.",
    ),
    "actor-required": Problem(
        400,
        "Account required",
        "A key that may act for persons asks for a developer's keys without"
        " saying whose.",
        "Send the header Act-As-Account with the developer's account.",
    ),
    "missing-credentials": Problem(
        401,
        "API key required",
        "The request carries no API key.",
        "Send the header Authorization: Bearer <API_KEY>.",
    ),
    "invalid-key": Problem(
        401,
        "Invalid API key",
        "The API key is unknown or mistyped.",
        "Check that the whole secret was copied.",
    ),
    "key-revoked": Problem(
        401,
        "API key revoked",
        "The API key was revoked and opens nothing any more.",
        "Ask an administrator for a new key.",
    ),
    "key-expired": Problem(
        401,
        "API key expired",
        "The time of the API key is over.",
        "Use its replacement, or ask an administrator for a new key.",
    ),
    "insufficient-scope": Problem(
        403,
        "Scope required",
        "The API key does not cover the scope of this operation.",
        "Use a key that covers requiredScope.",
    ),
    "actor-not-allowed": Problem(
        403,
        "May not act for others",
        "Only a key that holds platform:actors:assert may name another actor.",
        "Leave out Act-As-Email and Act-As-Account, or use such a key.",
    ),
    "scope-not-grantable": Problem(
        403,
        "Scope not grantable",
        "A key may only grant what it covers itself.",
        "Leave out the scopes listed, or use a key that covers them.",
    ),
    "scope-not-public": Problem(
        403,
        "Scope not public",
        "A developer's key may hold public scopes only.",
        "Leave out the scopes listed, or ask an administrator for a key.",
    ),
    "role-required": Problem(
        403,
        "Role required",
        "The caller's role in the project does not allow this.",
        "Ask an owner of the project for the role that detail names.",
    ),
    "not-author": Problem(
        403,
        "Not the author",
        "Only its author may change a comment.",
        "Write a comment of your own.",
    ),
    "not-found": Problem(
        404,
        "Not found",
        "There is nothing at this address.",
        "Check the address against the reference.",
    ),
    "key-not-found": _not_found("key"),
    "service-not-found": _not_found("service"),
    "incident-not-found": _not_found("incident"),
    "maintenance-not-found": _not_found("maintenance window"),
    "project-not-found": _not_found("project"),
    "document-not-found": _not_found("document"),
    "revision-not-found": _not_found("revision"),
    "member-not-found": _not_found("member"),
    "work-item-not-found": _not_found("work item"),
    "label-not-found": _not_found("label"),
    "milestone-not-found": _not_found("milestone"),
    "specification-not-found": _not_found("specification"),
    "comment-not-found": _not_found("comment"),
    "external-reference-not-found": _not_found("external reference"),
    "method-not-allowed": Problem(
        405,
        "Method not allowed",
        "The address exists, but not for this method.",
        "Use a method of the header Allow: reads are GET, changes are POST.",
    ),
    "slug-taken": _conflict(
        "Slug taken",
        "Something else already has this slug.",
        "Choose another slug, or update what has it.",
    ),
    "name-taken": _conflict(
        "Name taken",
        "Something else there already has this name.",
        "Choose another name, or use what has it.",
    ),
    "member-exists": _conflict(
        "Already a member",
        "The account is a member in another role.",
        "Change its role with members/update.",
    ),
    "version-conflict": _conflict(
        "Version conflict",
        "It was changed since the version that the request expects.",
        "Read it again, then decide.",
    ),
    "key-not-active": _conflict(
        "Key not active",
        "The key is revoked or has expired, so it cannot be changed.",
        "Issue a new key.",
    ),
    "project-archived": _conflict(
        "Project archived",
        "An archived project is read-only.",
        "Restore the project first.",
    ),
    "archived": _conflict(
        "Archived",
        "What is archived is read-only.",
        "Restore it first.",
    ),
    "not-archived": _conflict(
        "Not archived",
        "Only an archived project can be purged.",
        "Archive the project first.",
    ),
    "builtin-project": _conflict(
        "Built-in project",
        "The built-in project can be neither archived nor purged.",
        "Archive or unpublish what is in it instead.",
    ),
    "owner-membership": _conflict(
        "Membership of the owner",
        "The account that answers for a project stays its owner.",
        "Transfer the project to another account first.",
    ),
    "relationship-cycle": _conflict(
        "Cycle of relationships",
        "What blocks or supersedes may not lead back to itself.",
        "Remove one of the relationships that detail names.",
    ),
    "specification-superseded": _conflict(
        "Specification superseded",
        "A superseded specification no longer changes.",
        "Change its successor.",
    ),
    "successor-unusable": _conflict(
        "Successor unusable",
        "A successor is another living specification of the same project.",
        "Name the specification that detail names, or a new one.",
    ),
    "document-published": _conflict(
        "Document published",
        "The change is not possible while the document is published.",
        "Unpublish the document first.",
    ),
    "collection-required": _conflict(
        "Collection required",
        "A published page needs a collection to appear in.",
        "Set the document's collection, then publish.",
    ),
    "comment-removed": _conflict(
        "Comment removed",
        "A removed comment can be neither edited nor restored.",
        "Write a new comment.",
    ),
    "limit-exceeded": _conflict(
        "Limit reached",
        "There is as much of it as one thing can hold.",
        "Remove what is no longer needed.",
    ),
    "idempotency-in-progress": _conflict(
        "Request in progress",
        "A request with the same Idempotency-Key is still being answered.",
        "Repeat it after the time of the header Retry-After.",
    ),
    "payload-too-large": Problem(
        413,
        "Body too large",
        "The body is larger than the operation takes.",
        "Send at most limitBytes bytes.",
    ),
    "unsupported-media-type": Problem(
        415,
        "Unsupported media type",
        "A body must be JSON.",
        "Send Content-Type: application/json, or none.",
    ),
    "validation-failed": Problem(
        422,
        "Validation failed",
        "The request is well-formed, but something in it is wrong.",
        "Correct what errors lists.",
    ),
    "idempotency-key-reused": Problem(
        422,
        "Idempotency-Key reused",
        "The same Idempotency-Key was sent before with another request.",
        "Use a new key for a new request.",
    ),
    "reference-not-found": Problem(
        422,
        "Reference not found",
        "The body names something that does not exist.",
        "Correct the names that detail lists.",
    ),
    "confirmation-mismatch": Problem(
        422,
        "Confirmation mismatch",
        "The confirmation is not the slug of the project.",
        "Send confirm with the exact slug of what is to be purged.",
    ),
    "owner-required": Problem(
        422,
        "Owner required",
        "A key that acts for no account names who answers for a project.",
        "Send ownerId.",
    ),
    "rate-limited": Problem(
        429,
        "Too many requests",
        "The key has used up its rate.",
        "Wait for the time of the header Retry-After.",
    ),
    "internal-error": Problem(
        500,
        "Internal error",
        "Something is wrong on our side. Nothing was kept.",
        "Try again; if it stays, tell an operator the requestId.",
    ),
    "storage-busy": Problem(
        503,
        "Storage busy",
        "The storage cannot take a write now. Nothing was kept.",
        "Try again after the time of the header Retry-After.",
    ),
}
