"""Handle a request for an operation, from its API key to its response."""

import hashlib
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlencode

from werkzeug.http import parse_etags

from api.http.authentication import (
    Credentials,
    act_for_person,
    authenticate,
    bearer_credentials,
    require_scope,
)
from api.http.clients import client_networks
from api.http.problems import problem_response
from api.http.request import OperationRequest, Request, RequestHeaders
from api.http.request_parsing import (
    parse_dry_run,
    parse_idempotency_key,
    parse_request,
    read_body,
)
from api.http.response import Response, stream_file
from api.operation import (
    DRY_RUN_SECRET,
    AuditError,
    Call,
    Caller,
    FileDownload,
    Operation,
    UploadedBody,
)
from models import audit, changes
from models.base import Schema, canonical_json
from models.errors import InvalidKey, MethodNotAllowed, RateLimited, Refusal
from models.fields import truncate_to_ms
from models.idempotency import (
    IdempotentRequest,
    RequestsInProgress,
    store_response,
    stored_response,
)
from models.instants import next_instant
from models.logs import LogLine
from models.notifications.events import record_events
from models.pagination import CursorQuery, Page
from models.platform.key_uses import KeyUses
from models.platform.rate_limits import Rate, RateDecision, RateLimiter
from models.projects.documents.site_preview import SitePreview
from models.runtime.temporary_files import full_folder_refusal
from models.settings import Settings
from models.storage.database import (
    dry_run,
    independent_reads,
    limited_query,
    reading,
    writing,
)

# The processor time that the query of a list or a search may take.
QUERY_SECONDS = 2.0

# Enough for people and programs that share an address to mistype keys.
WRONG_KEY_RATE = Rate(capacity=100, refill=1)

View = Callable[[Request], Response]
# The name and the view of each operation, by path and method.
Routes = dict[str, dict[str, tuple[str, View]]]

log = logging.getLogger("masthead.requests")

JSON_HEADERS = {"Content-Type": "application/json", "Cache-Control": "no-store"}


class InternalError(Refusal):
    kind = "internal-error"


