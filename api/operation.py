"""Declare operations, and define what a handler receives: the Call and its Caller."""

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import KW_ONLY, dataclass, field
from datetime import datetime
from functools import cached_property
from importlib import import_module
from inspect import signature
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, BinaryIO, Literal, TypeVar

from pydantic import ConfigDict, TypeAdapter

from models.audit import AuditTarget, describe_changes
from models.base import Change, Schema
from models.errors import Refusal
from models.notifications.events import NewEvent
from models.pagination import CursorQuery, OffsetQuery
from models.platform import keys
from models.platform.developer_keys import lineage_account
from models.platform.keys import KeyRow
from models.platform.rate_limits import Rate
from models.platform.scopes import any_covers
from models.projects.documents.site_preview import SitePreview
from models.projects.fields import Actor, ActorType
from models.projects.files.uploads import Upload
from models.settings import Settings
from models.storage.write_locks import WriteLock

KIB, MIB = 1024, 1024 * 1024

Result = TypeVar("Result")
Handler = TypeVar("Handler", bound=Callable[..., Any])


@dataclass(frozen=True)
class UploadedBody:
    """The bytes of a body that is a file, and what the client says of them."""

    stream: BinaryIO
    length: int
    media_type: str


# Takes the request and the body, and provides what the handler receives in its call.
ReadUpload = Callable[[Any, UploadedBody], AbstractContextManager[Upload]]
# Takes the request, and provides what the handler finds in its call as `prepared`.
Prepare = Callable[[Any], AbstractContextManager[Any]]


@dataclass(frozen=True)
class FileDownload:
    """A file that a GET returns: its name, its type, and its bytes in pieces."""

    name: str
    media_type: str
    pieces: Iterable[bytes]


@dataclass(slots=True)
class Caller:
    """The API key that authenticated a request, and the person it acts for, if any."""

    key_id: str
    key_name: str
    prefix: str
    scopes: tuple[str, ...]
    issuer: str
    lineage: str
    key_account: str | None
    # What secrets in stored responses are sealed under: that of the key, or the token
    # of a session.
    secret: str = field(repr=False)
    rate: Rate
    acts_as_email: str | None = None
    acts_as_account: str | None = None

    @property
    def audit_actor(self) -> str:
        """The e-mail address that audit records name as the actor."""
        return self.acts_as_email or self.issuer

    @property
    def account(self) -> str | None:
        return self.acts_as_account or self.key_account

    @property
    def own_account(self) -> str:
        """The account that the keys belong to that the caller creates for itself."""
        return self.account or lineage_account(self.lineage)

    def has_scope(self, scope: str) -> bool:
        """Return whether one of the key's scopes covers this one."""
        return any_covers(self.scopes, scope)


@dataclass(frozen=True)
class PendingAuditRecord:
    """An audit record of a call, to be written in the transaction of its change."""

    action: str
    target: AuditTarget
    detail: str | None
    actor: str


class AuditError(RuntimeError):
    """A handler recorded something other than its declaration says: a bug."""


