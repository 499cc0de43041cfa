"""
Call operations of another server, and again where that can help.

A server that restarts, is busy or limits the rate is asked again for some minutes: each
call must be safe to repeat.
"""

import json
import logging
import re
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from time import monotonic, sleep
from typing import Any, NamedTuple
from urllib.parse import urlencode, urlsplit

from urllib3 import BaseHTTPResponse, HTTPConnectionPool, Timeout, connection_from_url
from urllib3.exceptions import (
    ConnectTimeoutError,
    HTTPError,
    NewConnectionError,
    SSLError,
)

from api.client.http_request import require_safe_url
from api.client.time_limit import TimeLimit
from models.logs import LogLine
from models.runtime.commands import CommandError

CONNECT_SECONDS, READ_SECONDS = 10, 300
# So long a request may take in all, however many bytes arrive now and then.
REQUEST_SECONDS = 600
# So long a call is repeated in all: until the first response, and then.
FIRST_PATIENCE_SECONDS, PATIENCE_SECONDS = 5, 600
MAX_PAUSE_SECONDS = 30
MAX_RESPONSE_BYTES = 64_000_000
# Of what is shown of the words of a server.
MAX_WORDS = 500
PROBLEM_TYPE = "application/problem+json"
TOO_LARGE, NOT_FOUND = "payload-too-large", "not-found"
INSUFFICIENT_SCOPE = "insufficient-scope"
BUSY_STATUSES = (429, 502, 503, 504)
BUSY_KINDS = ("idempotency-in-progress",)
# Errors of a connection over which no request was sent.
BEFORE_SENDING = (NewConnectionError, ConnectTimeoutError, SSLError)
# As the system's errors begin.
_ERROR_NUMBER = re.compile(r"\[Errno -?\d+\] ")

log = logging.getLogger("masthead.client")


class ApiProblem(Exception):
    """The API refused a call; `kind` is the problem type, the text its sentence."""

    def __init__(self, kind: str, detail: str) -> None:
        super().__init__(detail)
        self.kind = kind


class NotAnswered(Exception):
    """
    The call was not answered, and may be if it is repeated.

    `may_be_done` says whether the server may have received it all the same.
    """

    def __init__(
        self, reason: str, pause_seconds: float = 0, *, may_be_done: bool
    ) -> None:
        super().__init__(reason)
        self.pause_seconds = pause_seconds
        self.may_be_done = may_be_done


class ServerUnreachable(CommandError):
    """No attempt reached the server, so nothing was done."""


class OutcomeUnknown(CommandError):
    """The call may have been done or not: an answer was lost."""


class Answer(NamedTuple):
    """The body of a response, and whether an earlier request had it first."""

    data: Any
    meta: Any
    is_replayed: bool