@dataclass(frozen=True)
class Dispatcher:
    """
    Handles operations with what all requests share.

    `wake_builder` is called after a commit that makes pages of the site outdated,
    with the area and whether the rebuild may be deferred. `on_refusal` is called
    with the kind of each refusal.
    """

    settings: Settings
    clock: Callable[[], datetime]
    wake_builder: Callable[[str, bool], None]
    rate_limiter: RateLimiter
    client_limiter: RateLimiter
    on_refusal: Callable[[str], None] = lambda _: None
    key_uses: KeyUses = field(default_factory=KeyUses)
    preview: SitePreview | None = None
    in_progress: RequestsInProgress = field(default_factory=RequestsInProgress)

    def view(self, operation: Operation) -> View:
        """Return the function that handles requests for one operation."""

        def view(request: Request) -> Response:
            rate_headers: dict[str, str] = {}
            try:
                response = self._respond(operation, request, rate_headers)
            except Exception as error:
                refusal = refusal_after(error, operation, request.id)
                response = self.refuse(refusal, request)
            response.headers.update(rate_headers)
            return response

        return view

    def _respond(
        self, operation: Operation, request: Request, rate_headers: dict[str, str]
    ) -> Response:
        """Authenticate and limit the caller of an operation, then dispatch it."""
        stream, length = request.environ["wsgi.input"], request.content_length
        media_type = request.media_type
        body = read_body(operation, stream, length, media_type)
        with independent_reads():
            now = truncate_to_ms(self.clock())
            caller = self.authenticate(request, now)
            request.key_prefix, request.caller = caller.prefix, caller.lineage
            self.admit(caller, now, rate_headers)
        asked = OperationRequest(
            id=request.id,
            headers=request.headers,
            query=request.query,
            body=body,
            media_type=media_type,
        )
        return self.dispatch(operation, caller, asked)

    def refuse(self, refusal: Refusal, request: Request) -> Response:
        """Return the problem response for a refusal, and count it."""
        self.on_refusal(refusal.kind)
        return problem_response(
            refusal,
            site_url=self.settings.site_url,
            instance=request.path,
            request_id=request.id,
        )

    def wrong_method(self, request: Request, methods: Iterable[str]) -> Response:
        allow = ", ".join(sorted(methods))
        refusal = MethodNotAllowed(f"This path accepts only {allow}.", allow=allow)
        return self.refuse(refusal, request)

    def dispatch(
        self, operation: Operation, caller: Caller, request: OperationRequest
    ) -> Response:
        """
        Run an operation for a caller who was admitted, over HTTP or in this process.

        The order of the checks is part of the API: callers learn nothing before they
        are authorized. The checks need no snapshot; a read has one unless its operation
        needs none.
        """
        with independent_reads():
            now = truncate_to_ms(self.clock())
            require_scope(caller, operation.scope)
            caller = act_for_person(caller, request.headers)
            arguments = parse_request(operation, request)
            settings, preview = self.settings, self.preview
            call = Call(operation, caller, now, now, settings, request.id, preview)
            if not operation.is_mutation:
                with reading() if operation.snapshot else nullcontext():
                    return self._read(call, arguments, request)
        warning = operation.warning(arguments) if operation.warning else None
        with _reading_upload(call, arguments, request.body), _prepared(call, arguments):
            response = self._write(call, arguments, request.headers)
        if warning:
            response.headers["Masthead-Warning"] = warning
        return response

    def authenticate(
        self, request: Request, now: datetime, credentials: Credentials | None = None
    ) -> Caller:
        """
        Return the caller; count the wrong keys of its address.

        Without credentials, they are those in the headers.
        """
        try:
            credentials = credentials or bearer_credentials(request.headers)
            return authenticate(credentials, self.settings, now)
        except InvalidKey:
            self._limit_wrong_keys(request)
            raise

    def _limit_wrong_keys(self, request: Request) -> None:
        """
        Raise RateLimited if the client has sent too many wrong keys.

        Right keys are never refused, since many clients can share an address: behind a
        reverse proxy, all of them have the address of the proxy.
        """
        name = f"wrong-key {client_networks(request.client_address)[0]}"
        decision = self.client_limiter.take_token(name, WRONG_KEY_RATE)
        if not decision.allowed:
            raise RateLimited(
                "This address has sent too many wrong API keys. Correct the API key.",
                retryAfter=decision.retry_after,
            )

    def admit(self, caller: Caller, now: datetime, headers: dict[str, str]) -> None:
        """Note that the caller's key is used, and limit its rate."""
        self.key_uses.note(caller.key_id, now)
        self.limit_rate(caller, headers)

    def limit_rate(self, caller: Caller, headers: dict[str, str]) -> None:
        """
        Take a token from the caller's bucket; raise RateLimited if it is empty.

        What is left of it is added to the headers.
        """
        decision = self.rate_limiter.take_token(caller.lineage, caller.rate)
        headers.update(_rate_headers(caller.rate, decision))
        if not decision.allowed:
            raise RateLimited(
                "This API key has reached its rate limit.",
                retryAfter=decision.retry_after,
            )

    def _write(
        self, call: Call, arguments: Schema | None, headers: RequestHeaders
    ) -> Response:
        """Run a mutation in one transaction; after its commit, wake the builder."""
        operation, header = call.operation, headers.get("Idempotency-Key")
        idempotency_key = parse_idempotency_key(operation, header)
        if parse_dry_run(headers.get("Dry-Run")):
            return self._dry_run(call, arguments)
        idempotent = _idempotent_request(call, arguments, idempotency_key)
        # Repeats that cannot wait for the request learn that it is in progress.
        tracked = self.in_progress.track(idempotent) if idempotent else nullcontext()
        with tracked, writing(operation.write_locks):
            call.clock_at = truncate_to_ms(self.clock())
            if idempotent and (stored := stored_response(idempotent, call.clock_at)):
                return _json_response(stored, {"Idempotent-Replayed": "true"})
            _set_instant(call)
            result = _run_handler(call, arguments)
            body = _serialize(operation, result)
            if idempotent:
                secret, subject_ids = _secret(operation, result), call.subject_ids
                at = call.clock_at
                store_response(
                    idempotent, body, at, secret=secret, subjects=subject_ids
                )
            # Last, because other writes wait for them; see models/changes.py.
            _record_audit(call)
            generation = _mark_area(call)
            record_events(call.events, operation.rebuilds or "", generation, call.now)
        if operation.rebuilds is None or generation is None:
            return _json_response(body)
        self.wake_builder(operation.rebuilds, call.is_rebuild_deferrable)
        return _json_response(body, {"Site-Generation": str(generation)})

    def _read(
        self, call: Call, arguments: Schema | None, request: OperationRequest
    ) -> Response:
        if isinstance(arguments, CursorQuery):
            # An invalid cursor is refused before anything is looked up.
            arguments.decode_cursor()
        limit = limited_query(QUERY_SECONDS) if call.operation.pagination else None
        with limit or nullcontext():
            result = _run_handler(call, arguments)
        if call.verified_key_id:
            self.key_uses.note(call.verified_key_id, call.now)
        if call.operation.streamed:
            pieces = chain((b'{"data":',), map(str.encode, result), (b"}",))
            return stream_file(pieces, {**JSON_HEADERS})
        if isinstance(result, FileDownload):
            return stream_file(result.pieces, _download_headers(result))
        body = _serialize(call.operation, result)
        response = _json_response(body, _read_headers(call, result, request))
        if call.operation.etag:
            return _revalidate(response, request.headers.get("If-None-Match"))
        return response

    def _dry_run(self, call: Call, arguments: Schema | None) -> Response:
        """Run a mutation in a transaction that is rolled back."""
        with dry_run(call.operation.write_locks):
            call.clock_at = truncate_to_ms(self.clock())
            _set_instant(call)
            result = _run_handler(call, arguments)
            body = _serialize(call.operation, _without_secret(call.operation, result))
            _record_audit(call)
        return _json_response(body, {"Dry-Run": "true"})


