"""The way of one request, top to bottom."""

import hashlib
import logging
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from werkzeug.http import parse_etags

from api.http.authentication import acting_for, authenticate
from api.http.middleware import Request, Response, SentHeaders, View
from api.http.problems import problem
from api.http.request_parsing import (
    read_body,
    read_dry_run,
    read_idempotency_key,
    read_query,
)
from api.operation import AuditError, Call, Caller, Operation
from models import audit, changes
from models.base import Schema, canonical_json, epoch_ms
from models.errors import (
    InsufficientScope,
    MethodNotAllowed,
    PayloadTooLarge,
    RateLimited,
    Refusal,
)
from models.fields import truncate_to_ms
from models.idempotency import (
    IdempotentRequest,
    RequestsInProgress,
    store_response,
    stored_response,
)
from models.logs import LogLine
from models.pagination import CursorQuery, Page
from models.platform.key_uses import KeyUses
from models.platform.rate_limits import (
    MemoryRateLimiter,
    Rate,
    RateDecision,
    RateLimiter,
)
from models.projects.documents.site_preview import SitePreview
from models.settings import Settings
from models.storage.database import dry_run, reading, writing

log = logging.getLogger("masthead.requests")


class InternalError(Refusal):
    kind = "internal-error"


@dataclass(frozen=True)
class Dispatch:
    """
    What all requests share.

    `changed` wakes the builder after a commit: for which area, and whether quietly.
    `refusing` is told the kind of each refusal.
    """

    settings: Settings
    clock: Callable[[], datetime]
    changed: Callable[[str, bool], None]
    refusing: Callable[[str], None] = lambda _: None
    buckets: RateLimiter = field(default_factory=MemoryRateLimiter)
    uses: KeyUses = field(default_factory=KeyUses)
    site: SitePreview | None = None
    progress: RequestsInProgress = field(default_factory=RequestsInProgress)

    def view(self, operation: Operation) -> View:
        """Return what answers one operation."""

        def answer(request: Request) -> Response:
            rate: dict[str, str] = {}
            try:
                answered = self._answered(operation, request, rate)
            except Refusal as refusal:
                answered = self.refused(refusal, request.path, request.id)
            except Exception:
                log.exception(LogLine(operation=operation.name, request=request.id))
                answered = self.refused(_internal_error(), request.path, request.id)
            answered.headers.update(rate)
            return answered

        return answer

    def refused(self, refusal: Refusal, path: str, request_id: str) -> Response:
        self.refusing(refusal.kind)
        site_url = self.settings.site_url
        return problem(refusal, site_url=site_url, instance=path, request_id=request_id)

    def wrong_method(self, request: Request, methods: Iterable[str]) -> Response:
        allow = ", ".join(sorted(methods))
        refusal = MethodNotAllowed(f"This address takes {allow}.", allow=allow)
        return self.refused(refusal, request.path, request.id)

    def _answered(
        self, operation: Operation, request: Request, rate: dict[str, str]
    ) -> Response:
        """Size and caller; then what is asked. A read is all one snapshot."""
        body = _body(operation, request)
        with reading():
            call = self._called(operation, request, rate)
            asked = _question(operation, request, body)
            if not operation.mutates:
                return self._read(call, asked, request)
        return self._changed(call, asked, request.headers)

    def _called(
        self, operation: Operation, request: Request, told: dict[str, str]
    ) -> Call:
        """Key, state of key, token bucket, scope; then for whom it acts."""
        now = truncate_to_ms(self.clock())
        caller, rate = authenticate(request.headers, self.settings, now)
        request.key = caller.prefix
        self.uses.note(caller.key_id, now)
        drawn = self.buckets.take_token(caller.lineage, epoch_ms(now) * 1_000_000, rate)
        told.update(_rate_headers(rate, drawn))
        if not drawn.allowed:
            raise RateLimited(
                "The rate of this key is used up.", retryAfter=drawn.retry_after
            )
        _require_scope(caller, operation)
        caller = acting_for(caller, request.headers)
        return Call(operation, caller, now, self.settings, request.id, self.site)

    def _read(
        self, call: Call, request: Schema | None, http_request: Request
    ) -> Response:
        if isinstance(request, CursorQuery):
            request.decode_cursor()  # an invalid cursor is reported before NotFound
        given = _handled(call, request)
        if call.used_key:
            self.uses.note(call.used_key, call.now)
        headers = _reading_headers(call, given, http_request)
        answer = _json(_told(call.operation, given), headers)
        if call.operation.etag:
            return _revalidated(answer, http_request.headers.get("If-None-Match"))
        return answer

    def _changed(
        self, call: Call, request: Schema | None, headers: SentHeaders
    ) -> Response:
        """One transaction; after its commit the builder wakes."""
        operation, header = call.operation, headers.get("Idempotency-Key")
        text = read_idempotency_key(operation, header)
        if read_dry_run(headers.get("Dry-Run")):
            return self._rehearsed(call, request)
        repeatable = _repeatable(call, request, text)
        with self._alone(repeatable), writing():
            if repeatable and (stored := stored_response(repeatable, call.now)):
                return _json(stored, {"Idempotent-Replayed": "true"})
            given = _handled(call, request)
            answer = _told(operation, given)
            generation = _put_down(call)
            if repeatable:
                secret, about = _secret(operation, given), call.about
                store_response(
                    repeatable, answer, call.now, secret=secret, subjects=about
                )
        if operation.rebuilds is None or generation is None:
            return _json(answer)
        self.changed(operation.rebuilds, call.is_quiet)
        return _json(answer, {"Site-Generation": str(generation)})

    def _rehearsed(self, call: Call, request: Schema | None) -> Response:
        """All of the change, and then nothing of it is kept."""
        with dry_run():
            answer = _told(call.operation, _handled(call, request))
            _put_down(call)
        return _json(answer, {"Dry-Run": "true"})

    def _alone(
        self, repeatable: IdempotentRequest | None
    ) -> AbstractContextManager[None]:
        return self.progress.track(repeatable) if repeatable else nullcontext()