@dataclass
class ApiClient:
    """A client of one server, which keeps its connection open."""

    url: str
    key: str = field(repr=False)
    # Less than the limits above, for callers who wait.
    max_request_seconds: float = float("inf")
    max_patience_seconds: float = float("inf")

    def __post_init__(self) -> None:
        self.url = self.url.rstrip("/")
        self._request_seconds = min(REQUEST_SECONDS, self.max_request_seconds)
        require_safe_url(self.url, "Masthead server")
        is_https = self.url.startswith("https:")
        tls = {"ssl_context": ssl.create_default_context()} if is_https else {}
        self._pool: HTTPConnectionPool = connection_from_url(
            self.url,
            retries=False,
            timeout=Timeout(
                connect=CONNECT_SECONDS, read=min(READ_SECONDS, self._request_seconds)
            ),
            **tls,
        )
        self._limit = TimeLimit(self._pool)
        self._was_answered = False

    def get(self, path: str, query: Mapping[str, str]) -> Answer:
        """Ask for what a read returns; raise ApiProblem."""
        return self._call("GET", f"{path}?{urlencode(query)}" if query else path)

    def post(
        self, path: str, body: bytes, headers: Mapping[str, str] | None = None
    ) -> Any:
        """Send JSON, and return the data of the response; raise ApiProblem."""
        return self.change(path, body, headers).data

    def change(
        self, path: str, body: bytes, headers: Mapping[str, str] | None = None
    ) -> Answer:
        """Send JSON, and return the answer; raise ApiProblem."""
        types = {"Content-Type": "application/json"}
        return self._call("POST", path, body, types | dict(headers or {}))

    def post_file(self, path: str, query: Mapping[str, str], content: bytes) -> Any:
        """Send the bytes of a file, and return the data of the response."""
        types = {"Content-Type": "application/octet-stream"}
        return self._call("POST", f"{path}?{urlencode(query)}", content, types).data

    def _call(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        waited, attempts, may_be_done = 0.0, 0, False
        while True:
            started = monotonic()
            try:
                return self._try_to_call(method, path, body, headers or {})
            except NotAnswered as error:
                attempts += 1
                may_be_done |= error.may_be_done
                waited += monotonic() - started
                pause = max(error.pause_seconds, min(2.0**attempts, MAX_PAUSE_SECONDS))
                if waited + pause > self._patience_seconds:
                    failure = OutcomeUnknown if may_be_done else ServerUnreachable
                    raise failure(self._failure(error)) from error
                log.warning(LogLine(event="not-answered", why=error, again_in=pause))
                sleep(pause)
                waited += pause

    @property
    def _patience_seconds(self) -> float:
        # A wrong address should not take minutes to be told.
        if not self._was_answered:
            return FIRST_PATIENCE_SECONDS
        return min(PATIENCE_SECONDS, self.max_patience_seconds)

    def _failure(self, error: NotAnswered) -> str:
        if self._was_answered:
            return f"{self.url} does not answer any more: {error}."
        return f"{self.url} cannot be reached: {error}. Check the address."

    def _try_to_call(
        self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]
    ) -> Answer:
        authorization = {"Authorization": f"Bearer {self.key}"}
        try:
            with self._limit.within(self._request_seconds):
                response = self._pool.urlopen(
                    method,
                    urlsplit(self.url).path + path,
                    body=body,
                    headers={"User-Agent": "masthead", **headers, **authorization},
                    redirect=False,
                    preload_content=False,
                )
                content = response.read(MAX_RESPONSE_BYTES)
                response.release_conn()
        except (HTTPError, OSError) as error:
            raise self._fault(error) from error
        if self._limit.is_over:
            # An answer that was cut may look like its end.
            raise self._late()
        return self._answer(response, content, len(body or b""))

    def _fault(self, error: Exception) -> Exception:
        """Return CommandError for a certificate, which no repeat makes trusted."""
        if self._limit.is_over:
            return self._late()
        for cause in (error, error.__cause__, error.__context__, *error.args):
            if isinstance(cause, ssl.SSLCertVerificationError):
                return CommandError(
                    f"The certificate of {self.url} is not trusted:"
                    f" {cause.verify_message}. If its authority is your own, set"
                    " SSL_CERT_FILE to its certificate."
                )
        return NotAnswered(
            _describe(error), may_be_done=not isinstance(error, BEFORE_SENDING)
        )

    def _late(self) -> NotAnswered:
        reason = f"no answer within {self._request_seconds:g} s"
        return NotAnswered(reason, may_be_done=True)

    def _answer(self, response: BaseHTTPResponse, content: bytes, sent: int) -> Answer:
        media_type = response.headers.get("Content-Type", "").partition(";")[0]
        body = _json_object(content)
        detail = body.get("detail")
        is_problem = media_type == PROBLEM_TYPE and isinstance(detail, str)
        if response.status == 200 and "data" in body:
            self._was_answered = True
            is_replayed = response.headers.get("Idempotent-Replayed") == "true"
            return Answer(body["data"], body.get("meta"), is_replayed)
        kind = str(body.get("type")).rstrip("/").rpartition("/")[2]
        if response.status in BUSY_STATUSES or (is_problem and kind in BUSY_KINDS):
            self._was_answered |= is_problem
            reason = f"it answers {response.status}"
            if is_problem:
                reason = self._shown(str(detail)).rstrip(".")
            pause = _seconds(response.headers.get("Retry-After", ""))
            # Masthead refuses before it changes anything; a proxy may not know.
            may_be_done = not is_problem or kind in BUSY_KINDS
            raise NotAnswered(reason, pause, may_be_done=may_be_done)
        if is_problem:
            raise ApiProblem(kind, self._shown(str(detail)))
        if response.status == 413:
            raise ApiProblem(
                TOO_LARGE,
                f"The proxy in front of {self.url} refuses bodies of {sent} bytes."
                " Raise its limit, such as client_max_body_size of nginx.",
            )
        # A proxy says so of an answer that it lost.
        failure = OutcomeUnknown if response.status >= 500 else CommandError
        raise failure(self._foreign_answer(response, media_type))

    def _foreign_answer(self, response: BaseHTTPResponse, media_type: str) -> str:
        if location := response.headers.get("Location"):
            place = self._shown(location)
            return f"{self.url} redirects to {place}. Use the address of the API."
        type_shown = self._shown(media_type) or "no content type"
        answer = f"{response.status} with {type_shown}"
        return (
            f"{self.url} answers {answer}, which is not an answer of Masthead's API."
            " Check the address, and the proxy in front of it."
        )

    def _shown(self, words: str) -> str:
        """Return words of the server as part of a line, without the key."""
        line = " ".join(words.replace(self.key, "…").split())
        return line if len(line) <= MAX_WORDS else line[:MAX_WORDS] + "…"


def _describe(error: Exception) -> str:
    """Describe an error of the network in a few words."""
    # The library wraps the error of the system, in an attribute or as an argument.
    causes = [getattr(error, "reason", None), *error.args, error]
    cause = next(cause for cause in causes if isinstance(cause, Exception))
    text = getattr(cause, "strerror", None) or str(cause).rpartition(": ")[2]
    line = " ".join(_ERROR_NUMBER.sub("", text).split())
    return line.rstrip(".")[:200] or type(cause).__name__


def _json_object(content: bytes) -> dict[str, Any]:
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _seconds(header: str) -> float:
    """Parse a Retry-After header in seconds; 0 for anything else."""
    is_number = header.isascii() and header.isdigit()
    return min(float(header), PATIENCE_SECONDS) if is_number else 0
