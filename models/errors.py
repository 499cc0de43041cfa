"""
Define the refusals that rules raise when a request cannot be carried out.

Each has a sentence for the caller that names what was wrong. Its HTTP status is in
api/http/problems.py.
"""

from typing import ClassVar


class Refusal(Exception):
    """`kind` names the problem type; `members` are its extension members (RFC 9457)."""

    kind: ClassVar[str]

    def __init__(self, detail: str, **members: object) -> None:
        super().__init__(detail)
        self.detail = detail
        self.members = members


class MalformedRequest(Refusal):
    kind = "malformed-request"


class ValidationFailed(Refusal):
    """A well-formed request with invalid values; `errors` lists where."""

    kind = "validation-failed"

    def __init__(self, detail: str, *errors: dict[str, str]) -> None:
        super().__init__(detail, errors=list(errors))


class IdempotencyKeyMissing(Refusal):
    kind = "idempotency-key-missing"


class IdempotencyKeyInvalid(Refusal):
    kind = "idempotency-key-invalid"


class IdempotencyKeyReused(Refusal):
    kind = "idempotency-key-reused"


class IdempotencyInProgress(Refusal):
    kind = "idempotency-in-progress"


class IdempotencySecretSealed(Refusal):
    """The stored response has a secret that only the earlier key can open."""

    kind = "idempotency-secret-sealed"


class InvalidCursor(Refusal):
    kind = "invalid-cursor"


class ActorRequired(Refusal):
    kind = "actor-required"


class MissingCredentials(Refusal):
    kind = "missing-credentials"


class InvalidKey(Refusal):
    kind = "invalid-key"


class KeyRevoked(Refusal):
    kind = "key-revoked"


class KeyExpired(Refusal):
    kind = "key-expired"


class InsufficientScope(Refusal):
    kind = "insufficient-scope"


class ActorNotAllowed(Refusal):
    kind = "actor-not-allowed"


class ScopeNotGrantable(Refusal):
    kind = "scope-not-grantable"


class RateNotGrantable(Refusal):
    kind = "rate-not-grantable"


class LifetimeNotGrantable(Refusal):
    kind = "lifetime-not-grantable"


class ScopeNotPublic(Refusal):
    kind = "scope-not-public"


class RoleRequired(Refusal):
    kind = "role-required"


class NotAuthor(Refusal):
    kind = "not-author"


class NotFound(Refusal):
    kind = "not-found"


class KeyNotFound(NotFound):
    kind = "key-not-found"


class ServiceNotFound(NotFound):
    kind = "service-not-found"


class IncidentNotFound(NotFound):
    kind = "incident-not-found"


class IncidentUpdateNotFound(NotFound):
    kind = "incident-update-not-found"


class IncidentTemplateNotFound(NotFound):
    kind = "incident-template-not-found"


class MaintenanceNotFound(NotFound):
    kind = "maintenance-not-found"


class SubscriptionNotFound(NotFound):
    kind = "subscription-not-found"


class DeliveryNotFound(NotFound):
    kind = "delivery-not-found"


class ProjectNotFound(NotFound):
    kind = "project-not-found"


class DocumentNotFound(NotFound):
    kind = "document-not-found"


class DocumentImportNotFound(NotFound):
    kind = "document-import-not-found"


class RevisionNotFound(NotFound):
    kind = "revision-not-found"


class MemberNotFound(NotFound):
    kind = "member-not-found"


class WorkItemNotFound(NotFound):
    kind = "work-item-not-found"


class LabelNotFound(NotFound):
    kind = "label-not-found"


class MilestoneNotFound(NotFound):
    kind = "milestone-not-found"


class SpecificationNotFound(NotFound):
    kind = "specification-not-found"


class CommentNotFound(NotFound):
    kind = "comment-not-found"


class FileNotFound(NotFound):
    kind = "file-not-found"


class ExternalReferenceNotFound(NotFound):
    kind = "external-reference-not-found"


class MethodNotAllowed(Refusal):
    kind = "method-not-allowed"


class SourceTaken(Refusal):
    """The source of a batch of measurements belongs to another key."""

    kind = "source-taken"


class SubscriptionExists(Refusal):
    """A live subscription has the channel and the address."""

    kind = "subscription-exists"


class SubscriptionNotActive(Refusal):
    """The subscription is in a state in which nothing is delivered to it."""

    kind = "subscription-not-active"


class SlugTaken(Refusal):
    kind = "slug-taken"


class PathTaken(Refusal):
    kind = "path-taken"


class NameTaken(Refusal):
    kind = "name-taken"


class MemberExists(Refusal):
    kind = "member-exists"


class VersionConflict(Refusal):
    kind = "version-conflict"


class KeyNotActive(Refusal):
    kind = "key-not-active"


class KeyReplaced(Refusal):
    kind = "key-replaced"


class ProjectArchived(Refusal):
    kind = "project-archived"


class Archived(Refusal):
    kind = "archived"


class NotArchived(Refusal):
    kind = "not-archived"


class BuiltinProject(Refusal):
    kind = "builtin-project"


class OwnerMembership(Refusal):
    kind = "owner-membership"


class RelationshipCycle(Refusal):
    kind = "relationship-cycle"


class SpecificationSuperseded(Refusal):
    kind = "specification-superseded"


class SuccessorUnusable(Refusal):
    kind = "successor-unusable"


class DocumentPublished(Refusal):
    kind = "document-published"


class FilePublished(Refusal):
    kind = "file-published"


class DocumentImportIncomplete(Refusal):
    kind = "document-import-incomplete"


class DocumentImportReplaced(Refusal):
    kind = "document-import-replaced"


class CollectionRequired(Refusal):
    kind = "collection-required"


class CommentRemoved(Refusal):
    kind = "comment-removed"


class LimitExceeded(Refusal):
    kind = "limit-exceeded"


class ReferenceNotFound(Refusal):
    kind = "reference-not-found"


class ConfirmationMismatch(Refusal):
    kind = "confirmation-mismatch"


class OwnerRequired(Refusal):
    kind = "owner-required"


class PayloadTooLarge(Refusal):
    kind = "payload-too-large"


class HeadersTooLarge(Refusal):
    kind = "headers-too-large"


class TransferEncodingUnsupported(Refusal):
    kind = "transfer-encoding-unsupported"


class ServerBusy(Refusal):
    kind = "server-busy"


class UnsupportedMediaType(Refusal):
    kind = "unsupported-media-type"


class QueryTooCostly(Refusal):
    kind = "query-too-costly"


class RateLimited(Refusal):
    kind = "rate-limited"


class StorageBusy(Refusal):
    kind = "storage-busy"