def views(
    dispatch: Dispatch, operations: list[Operation]
) -> dict[str, dict[str, tuple[str, View]]]:
    """Return each operation's name and view, by path and method."""
    found: dict[str, dict[str, tuple[str, View]]] = {}
    for each in operations:
        named = (each.name, dispatch.view(each))
        methods = ("GET", "HEAD") if each.method == "GET" else (each.method,)
        found.setdefault(each.path, {}).update(dict.fromkeys(methods, named))
    return found


def _body(operation: Operation, request: Request) -> bytes:
    limit = operation.max_body_bytes
    if request.length > limit:
        raise PayloadTooLarge(
            f"The body may have at most {limit} bytes.", limitBytes=limit
        )
    return request.body()


def _question(operation: Operation, request: Request, body: bytes) -> Schema | None:
    """What is asked: the query of a GET, the body of a POST, which has no query."""
    shape = operation.request or Schema
    if operation.method == "GET":
        return read_query(shape, request.query)
    if request.query_string:
        read_query(Schema, request.query)
    return read_body(shape, body, request.media_type)


def _require_scope(caller: Caller, operation: Operation) -> None:
    if not caller.covers(operation.scope):
        raise InsufficientScope(
            f"This operation needs the scope {operation.scope}.",
            requiredScope=operation.scope,
        )


def _repeatable(
    call: Call, request: Schema | None, text: str | None
) -> IdempotentRequest | None:
    if text is None:
        return None
    return IdempotentRequest(
        caller=call.caller.key_id,
        actor=f"{call.caller.acts_as_email} {call.caller.acts_as_account}",
        operation=call.operation.name,
        key=text,
        # Left out and null are two requests: an update tells them apart.
        request=request.model_dump(mode="json", exclude_unset=True)
        if request
        else None,
        bearer=call.caller.bearer,
    )


def _handled(call: Call, request: Schema | None) -> Any:
    handler = call.operation.handler
    return handler(call, request) if call.operation.request else handler(call)


def _told(operation: Operation, given: Any) -> bytes:
    """Pour what the handler returned into the declared shape, as JSON."""
    page = given if isinstance(given, Page) else Page(given, {})
    giving = operation.giving
    shaped = giving.validate_python(page.items, from_attributes=True, by_name=True)
    data = giving.dump_json(shaped, by_alias=True)
    meta = b',"meta":' + canonical_json(page.meta) if page.meta else b""
    return b'{"data":' + data + meta + b"}"


def _put_down(call: Call) -> int | None:
    """Keep the audit and the mark of the change; return the site's generation."""
    operation, caller = call.operation, call.caller
    if call.is_unchanged:
        return None
    if operation.audit and len(call.records) != int(not call.is_unaudited):
        raise AuditError(f"{operation.name} must audit once, or say why not.")
    via = f"via key {caller.prefix}" if caller.is_asserting else None
    # In Area A the detail may be JSON, which a semicolon would seem to go on.
    joint = " " if operation.area == "projects" else "; "
    for record in call.records:
        audit.append(
            operation.area,
            actor=record.actor,
            action=record.action,
            target=record.target,
            now=call.now,
            detail=joint.join(filter(None, [record.detail, via])) or None,
        )
    return changes.mark(operation.rebuilds) if operation.rebuilds else None


def _secret(operation: Operation, given: Any) -> str | None:
    return getattr(given, operation.secret_field) if operation.secret_field else None


def _json(body: bytes, headers: dict[str, str] | None = None) -> Response:
    kept = {"Content-Type": "application/json", "Cache-Control": "no-store"}
    return Response(body, 200, kept | headers if headers else kept)


def _revalidated(answer: Response, held: str | None) -> Response:
    """Tag the answer; who holds the same already gets 304 and no body."""
    tag = hashlib.sha256(answer.body).hexdigest()[:32]
    answer.headers |= {"Cache-Control": "private, no-cache", "ETag": f'"{tag}"'}
    is_held = parse_etags(held).contains_weak(tag)
    return Response(b"", 304, answer.headers) if is_held else answer


def _reading_headers(call: Call, given: Any, request: Request) -> dict[str, str]:
    """How long the answer may be kept, and where the next page is."""
    headers = {}
    if call.max_age is not None:
        headers["Cache-Control"] = f"private, max-age={call.max_age}"
    cursor = given.meta.get("cursor") if isinstance(given, Page) else None
    if cursor:
        query = urlencode(request.query.to_dict() | {"cursor": cursor})
        headers["Link"] = f'<{request.path}?{query}>; rel="next"'
    return headers


def _rate_headers(rate: Rate, drawn: RateDecision) -> dict[str, str]:
    """The fields of the IETF draft: the policy, and what is left of it."""
    window = max(1, round(rate.capacity / rate.refill))
    return {
        "RateLimit-Policy": f'"key";q={rate.capacity};w={window}',
        "RateLimit": f'"key";r={drawn.remaining};t={drawn.full_in}',
    }


def _internal_error() -> Refusal:
    return InternalError("Something went wrong on our side. Nothing was kept.")
