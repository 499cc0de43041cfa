"""Parse the header of a request strictly, and take no more of its body than allowed."""

import logging
from collections import Counter
from collections.abc import Callable
from functools import partial
from io import BufferedReader
from threading import Lock
from typing import IO, Any

from waitress.buffers import FileBasedBuffer
from waitress.parser import HTTPRequestParser, ParsingError
from waitress.receiver import ChunkedReceiver
from waitress.utilities import (
    BadRequest,
    Error,
    RequestEntityTooLarge,
    RequestHeaderFieldsTooLarge,
    ServerNotImplemented,
)

from api.http.dispatch import InternalError
from api.http.request_parsing import body_too_large
from api.http.server import limits
from models.errors import (
    HeadersTooLarge,
    MalformedRequest,
    PayloadTooLarge,
    Refusal,
    ServerBusy,
    TransferEncodingUnsupported,
)
from models.logs import LogLine
from models.runtime.temporary_files import full_folder_refusal

log = logging.getLogger("masthead.requests")


class RefusedRequest(BadRequest):
    """The error of a request with the refusal that answers it."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.detail)
        self.refusal = refusal


class BodyFile(FileBasedBuffer):
    """
    The body of a request in a file without a buffer, whose space is reserved.

    What a buffer could not write would raise the error once more when it is closed.
    """

    file: Any

    def __init__(self, file: IO[bytes], beginning: bytes) -> None:
        super().__init__(file)  # type: ignore[arg-type]
        self.append(beginning)

    def append(self, s: Any) -> None:
        rest = memoryview(s)
        while rest:
            rest = rest[self.file.write(rest) :]
        self.remain += len(s)

    def getfile(self) -> Any:
        """Return the file for reading, without what was reserved and is not needed."""
        self.file.truncate(self.remain)
        self.file.seek(0)
        return BufferedReader(self.file)


class BodySpool:
    """
    Limits the bytes of all bodies that this process receives; they are on disk.

    A single caller may have half of them, so that it cannot keep all others out.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._reserved: Counter[str] = Counter()

    def reserve(self, caller: str, size: int) -> Callable[[], None]:
        """Return a function that ends the reservation; raise ServerBusy if full."""
        with self._lock:
            total = self._reserved.total() + size
            own = self._reserved[caller] + size
            if total > limits.MAX_SPOOLED_BYTES or own > limits.MAX_SPOOLED_BYTES // 2:
                raise ServerBusy(
                    "The server is receiving too many large bodies; try again.",
                )
            self._reserved[caller] = own
        return partial(self._release, caller, size)

    def _release(self, caller: str, size: int) -> None:
        with self._lock:
            self._reserved[caller] -= size
            if not self._reserved[caller]:
                del self._reserved[caller]


class Parser(HTTPRequestParser):
    """
    Rejects requests whose end a proxy and this server could see in different places.

    Waitress accepts a chunked body with a Content-Length, and takes what follows the
    last chunk for the next request; a proxy may have gone by the Content-Length. This
    is known as request smuggling. It also accepts a body that is chunked twice.

    Of a large body, only the beginning is received until it is admitted.
    """

    # Of a request whose first line cannot be read.
    command = "-"  # type: ignore[assignment]
    path = query = request_uri = ""
    url_scheme = "http"

    error: Error | None
    max_body_bytes = limits.KEYLESS_BODY_BYTES
    is_admitted = False
    # Whether the rest of the body must be admitted before more of it is received.
    needs_admission = False
    # Whether the client sends nothing more before 100 Continue.
    awaits_continue = False
    # Whether the client may still be sending a request that is refused.
    is_cut_off = True
    # Ends the reservation of an admitted body.
    release: Callable[[], None] | None = None

    def parse_header(self, header_plus: bytes) -> None:
        try:
            super().parse_header(header_plus)
        except ValueError as error:
            # A number of thousands of digits, or an invalid URL.
            raise ParsingError("The header cannot be parsed") from error
        if _chunkings(header_plus) > 1:
            raise ParsingError("The body is chunked more than once")
        is_old_and_chunked = "TRANSFER_ENCODING" in self.headers
        if is_old_and_chunked or (self.chunked and "CONTENT_LENGTH" in self.headers):
            raise ParsingError("The length of the body is ambiguous")

    def received(self, data: bytes) -> int:
        try:
            consumed = int(super().received(data))
        except OSError as error:
            if (refusal := full_folder_refusal(error)) is None:
                raise
            # Not every file system can reserve space.
            self.refuse(refusal)
            return len(data)
        if isinstance(self.error, RequestHeaderFieldsTooLarge):
            # Waitress has parsed another request line in its place.
            self.command, self.path = Parser.command, Parser.path
        elif self.error is None and not self.completed:
            self._limit_body()
        if self.completed:
            # Waitress would send 100 Continue, and take the next request for a body.
            self.expect_continue = False
        return consumed

    def _limit_body(self) -> None:
        """Stop at a body that is too large, or that must be admitted first."""
        if self.chunked and self._has_long_control_line():
            self.refuse(MalformedRequest("A chunk of the body has a line too long."))
        elif max(self.content_length, self._body_bytes()) <= self.max_body_bytes:
            return
        elif self.is_admitted:
            self.refuse(body_too_large(self.max_body_bytes))
        elif not self.needs_admission:
            self.needs_admission = True
            self.awaits_continue, self.expect_continue = self.expect_continue, False

    def _has_long_control_line(self) -> bool:
        """Waitress would keep the line, or the trailer, however long it is."""
        body = self.body_rcv
        return (
            isinstance(body, ChunkedReceiver)
            and len(body.control_line) + len(body.trailer) > limits.MAX_HEADER_BYTES
        )

    def _body_bytes(self) -> int:
        """
        Return the bytes of a body so far.

        The sizes of chunks count only if they are more than half of it.
        """
        content = len(self.body_rcv) if self.body_rcv is not None else 0
        return max(content, self.body_bytes_received // 2)

    def admit(self, max_bytes: int, file: IO[bytes]) -> None:
        """Allow a body of this size, and receive it into the file."""
        self.is_admitted, self.max_body_bytes = True, max_bytes
        receiver: Any = self.body_rcv
        beginning = receiver.getbuf()
        receiver.buf = BodyFile(file, beginning.get())
        beginning.close()

    def refuse(self, refusal: Refusal) -> None:
        """Answer with the refusal, and take nothing else of the request."""
        self.error = RefusedRequest(refusal)
        self.is_cut_off = not self.completed
        self.completed = True

    def close(self) -> None:
        try:
            super().close()
        except OSError as error:
            # The file is gone all the same, and with it what could not be written.
            log.warning(LogLine(event="body-not-closed", error=error))
        if self.release is not None:
            release, self.release = self.release, None
            release()


def _chunkings(header_plus: bytes) -> int:
    """Count how often the header says that the body is chunked."""
    lines = header_plus.lower().split(b"\r\n")
    return sum(
        line.count(b"chunked")
        for line in lines
        if line.startswith(b"transfer-encoding")
    )


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
