"""What an operation is: declared once, above its handler; everything follows."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property, partial
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, Literal, TypeVar

from pydantic import ConfigDict, TypeAdapter

from models.audit import AuditTarget, describe_changes
from models.base import Change, Schema
from models.errors import Refusal
from models.pagination import CursorQuery, OffsetQuery
from models.platform.scopes import any_covers
from models.projects.documents.site_preview import SitePreview
from models.projects.fields import Actor, ActorType
from models.settings import Settings

KIB, MIB = 1024, 1024 * 1024

Handler = TypeVar("Handler", bound=Callable[..., Any])


@dataclass(slots=True)
class Caller:
    """Who asks: a key, and the person it acts for, if any."""

    key_id: str
    prefix: str
    scopes: tuple[str, ...]
    issuer: str
    lineage: str
    account_id: str | None
    bearer: str = field(repr=False)
    acts_as_email: str | None = None
    acts_as_account: str | None = None

    @property
    def manager(self) -> str:
        """The audit actor of a management call."""
        return self.acts_as_email or self.issuer

    @property
    def account(self) -> str | None:
        return self.acts_as_account or self.account_id

    @property
    def is_asserting(self) -> bool:
        return bool(self.acts_as_email or self.acts_as_account)

    def covers(self, scope: str) -> bool:
        """Tell whether the caller's key opens what needs the scope."""
        return any_covers(self.scopes, scope)


@dataclass(frozen=True)
class Record:
    """What is to be put down about a change, and on whose account."""

    action: str
    target: AuditTarget
    detail: str | None
    actor: str


class AuditError(RuntimeError):
    """A handler that does not say what it did: a mistake of ours."""


@dataclass(slots=True)
class Call:
    """One request on its way: who, when, and what is to be put down about it."""

    operation: "Operation"
    caller: Caller
    now: datetime
    settings: Settings
    request_id: str
    made_by: SitePreview | None = None
    records: list[Record] = field(default_factory=list)
    is_unchanged: bool = False
    is_unaudited: bool = False
    is_quiet: bool = False
    # The ids of what the stored answer must not outlive.
    about: set[str] = field(default_factory=set)
    # Seconds for which the caller's side may keep the answer; None: not at all.
    max_age: int | None = None
    # The key whose use somewhere else this call tells of.
    used_key: str | None = None

    @property
    def site(self) -> SitePreview:
        """Who makes the pages, to be asked what would become of a text."""
        if self.made_by is None:
            raise RuntimeError("This application was not told who makes its pages.")
        return self.made_by

    @property
    def actor(self) -> Actor:
        """The account or key that an Area A change is attributed to."""
        account = self.caller.account
        kind: ActorType = "account" if account else "key"
        return Actor(kind, account or self.caller.key_id, self.request_id, self.about)

    def audit(
        self,
        about: Any,
        action: str | None = None,
        detail: str | None = None,
        actor: str | None = None,
    ) -> None:
        """
        Put down one change; of several declared actions the handler names one.

        The actor is whoever manages, unless the handler names another.
        """
        declared = self.operation.audit
        named = action or (declared[0] if len(declared) == 1 else "")
        if named not in declared:
            raise AuditError(f"{self.operation.name} may not audit {named!r}.")
        actor = actor or self.caller.manager
        self.records.append(Record(named, about.audited, detail, actor))

    def audit_changes(self, about: Any, changes: dict[str, Change]) -> None:
        """Put down what an update changed, or that it changed nothing."""
        if changes:
            self.audit(about, detail=describe_changes(changes))
        else:
            self.unchanged()

    def unchanged(self) -> None:
        """Say that nothing changed: no record, and the site is not behind."""
        self.is_unchanged = True

    def quietly(self) -> None:
        """Say that no state changes by it: the site may wait for more of the kind."""
        self.is_quiet = True

    def unaudited(self) -> None:
        """Say that this time the activity of a project tells of the change."""
        self.is_unaudited = True


@dataclass(frozen=True, kw_only=True)
class Operation:
    route: str
    scope: str
    handler: Callable[..., Any]
    request: type[Schema] | None
    response: Any
    idempotent: Literal["required", "accepted"]
    audit: tuple[str, ...]
    rebuilds: str | None
    errors: tuple[type[Refusal], ...]
    secret_field: str | None
    mutates: bool
    etag: bool
    max_body_bytes: int

    @property
    def method(self) -> str:
        return self.route.split(" ")[0]

    @property
    def path(self) -> str:
        return self.route.split(" ")[1]

    @property
    def name(self) -> str:
        """The scope in which an answer is stored and a request is logged."""
        return self.scope

    @property
    def area(self) -> str:
        return self.path.split("/")[1]

    @property
    def noun(self) -> str:
        """What it is about; a developer's own keys are another noun than keys."""
        *before, noun, _ = self.path.split("/")
        return f"developer-{noun}" if before[-1] == "developer" else noun

    @property
    def verb(self) -> str:
        return self.path.rpartition("/")[2]

    @cached_property
    def giving(self) -> TypeAdapter[Any]:
        """
        What pours an answer into the declared shape.

        A mistake in it is logged, and must not say what the answer would have been.
        A shape by itself knows that; of several the adapter has to.
        """
        if isinstance(self.response, type) and issubclass(self.response, Schema):
            return TypeAdapter(self.response)
        return TypeAdapter(self.response, config=ConfigDict(hide_input_in_errors=True))

    @cached_property
    def paged(self) -> Literal["cursor", "offset"] | None:
        if self.request is None:
            return None
        if issubclass(self.request, CursorQuery):
            return "cursor"
        return "offset" if issubclass(self.request, OffsetQuery) else None


OPERATIONS: list[Operation] = []
AREAS = ("platform", "projects", "status")


def declare_operations() -> None:
    """Import every noun of every area: that is what declares its operations."""
    for area in AREAS:
        for noun in iter_modules([str(Path(__file__).parent / area)]):
            import_module(f"api.{area}.{noun.name}")


def operation(
    route: str,
    *,
    scope: str,
    response: Any,
    request: type[Schema] | None = None,
    idempotent: Literal["required", "accepted"] = "accepted",
    audit: str | tuple[str, ...] = (),
    rebuilds: str | None = None,
    errors: tuple[type[Refusal], ...] = (),
    secret_field: str | None = None,
    read_only: bool = False,
    etag: bool = False,
    max_body_bytes: int = 256 * KIB,
) -> Callable[[Handler], Handler]:
    """
    Declare an operation; its handler takes the Call and the asked shape.

    `conceals` names the secret member of the answer. A POST that `reads_only`
    changes nothing. What `revalidates` has an ETag, so that it may be asked for only
    when it is new. `most_bytes` bounds the body.
    """
    declared = partial(
        Operation,
        route=route,
        scope=scope,
        request=request,
        response=response,
        idempotent=idempotent,
        audit=(audit,) if isinstance(audit, str) else audit,
        rebuilds=rebuilds,
        errors=errors,
        secret_field=secret_field,
        mutates=route.startswith("POST") and not read_only,
        etag=etag,
        max_body_bytes=max_body_bytes,
    )
    return partial(_declare, declared)


def _declare(declared: Callable[..., Operation], handler: Handler) -> Handler:
    OPERATIONS.append(declared(handler=handler))
    return handler
