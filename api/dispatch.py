"""The way of one request, top to bottom."""

import logging
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from flask import Flask, Request, Response, request

from api.access import request_id
from api.asking import read_body, read_dry_run, read_idempotency_key, read_query
from api.callers import acting_for, authenticate
from api.operation import AuditError, Call, Caller, Operation
from api.problems import problem_response
from models import audit, changes
from models.base import Shape, canonical, milliseconds
from models.database import connect, reading, rehearsing, writing
from models.errors import (
    InsufficientScope,
    PayloadTooLarge,
    RateLimited,
    Refusal,
)
from models.idempotency import InProgress, Repeatable, first_answer, keep_answer
from models.pagination import CursorQuery, Page
from models.platform.buckets import Buckets, Draw, Rate
from models.platform.scopes import any_covers
from models.platform.uses import Uses
from models.settings import Settings
from models.words import to_milliseconds

log = logging.getLogger("masthead.requests")


class InternalError(Refusal):
    kind = "internal-error"


@dataclass(frozen=True)
class Dispatch:
    """What all requests share; `changed` wakes the builder after a commit."""

    settings: Settings
    clock: Callable[[], datetime]
    changed: Callable[[str], None]
    buckets: Buckets = field(default_factory=Buckets)
    uses: Uses = field(default_factory=Uses)
    progress: InProgress = field(default_factory=InProgress)

    def view(self, operation: Operation) -> Callable[[], Response]:
        """Return the Flask view of one operation."""

        def answer() -> Response:
            rate: dict[str, str] = {}
            try:
                response = self._answered(operation, rate)
            except Refusal as refusal:
                response = self.refused(refusal)
            except Exception:
                log.exception("operation=%s request=%s", operation.name, request_id())
                response = self.refused(_internal_error())
            response.headers.update(rate)
            return response

        return answer

    def refused(self, refusal: Refusal) -> Response:
        return problem_response(
            refusal,
            site_url=self.settings.site_url,
            instance=request.path,
            request_id=request_id(),
        )

    def _answered(self, operation: Operation, told: dict[str, str]) -> Response:
        """Size, key, state of key, token bucket, scope; then what may be asked."""
        body = _body(operation, request)
        connect()
        now = to_milliseconds(self.clock())
        caller, rate = authenticate(request.headers, self.settings, now)
        self.uses.note(caller.key_id, now)
        drawn = self.buckets.draw(caller.lineage, milliseconds(now) * 1_000_000, rate)
        told.update(_rate_headers(rate, drawn))
        if not drawn.allowed:
            raise RateLimited(
                "The rate of this key is used up.", retryAfter=drawn.retry_after
            )
        _require_scope(caller, operation)
        caller = acting_for(caller, request.headers)
        call = Call(operation, caller, now, self.settings, request_id())
        asked = _question(operation, body)
        if operation.mutates:
            return self._changed(call, asked)
        with reading():
            if isinstance(asked, CursorQuery):
                asked.last()  # its shape, which comes before any existence
            given = _handled(call, asked)
            if call.used_key:
                self.uses.note(call.used_key, now)
            response = _json(_told(operation, given), _reading_headers(call, given))
        return _revalidated(response) if operation.revalidates else response

    def _changed(self, call: Call, asked: Shape | None) -> Response:
        """One transaction; after its commit the builder wakes."""
        if read_dry_run(request.headers.get("Dry-Run")):
            return self._rehearsed(call, asked)
        operation, header = call.operation, request.headers.get("Idempotency-Key")
        repeatable = _repeatable(call, asked, read_idempotency_key(operation, header))
        with self._alone(repeatable), writing():
            if repeatable and (stored := first_answer(repeatable, call.now)):
                return _json(stored, {"Idempotent-Replayed": "true"})
            given = _handled(call, asked)
            answer = _told(operation, given)
            generation = _put_down(call)
            if repeatable:
                keep_answer(repeatable, answer, call.now, _secret(operation, given))
        if operation.rebuilds is None or generation is None:
            return _json(answer)
        self.changed(operation.rebuilds)
        return _json(answer, {"Site-Generation": str(generation)})

    def _rehearsed(self, call: Call, asked: Shape | None) -> Response:
        """All of the change, and then nothing of it is kept."""
        with rehearsing():
            answer = _told(call.operation, _handled(call, asked))
            _put_down(call)
        return _json(answer, {"Dry-Run": "true"})

    def _alone(self, repeatable: Repeatable | None) -> AbstractContextManager[None]:
        return self.progress.answering(repeatable) if repeatable else nullcontext()