def refusal_after(error: Exception, operation: Operation, request_id: str) -> Refusal:
    """Return why an operation has failed; log what no rule has raised."""
    if isinstance(error, Refusal):
        return error
    if refusal := full_folder_refusal(error):
        state = refusal.members["state"]
        log.warning(LogLine(state=state, operation=operation.name, error=error))
        return refusal
    log.exception(LogLine(operation=operation.name, request=request_id))
    return InternalError("Something went wrong on the server. No change was made.")


def routes_of(dispatcher: Dispatcher, operations: list[Operation]) -> Routes:
    routes: Routes = {}
    for operation in operations:
        route = (operation.name, dispatcher.view(operation))
        methods = ("GET", "HEAD") if operation.method == "GET" else (operation.method,)
        routes.setdefault(operation.path, {}).update(dict.fromkeys(methods, route))
    return routes


def _set_instant(call: Call) -> None:
    """Set the time of the change, inside its transaction."""
    operation = call.operation
    if operation.is_polled:
        call.now = next_instant(operation.area, call.clock_at)
    else:
        call.now = call.clock_at


@contextmanager
def _reading_upload(
    call: Call, arguments: Schema | None, body: bytes | UploadedBody
) -> Iterator[None]:
    """Read the file in the body before the transaction, which others wait for."""
    read_upload = call.operation.read_upload
    if read_upload is None or isinstance(body, bytes):
        yield
        return
    with read_upload(arguments, body) as upload:
        call.upload = upload
        yield


@contextmanager
def _prepared(call: Call, arguments: Schema | None) -> Iterator[None]:
    """Do what takes long before the transaction, which others wait for."""
    prepare = call.operation.prepare
    with prepare(arguments) if prepare else nullcontext() as call.prepared:
        yield


def _download_headers(file: FileDownload) -> dict[str, str]:
    """Return headers with which a browser stores the file instead of showing it."""
    return {
        "Content-Type": file.media_type,
        "Content-Disposition": f'attachment; filename="{file.name}"',
        "Cache-Control": "no-store",
    }


def _run_handler(call: Call, arguments: Schema | None) -> Any:
    handler = call.operation.handler
    return handler(call, arguments) if call.operation.request else handler(call)


