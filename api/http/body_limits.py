"""Limit the size of a body by the API key and the operation of the request."""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import NamedTuple

from api.http.authentication import require_scope
from api.http.request import Environ, Request
from api.http.request_parsing import body_too_large
from api.http.server import limits
from api.operation import Caller, Operation
from models.errors import (
    InsufficientScope,
    PayloadTooLarge,
    RateLimited,
    Refusal,
    StorageBusy,
)
from models.fields import truncate_to_ms
from models.storage.database import independent_reads


class BodyAllowance(NamedTuple):
    """How large the body of a request may be, and whose request it is."""

    max_bytes: int
    caller: str


# Returns the allowance of a request, or raises what refuses it.
AdmitBody = Callable[[Environ], BodyAllowance]


def refuse_large_body(_: Environ) -> BodyAllowance:
    """Allow no body that is only received for a valid key."""
    raise body_without_key()


def body_without_key() -> PayloadTooLarge:
    size = limits.KEYLESS_BODY_BYTES
    return PayloadTooLarge(
        f"Without a valid API key, a body may have at most {size} bytes.",
        limitBytes=size,
    )


class BodyLimits:
    """
    Returns how large the body of a request may be, before it is received.

    It is called for bodies that are only received for a valid key. Its key is checked
    again with the whole request. `admit_form` returns the allowance of a form of the
    console, None if nobody is signed in; without a console there is none.
    """

    def __init__(
        self,
        clock: Callable[[], datetime],
        operations: Iterable[Operation],
        authenticate: Callable[[Request, datetime], Caller],
        admit_form: Callable[[Request], BodyAllowance | None] | None = None,
    ) -> None:
        self._clock = clock
        self._authenticate = authenticate
        self._admit_form = admit_form
        self._operations = {
            (operation.path, operation.method): operation for operation in operations
        }

    def __call__(self, environ: Environ) -> BodyAllowance:
        """Raise what refuses the request: its size, its key or its scope."""
        request = Request(environ)
        operation = self._operations.get((request.path, request.method))
        if operation is None:
            return self._form_allowance(request)
        if request.content_length > operation.max_body_bytes:
            raise body_too_large(operation.max_body_bytes)
        caller = self._lineage(request, operation)
        return BodyAllowance(operation.max_body_bytes, caller)

    def _form_allowance(self, request: Request) -> BodyAllowance:
        """Return how large a form of the console may be."""
        allowance = self._admit_form(request) if self._admit_form else None
        if allowance is None:
            raise body_without_key()
        if request.content_length > allowance.max_bytes:
            raise body_too_large(allowance.max_bytes)
        return allowance

    def _lineage(self, request: Request, operation: Operation) -> str:
        now = truncate_to_ms(self._clock())
        try:
            with independent_reads():
                caller = self._authenticate(request, now)
                require_scope(caller, operation.scope)
        except (InsufficientScope, RateLimited, StorageBusy):
            raise
        except Refusal:
            raise body_without_key() from None
        return caller.lineage
