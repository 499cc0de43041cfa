"""Answer a request that the server itself refuses with a problem of the application."""

from typing import Any

from waitress.task import ErrorTask, WSGITask
from waitress.utilities import (
    BadRequest,
    Error,
    RequestEntityTooLarge,
    RequestHeaderFieldsTooLarge,
    ServerNotImplemented,
)

from api.http.dispatch import InternalError
from api.http.messages import REFUSAL
from api.http.server import limits
from api.http.server.parser import RefusedRequest
from models.errors import (
    HeadersTooLarge,
    MalformedRequest,
    PayloadTooLarge,
    Refusal,
    TransferEncodingUnsupported,
)


class RefusalTask(WSGITask):
    """
    Has the application answer, so that a refusal of the server is logged like others.

    The connection is closed if the rest of the request would be taken for the next one.
    """

    def execute(self) -> None:
        if self.request.is_cut_off:  # type: ignore[attr-defined]
            self.set_close_on_finish()
        try:
            super().execute()
        except Exception:
            if self.wrote_header:
                raise
            self.logger.exception("Exception while refusing a request")
            ErrorTask.execute(self)  # type: ignore[arg-type]

    def get_environment(self) -> dict[str, Any]:
        environ: dict[str, Any] = super().get_environment()
        environ[REFUSAL] = refusal_of(self.request.error)  # type: ignore[attr-defined]
        return environ


def refusal_of(error: Error) -> Refusal:
    """Return the refusal that says what the error of waitress means."""
    if isinstance(error, RefusedRequest):
        return error.refusal
    if isinstance(error, RequestHeaderFieldsTooLarge):
        size = limits.MAX_HEADER_BYTES
        detail = f"The request line and the headers may have at most {size} bytes."
        return HeadersTooLarge(detail, limitBytes=size)
    if isinstance(error, RequestEntityTooLarge):
        return PayloadTooLarge("The body is too large.")
    if isinstance(error, BadRequest):
        detail = "The request line, the headers or the chunks are not valid HTTP/1.1."
        return MalformedRequest(detail)
    if isinstance(error, ServerNotImplemented):
        detail = "The only supported Transfer-Encoding is chunked."
        return TransferEncodingUnsupported(detail)
    return InternalError("Something went wrong on the server.")