@dataclass(slots=True)
class Call:
    """One authorized request: what its handler knows, and what it reports back."""

    operation: "Operation"
    caller: Caller
    # The instant of a change, which all times that it stores have in common. It can be
    # ahead of the clock, because instants grow; see models/instants.py.
    now: datetime
    # The time on the clock, for what is compared with the clock later: when a key
    # expires, or an incident starts.
    clock_at: datetime
    settings: Settings
    request_id: str
    preview: SitePreview | None = None
    # The file in the body of an operation that declares `read_upload`.
    upload: Upload | None = None
    # What the `prepare` of the operation provides.
    prepared: Any = None
    audit_records: list[PendingAuditRecord] = field(default_factory=list)
    # What subscribers are told once the change is live.
    events: list[NewEvent] = field(default_factory=list)
    is_unchanged: bool = False
    is_audit_skipped: bool = False
    is_rebuild_deferrable: bool = False
    is_rebuild_skipped: bool = False
    # The ids of the projects with which a stored response is deleted.
    subject_ids: set[str] = field(default_factory=set)
    # Seconds for which the client may cache the response; None: not at all.
    max_age: int | None = None
    # The id of the key that this call verified for a gateway.
    verified_key_id: str | None = None

    def require_preview(self) -> SitePreview:
        """Return the page preview, or raise RuntimeError if there is none."""
        if self.preview is None:
            raise RuntimeError("This application was created without a page preview.")
        return self.preview

    def require_upload(self) -> Upload:
        """Return the file of the body, or raise RuntimeError if none was read."""
        if self.upload is None:
            raise RuntimeError(f"{self.operation.name} does not declare read_upload.")
        return self.upload

    def active_key(self, id: str) -> KeyRow:
        """Return a key to which a change gives something; raise if it is unusable."""
        key = keys.get_key(id)
        keys.require_active(key, self.clock_at)
        return key

    @property
    def actor(self) -> Actor:
        """The account or key that a change in a project is attributed to."""
        account = self.caller.account
        kind: ActorType = "account" if account else "key"
        actor_id = account or self.caller.key_id
        return Actor(kind, actor_id, self.request_id, self.subject_ids)

    def audit(
        self,
        row: Any,
        action: str | None = None,
        detail: str | None = None,
        actor: str | None = None,
    ) -> None:
        """
        Record one change of the row in the audit log.

        If several actions are declared, `action` chooses one of them; AuditError is
        raised for any other. `actor` defaults to the caller's audit actor.
        """
        declared = self.operation.audit_actions
        chosen = action or (declared[0] if len(declared) == 1 else "")
        if chosen not in declared:
            raise AuditError(f"{self.operation.name} may not audit {chosen!r}.")
        actor = actor or self.caller.audit_actor
        record = PendingAuditRecord(chosen, row.audited, detail, actor)
        self.audit_records.append(record)

    def audit_if(self, is_changed: bool, row: Any, *args: str, **options: Any) -> None:
        """Record the change of the row; without one, mark the call unchanged."""
        if is_changed:
            self.audit(row, *args, **options)
        else:
            self.mark_unchanged()

    def audit_changes(self, row: Any, changes: dict[str, Change]) -> None:
        """Record what an update changed; without changes, mark the call unchanged."""
        self.audit_if(bool(changes), row, detail=describe_changes(changes))

    def notify(self, event: NewEvent | None) -> None:
        """Tell subscribers of the change; None, if there is nothing to tell."""
        if event is not None:
            self.events.append(event)

    def result_of(self, rule: tuple[Result, bool]) -> Result:
        """Return what a rule returns; without a change, mark the call unchanged."""
        result, is_changed = rule
        if not is_changed:
            self.mark_unchanged()
        return result

    def mark_unchanged(self) -> None:
        """Declare that nothing changed: no audit record is written, no area marked."""
        self.is_unchanged = True

    def defer_rebuild(self) -> None:
        """Let the builder wait for further changes before it rebuilds."""
        self.is_rebuild_deferrable = True

    def skip_rebuild(self) -> None:
        """Declare that the site does not show the change: no area is marked."""
        self.is_rebuild_skipped = True

    def skip_audit(self) -> None:
        """Write no audit record, because a project's activity records the change."""
        self.is_audit_skipped = True