def _serialize(operation: Operation, result: Any) -> bytes:
    """Return what the handler returned as JSON, with the response schema's fields."""
    page = result if isinstance(result, Page) else Page(result, {})
    adapter = operation.response_adapter
    model = adapter.validate_python(page.items, from_attributes=True, by_name=True)
    data = adapter.dump_json(model, by_alias=True)
    meta = b',"meta":' + canonical_json(page.meta) if page.meta else b""
    return b"".join((b'{"data":', data, meta, b"}"))


def _mark_area(call: Call) -> int | None:
    """
    Mark the area of the site as outdated, and return the site's new generation; None
    if the call changed nothing or no page shows it.
    """
    area = call.operation.rebuilds
    if area is None or call.is_unchanged or call.is_rebuild_skipped:
        return None
    return changes.mark(area)


def _record_audit(call: Call) -> None:
    """Write the audit record; AuditError if the handler did not make exactly one."""
    if call.is_unchanged:
        return
    operation, caller = call.operation, call.caller
    if operation.audit and len(call.audit_records) != int(not call.is_audit_skipped):
        raise AuditError(f"{operation.name} must make one audit record or skip it.")
    via = audit.describe_key(caller.prefix, caller.key_name)
    # In projects the detail may be JSON, which a semicolon would seem to continue.
    separator = " " if operation.area == "projects" else "; "
    for record in call.audit_records:
        audit.append(
            operation.area,
            actor=record.actor,
            action=record.action,
            target=record.target,
            now=call.now,
            detail=separator.join(filter(None, [record.detail, via])),
        )


def _idempotent_request(
    call: Call, arguments: Schema | None, idempotency_key: str | None
) -> IdempotentRequest | None:
    if idempotency_key is None:
        return None
    caller = call.caller
    return IdempotentRequest(
        lineage=caller.lineage,
        actor=f"{caller.acts_as_email} {caller.acts_as_account}",
        operation=call.operation.name,
        key=idempotency_key,
        request=arguments,
        upload_digest=call.upload.source_digest if call.upload else None,
        key_id=caller.key_id,
        key_prefix=caller.prefix,
        bearer=caller.secret,
    )


def _secret(operation: Operation, result: Any) -> str | None:
    return getattr(result, operation.secret_field) if operation.secret_field else None


def _without_secret(operation: Operation, result: Any) -> Any:
    """Return the result of a dry run, whose secret nobody should store."""
    if operation.secret_field is None or _secret(operation, result) is None:
        return result
    return SimpleNamespace(**vars(result) | {operation.secret_field: DRY_RUN_SECRET})


def _json_response(body: bytes, headers: Mapping[str, str] = {}) -> Response:
    return Response(body, 200, {**JSON_HEADERS, **headers})


def _revalidate(response: Response, if_none_match: str | None) -> Response:
    """Add an ETag to the response; if the client has this one already, return 304."""
    tag = hashlib.sha256(response.body).hexdigest()[:32]
    response.headers |= {"Cache-Control": "private, no-cache", "ETag": f'"{tag}"'}
    is_match = parse_etags(if_none_match).contains_weak(tag)
    return Response(b"", 304, response.headers) if is_match else response


def _read_headers(call: Call, result: Any, request: OperationRequest) -> dict[str, str]:
    """Return how long the response may be cached, and the link to the next page."""
    headers = {}
    if call.max_age is not None:
        headers["Cache-Control"] = f"private, max-age={call.max_age}"
    cursor = result.meta.get("cursor") if isinstance(result, Page) else None
    if cursor:
        query = urlencode(request.query.to_dict() | {"cursor": cursor})
        headers["Link"] = f'<{call.operation.path}?{query}>; rel="next"'
    return headers


def _rate_headers(rate: Rate, decision: RateDecision) -> dict[str, str]:
    """Return the header fields of the IETF draft: the policy and what is left of it."""
    window = max(1, round(rate.capacity / rate.refill))
    return {
        "RateLimit-Policy": f'"key";q={rate.capacity};w={window}',
        "RateLimit": f'"key";r={decision.remaining};t={decision.full_in}',
    }