def register(app: Flask, dispatch: Dispatch, operations: list[Operation]) -> None:
    for each in operations:
        app.add_url_rule(
            each.path,
            endpoint=each.name,
            view_func=dispatch.view(each),
            methods=[each.method],
            provide_automatic_options=False,
        )


def _body(operation: Operation, request: Request) -> bytes:
    limit = operation.most_bytes
    length = request.content_length or 0
    body = request.stream.read(limit + 1) if length <= limit else b""
    if max(length, len(body)) > limit:
        raise PayloadTooLarge(
            f"The body may have at most {limit} bytes.", limitBytes=limit
        )
    return body


def _question(operation: Operation, body: bytes) -> Shape | None:
    """What is asked: the query of a GET, the body of a POST, which has no query."""
    shape = operation.takes or Shape
    if operation.method == "GET":
        return read_query(shape, request.args)
    if request.query_string:
        read_query(Shape, request.args)
    return read_body(shape, body, request.mimetype)


def _require_scope(caller: Caller, operation: Operation) -> None:
    if not any_covers(caller.scopes, operation.scope):
        raise InsufficientScope(
            f"This operation needs the scope {operation.scope}.",
            requiredScope=operation.scope,
        )


def _repeatable(call: Call, asked: Shape | None, text: str | None) -> Repeatable | None:
    if text is None:
        return None
    return Repeatable(
        caller=call.caller.key_id,
        actor=f"{call.caller.acts_as_email} {call.caller.acts_as_account}",
        operation=call.operation.name,
        text=text,
        # Left out and null are two requests: an update tells them apart.
        asked=asked.model_dump(mode="json", exclude_unset=True) if asked else None,
        bearer=call.caller.bearer,
    )


def _handled(call: Call, asked: Shape | None) -> Any:
    handler = call.operation.handler
    return handler(call, asked) if call.operation.takes else handler(call)


def _told(operation: Operation, given: Any) -> bytes:
    """Pour what the handler returned into the declared shape, as JSON."""
    page = given if isinstance(given, Page) else Page(given, {})
    giving = operation.giving
    shaped = giving.validate_python(page.items, from_attributes=True, by_name=True)
    data = giving.dump_json(shaped, by_alias=True)
    meta = b',"meta":' + canonical(page.meta) if page.meta else b""
    return b'{"data":' + data + meta + b"}"


def _put_down(call: Call) -> int | None:
    """Keep the audit and the mark of the change; return the site's generation."""
    operation, caller = call.operation, call.caller
    if call.is_unchanged:
        return None
    if operation.audit and len(call.records) != 1:
        raise AuditError(f"{operation.name} must audit once, or say unchanged.")
    via = f"via key {caller.prefix}" if caller.is_asserting else None
    for record in call.records:
        audit.append(
            operation.area,
            actor=record.actor,
            action=record.action,
            target=record.target,
            now=call.now,
            detail="; ".join(filter(None, [record.detail, via])) or None,
        )
    return changes.mark(operation.rebuilds) if operation.rebuilds else None


def _secret(operation: Operation, given: Any) -> str | None:
    return getattr(given, operation.conceals) if operation.conceals else None


def _json(body: bytes, headers: dict[str, str] | None = None) -> Response:
    response = Response(body, 200, headers, content_type="application/json")
    response.headers.setdefault("Cache-Control", "no-store")
    return response


def _revalidated(response: Response) -> Response:
    """Tag the answer; who holds the same already gets 304 and no body."""
    response.headers["Cache-Control"] = "private, no-cache"
    response.add_etag()
    response.make_conditional(request)
    return response


def _reading_headers(call: Call, given: Any) -> dict[str, str]:
    """How long the answer may be kept, and where the next page is."""
    headers = {}
    if call.max_age is not None:
        headers["Cache-Control"] = f"private, max-age={call.max_age}"
    cursor = given.meta.get("cursor") if isinstance(given, Page) else None
    if cursor:
        query = urlencode(request.args.to_dict() | {"cursor": cursor})
        headers["Link"] = f'<{request.path}?{query}>; rel="next"'
    return headers


def _rate_headers(rate: Rate, drawn: Draw) -> dict[str, str]:
    """The fields of the IETF draft: the policy, and what is left of it."""
    window = max(1, round(rate.capacity / rate.refill))
    return {
        "RateLimit-Policy": f'"key";q={rate.capacity};w={window}',
        "RateLimit": f'"key";r={drawn.remaining};t={drawn.full_in}',
    }


def _internal_error() -> Refusal:
    return InternalError("Something went wrong on our side. Nothing was kept.")