@dataclass(eq=False)
class Operation:
    """
    The declaration of an operation, which decorates its handler.

    The handler takes the Call and, if the operation has parameters or a body, the
    schema in its annotation. The scope that opens the operation follows from its path.
    """

    route: str
    _: KW_ONLY
    response: Any
    idempotent: Literal["required", "accepted"] = "accepted"
    # The action that the handler records in the audit log, or those it chooses from.
    audit: str | tuple[str, ...] = ()
    # The area of the site that a change makes outdated.
    rebuilds: str | None = None
    errors: tuple[type[Refusal], ...] = ()
    # The field of the response that must not be stored in plain text.
    secret_field: str | None = None
    # A POST that changes nothing.
    read_only: bool = False
    # A GET answers 304 to a matching If-None-Match.
    etag: bool = False
    # The handler of a GET yields the JSON of its response in pieces, which are not held
    # in memory together.
    streamed: bool = False
    # A read without a snapshot runs at most one statement for its response, so there
    # are no two that must agree.
    snapshot: bool = True
    # False if no client polls for what changed since a time, so that the change need
    # not have an instant of its own.
    is_polled: bool = True
    max_body_bytes: int = 256 * KIB
    # Takes the request of a mutation, and returns the text of the header
    # Masthead-Warning, or None.
    warning: Callable[[Any], str | None] | None = None
    # The body of a POST is a file, which this reads before the transaction; the fields
    # of its request are parameters of the query.
    read_upload: ReadUpload | None = None
    # The member of the body whose lists stay in its file; the schema declares them as
    # `Lazy`.
    lazy_lists: str | None = None
    # Does what takes long with the request of a mutation before the transaction, and
    # queries nothing.
    prepare: Prepare | None = None
    # What a mutation locks, if it is not only the area in its address.
    locks: WriteLock | None = None
    handler: Callable[..., Any] = field(init=False)

    def __call__(self, handler: Handler) -> Handler:
        """Declare the operation with its handler."""
        self.handler = handler
        OPERATIONS.append(self)
        return handler

    @cached_property
    def request(self) -> type[Schema] | None:
        """The schema of the parameters or the body."""
        _, *parameters = signature(self.handler).parameters.values()
        schema: type[Schema] | None = parameters[0].annotation if parameters else None
        return schema

    @cached_property
    def scope(self) -> str:
        """The path without the version: `status:admin:incidents:add`."""
        area, _, *rest = self.path.strip("/").split("/")
        return ":".join((area, *rest))

    @cached_property
    def is_mutation(self) -> bool:
        return self.method == "POST" and not self.read_only

    @property
    def audit_actions(self) -> tuple[str, ...]:
        """The actions of which the handler may record one."""
        return (self.audit,) if isinstance(self.audit, str) else self.audit

    @property
    def write_locks(self) -> WriteLock:
        """What a mutation locks: its area, unless it declares its locks."""
        return self.locks or WriteLock[self.area.upper()]

    @property
    def method(self) -> str:
        return self.route.split(" ")[0]

    @property
    def path(self) -> str:
        return self.route.split(" ")[1]

    @property
    def is_look_up(self) -> bool:
        """Whether it only looks one row up, which takes less than another thread."""
        return not self.is_mutation and not self.snapshot

    @property
    def is_download(self) -> bool:
        """Whether the response is a file."""
        return self.response is FileDownload

    @property
    def name(self) -> str:
        """The name under which responses are stored and requests are logged."""
        return self.scope

    @property
    def area(self) -> str:
        return self.path.split("/")[1]

    @cached_property
    def noun(self) -> str:
        """The noun of the path; developers' own keys have a noun of their own."""
        *before, noun, _ = self.path.split("/")
        return f"developer-{noun}" if before[-1] == "developer" else noun

    @property
    def verb(self) -> str:
        return self.path.rpartition("/")[2]

    @cached_property
    def anchor(self) -> str:
        """The verb, or admin-verb if the noun has another operation of that verb."""
        own = (self.area, self.noun, self.verb)
        namesakes = [o for o in OPERATIONS if (o.area, o.noun, o.verb) == own]
        is_admin = len(namesakes) > 1 and "/admin/" in self.path
        return f"admin-{self.verb}" if is_admin else self.verb

    @cached_property
    def response_adapter(self) -> TypeAdapter[Any]:
        """
        The adapter that validates what the handler returns, and serializes it.

        Its errors are logged and must not contain the response. A schema is
        configured that way itself; for a list of schemas the adapter has to be.
        """
        if isinstance(self.response, type) and issubclass(self.response, Schema):
            adapter = TypeAdapter(self.response)
        else:
            config = ConfigDict(hide_input_in_errors=True)
            adapter = TypeAdapter(self.response, config=config)
        # Before other threads see it: pydantic builds schemas under a lock, but not
        # adapters.
        adapter.rebuild(raise_errors=True)
        return adapter

    @cached_property
    def pagination(self) -> Literal["cursor", "offset"] | None:
        if self.request is None:
            return None
        if issubclass(self.request, CursorQuery):
            return "cursor"
        return "offset" if issubclass(self.request, OffsetQuery) else None


# The decorator: `@operation("GET /…", response=…)` above the handler.
operation = Operation
OPERATIONS: list[Operation] = []
# What a dry run shows instead of a secret, which would never be valid.
DRY_RUN_SECRET = "dry-run"  # noqa: S105
AREAS = ("platform", "projects", "status")


def operation_scopes() -> frozenset[str]:
    """Return the scopes that open an operation."""
    return frozenset(operation.scope for operation in OPERATIONS)


def declare_operations() -> None:
    """Import every module of every area, which fills OPERATIONS."""
    for area in AREAS:
        for module in iter_modules([str(Path(__file__).parent / area)]):
            import_module(f"api.{area}.{module.name}")
