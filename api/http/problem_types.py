"""Define every problem type: its status, title, meaning and remedy."""

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class ProblemType:
    """A problem type of RFC 9457; `remedy` tells the caller what to do."""

    status: int
    title: str
    meaning: str
    remedy: str


def _not_found(noun: str) -> ProblemType:
    return ProblemType(
        404,
        f"{noun.capitalize()} not found",
        f"The {noun} does not exist, or this caller may not see it.",
        "Check the ID or slug; the list operation returns the existing ones.",
    )


def _conflict(title: str, meaning: str, remedy: str) -> ProblemType:
    """The request contradicts the current state."""
    return ProblemType(409, title, meaning, remedy)


PROBLEM_TYPES: dict[str, ProblemType] = {
    "malformed-request": ProblemType(
        400,
        "Malformed request",
        "The request is not HTTP as it should be, the body is not JSON in UTF-8, or a"
        " field of an object or a query parameter is repeated.",
        "Send one JSON object, and each field and parameter only once.",
    ),
    "idempotency-key-missing": ProblemType(
        400,
        "Idempotency-Key missing",
        "The operation requires the header Idempotency-Key, so that it is safe to"
        " retry.",
        "Send the header with a unique value, for example a UUID. Use a new value for"
        " each new request and the same value for each retry.",
    ),
    "idempotency-key-invalid": ProblemType(
        400,
        "Idempotency-Key invalid",
        "The Idempotency-Key is not a string of 1 to 255 visible ASCII characters.",
        "Send, for example, a UUID; it may be enclosed in quotation marks.",
    ),
    "invalid-cursor": ProblemType(
        400,
        "Invalid cursor",
        "The cursor is damaged, or it belongs to another list or to other filters.",
        "Start again without a cursor, and keep the filters the same on every page.",
    ),
    "actor-required": ProblemType(
        400,
        "Account required",
        "The API key may act for others, so the request must say whose keys it is"
        " about.",
        "Send the header Act-As-Account with the developer's account.",
    ),
    "missing-credentials": ProblemType(
        401,
        "API key required",
        "The request has no API key.",
        "Send the header Authorization: Bearer <API_KEY>.",
    ),
    "invalid-key": ProblemType(
        401,
        "Invalid API key",
        "The API key does not exist or is mistyped.",
        "Check that the whole key was copied.",
    ),
    "key-revoked": ProblemType(
        401,
        "API key revoked",
        "The API key has been revoked and is no longer accepted.",
        "Ask an administrator for a new key.",
    ),
    "key-expired": ProblemType(
        401,
        "API key expired",
        "The API key has reached its expiry date.",
        "Use its replacement, or ask an administrator for a new key.",
    ),
    "insufficient-scope": ProblemType(
        403,
        "Insufficient scope",
        "The API key does not have the scope that this operation requires.",
        "Use a key with the scope named in requiredScope.",
    ),
    "actor-not-allowed": ProblemType(
        403,
        "Acting for others not allowed",
        "The request has an Act-As header, but the API key does not have the scope"
        " platform:actors:assert.",
        "Omit Act-As-Email and Act-As-Account, or use a key with that scope.",
    ),
    "scope-not-grantable": ProblemType(
        403,
        "Scope not grantable",
        "A key may only grant scopes that it covers itself, and only update and rotate"
        " keys whose scopes it covers.",
        "Omit the scopes listed in scopes, or use a key that covers them.",
    ),
    "rate-not-grantable": ProblemType(
        403,
        "Rate not grantable",
        "A key may not grant a higher rate than its own.",
        "Send at most the rateCapacity and rateRefill of the problem, or use a key with"
        " a higher rate.",
    ),
    "lifetime-not-grantable": ProblemType(
        403,
        "Lifetime not grantable",
        "A key that expires may not issue, extend or rotate a key that is valid for"
        " longer.",
        "Send expiresInDays so that the key ends at expiresAt of the problem at the"
        " latest, or use a key that expires later or never.",
    ),
    "scope-not-public": ProblemType(
        403,
        "Scope not public",
        "A developer's key may only have public scopes.",
        "Omit the scopes listed in scopes, or ask an administrator for a key.",
    ),
    "role-required": ProblemType(
        403,
        "Role required",
        "The caller's role in the project does not allow this operation.",
        "Ask an owner of the project for the role named in detail.",
    ),
    "not-author": ProblemType(
        403,
        "Not the author",
        "Only its author may change a comment.",
        "Add a new comment instead.",
    ),
    "not-found": ProblemType(
        404,
        "Not found",
        "Nothing exists at this path.",
        "Check the path against the API reference.",
    ),
    "key-not-found": _not_found("key"),
    "service-not-found": _not_found("service"),
    "incident-not-found": _not_found("incident"),
    "incident-update-not-found": ProblemType(
        404,
        "Incident update not found",
        "The update does not exist, or was removed from the timeline.",
        "Check the ID; incidents/get returns the updates of an incident.",
    ),
    "incident-template-not-found": _not_found("incident template"),
    "maintenance-not-found": _not_found("maintenance window"),
    "subscription-not-found": _not_found("subscription"),
    "delivery-not-found": _not_found("delivery"),
    "project-not-found": _not_found("project"),
    "document-import-not-found": ProblemType(
        404,
        "Import not found",
        "The import does not exist, was applied or has expired.",
        "Start the import again; what was sent is not sent twice.",
    ),
    "document-not-found": _not_found("document"),
    "revision-not-found": _not_found("revision"),
    "member-not-found": _not_found("member"),
    "work-item-not-found": _not_found("work item"),
    "label-not-found": _not_found("label"),
    "milestone-not-found": _not_found("milestone"),
    "specification-not-found": _not_found("specification"),
    "comment-not-found": _not_found("comment"),
    "file-not-found": _not_found("file"),
    "external-reference-not-found": _not_found("external reference"),
    "method-not-allowed": ProblemType(
        405,
        "Method not allowed",
        "The path exists, but it does not accept this method.",
        "Use a method listed in the header Allow: GET to read, POST to change.",
    ),
    "source-taken": _conflict(
        "Source taken",
        "The source belongs to another API key, since MASTHEAD_SOURCE_POLICY is owned."
        " None of the measurements was recorded.",
        "Use another source, or let an administrator transfer the source to your key.",
    ),
    "subscription-exists": _conflict(
        "Address already subscribed",
        "The address already has a subscription over this channel that has not ended.",
        "Update the subscription named in subscriptionId, or remove it first.",
    ),
    "subscription-not-active": _conflict(
        "Subscription not active",
        "The subscription is pending, quarantined or ended, so the operation does not"
        " apply to it.",
        "End a quarantine with subscriptions/test. If the subscription has ended, add a"
        " new one. A reader's pending subscription must be confirmed by the reader.",
    ),
    "slug-taken": _conflict(
        "Slug already in use",
        "Another resource already has this slug.",
        "Choose another slug, or update the existing resource.",
    ),
    "path-taken": _conflict(
        "Address already in use",
        "Another document of the collection already has this path, and thus this"
        " address.",
        "Choose another path or slug, or move the other document with documents/move.",
    ),
    "name-taken": _conflict(
        "Name already in use",
        "Another resource already has this name.",
        "Choose another name, or use the existing resource.",
    ),
    "member-exists": _conflict(
        "Already a member",
        "The account is already a member of the project, in another role.",
        "Change its role with members/update.",
    ),
    "version-conflict": _conflict(
        "Version conflict",
        "The resource has changed since the version that the request expects.",
        "Read it again, and repeat the change if it still applies.",
    ),
    "key-not-active": _conflict(
        "Key not active",
        "The key is revoked or expired and cannot be changed.",
        "Create a new key.",
    ),
    "key-replaced": _conflict(
        "Key already rotated",
        "The key has been rotated, and is valid only until its grace period ends.",
        "Rotate its replacement, with the secret of the replacement.",
    ),
    "project-archived": _conflict(
        "Project archived",
        "The project is archived, so it is read-only.",
        "Restore the project first.",
    ),
    "archived": _conflict(
        "Archived",
        "The resource is archived, so it is read-only.",
        "Restore it first.",
    ),
    "not-archived": _conflict(
        "Not archived",
        "Only an archived project can be purged.",
        "Archive the project first.",
    ),
    "builtin-project": _conflict(
        "Built-in project",
        "The built-in project cannot be archived or purged.",
        "Archive or unpublish its contents instead.",
    ),
    "owner-membership": _conflict(
        "Project owner",
        "The membership of the project's owner cannot be changed or removed.",
        "Transfer the project to another account first.",
    ),
    "relationship-cycle": _conflict(
        "Relationship cycle",
        "The relationship would make a resource block or supersede itself, directly"
        " or through others.",
        "Remove one of the relationships named in detail.",
    ),
    "specification-superseded": _conflict(
        "Specification superseded",
        "A superseded specification cannot be changed.",
        "Change its successor.",
    ),
    "successor-unusable": _conflict(
        "Invalid successor",
        "The successor must be another specification of the same project that is"
        " neither archived nor superseded.",
        "Use the specification named in detail, or a new one.",
    ),
    "document-published": _conflict(
        "Document published",
        "The document cannot be changed this way while it is published.",
        "Unpublish the document first.",
    ),
    "file-published": _conflict(
        "File published",
        "The file cannot be removed while a published document shows it.",
        "Unpublish the document, or publish it without the file.",
    ),
    "document-import-incomplete": _conflict(
        "Import incomplete",
        "Texts or files of the import are not on the server: they were not sent, or"
        " a document that had one of the texts has changed since.",
        "Start the import again, and send what is missing.",
    ),
    "document-import-replaced": _conflict(
        "Import replaced",
        "A newer import of the same tree into the same collection has started.",
        "Leave it to the newer import. If this one has the newer files, start it"
        " again.",
    ),
    "collection-required": _conflict(
        "Collection required",
        "A document without a collection cannot be published.",
        "Set the document's collection, then publish it.",
    ),
    "comment-removed": _conflict(
        "Comment removed",
        "A removed comment cannot be edited or restored.",
        "Add a new comment.",
    ),
    "limit-exceeded": _conflict(
        "Limit reached",
        "The maximum number of such resources has been reached.",
        "Remove some that are no longer needed.",
    ),
    "idempotency-in-progress": _conflict(
        "Request in progress",
        "A request with the same Idempotency-Key is still being processed.",
        "Retry after the number of seconds in the header Retry-After.",
    ),
    "idempotency-secret-sealed": _conflict(
        "Secret sealed under another key",
        "A request with the same Idempotency-Key was carried out before your API key"
        " was rotated. Its response contains a secret that only the key that sent the"
        " request can read. Nothing was created again.",
        "Repeat the request with the key named in detail while it is valid, or rotate"
        " the created key.",
    ),
    "payload-too-large": ProblemType(
        413,
        "Payload too large",
        "The body is larger than the operation accepts, or larger than 64 KiB without a"
        " valid API key. The connection may be closed before all of it is sent.",
        "Send at most as many bytes as limitBytes says, with a valid API key.",
    ),
    "headers-too-large": ProblemType(
        431,
        "Headers too large",
        "The request line and the headers together are too large.",
        "Send at most as many bytes as limitBytes says.",
    ),
    "transfer-encoding-unsupported": ProblemType(
        501,
        "Transfer-Encoding unsupported",
        "The body has a Transfer-Encoding other than chunked.",
        "Send the body with Content-Length, or chunked.",
    ),
    "server-busy": ProblemType(
        503,
        "Server busy",
        "The server is receiving as many large bodies as it can hold.",
        "Retry after the number of seconds in the header Retry-After.",
    ),
    "unsupported-media-type": ProblemType(
        415,
        "Unsupported media type",
        "The body must be JSON.",
        "Send the header Content-Type: application/json, or omit it.",
    ),
    "validation-failed": ProblemType(
        422,
        "Validation failed",
        "The request is well-formed, but some of its values are invalid.",
        "Correct the values listed in errors.",
    ),
    "idempotency-key-reused": ProblemType(
        422,
        "Idempotency-Key reused",
        "The same Idempotency-Key was used before for a different request.",
        "Use a new Idempotency-Key for a new request.",
    ),
    "reference-not-found": ProblemType(
        422,
        "Reference not found",
        "The body refers to something that does not exist.",
        "Correct the values listed in detail.",
    ),
    "confirmation-mismatch": ProblemType(
        422,
        "Confirmation mismatch",
        "The field confirm is not the slug of the project.",
        "Send the exact slug of the project to be purged in confirm.",
    ),
    "owner-required": ProblemType(
        422,
        "Owner required",
        "The API key has no account, so the request must name the owner of the"
        " project.",
        "Send ownerId.",
    ),
    "query-too-costly": ProblemType(
        422,
        "Query too costly",
        "Answering the query takes more processor time than one request may use.",
        "Narrow the query: to one project, by further filters, or by rarer words.",
    ),
    "rate-limited": ProblemType(
        429,
        "Rate limit exceeded",
        "The API key has sent too many requests, or too many at the same time, or the"
        " client's address has sent too many wrong API keys.",
        "Retry after the number of seconds in the header Retry-After.",
    ),
    "internal-error": ProblemType(
        500,
        "Internal error",
        "Something went wrong on the server. No change was made.",
        "Retry; if the error persists, report the requestId to an operator.",
    ),
    "storage-busy": ProblemType(
        503,
        "Storage unavailable",
        "The database cannot accept a write at the moment, or there is no room for"
        " temporary files. No change was made.",
        "Retry after the number of seconds in the header Retry-After. The detail tells"
        " the operator of the server what to do.",
    ),
}


def describe_problems() -> dict[str, dict[str, Any]]:
    """Return all problem types as JSON, for pages of the site."""
    return {kind: asdict(problem) for kind, problem in PROBLEM_TYPES.items()}
