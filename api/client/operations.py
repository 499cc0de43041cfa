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
from typing import Any
from urllib.parse import urlencode, urlsplit

from urllib3 import BaseHTTPResponse, HTTPConnectionPool, Timeout, connection_from_url
from urllib3.exceptions import HTTPError

from api.client.server_url import require_safe_url
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
# As the system's errors begin.
_ERROR_NUMBER = re.compile(r"\[Errno -?\d+\] ")

log = logging.getLogger("masthead.client")


class ApiProblem(Exception):
    """The API refused a call; `kind` is the problem type, the text its sentence."""

    def __init__(self, kind: str, detail: str) -> None:
        super().__init__(detail)
        self.kind = kind


class NotAnswered(Exception):
    """The call was not answered, and may be if it is repeated."""

    def __init__(self, reason: str, pause_seconds: float = 0) -> None:
        super().__init__(reason)
        self.pause_seconds = pause_seconds


@dataclass
class ApiClient:
    """A client of one server, which keeps its connection open."""

    url: str
    key: str = field(repr=False)

    def __post_init__(self) -> None:
        self.url = self.url.rstrip("/")
        require_safe_url(self.url, "Masthead server")
        is_https = self.url.startswith("https:")
        tls = {"ssl_context": ssl.create_default_context()} if is_https else {}
        self._pool: HTTPConnectionPool = connection_from_url(
            self.url,
            retries=False,
            timeout=Timeout(connect=CONNECT_SECONDS, read=READ_SECONDS),
            **tls,
        )
        self._limit = TimeLimit(self._pool)
        self._was_answered = False

    def post(
        self, path: str, body: bytes, headers: Mapping[str, str] | None = None
    ) -> Any:
        """Send JSON, and return the data of the response; raise ApiProblem."""
        types = {"Content-Type": "application/json"}
        return self._post(path, body, types | dict(headers or {}))

    def post_file(self, path: str, query: Mapping[str, str], content: bytes) -> Any:
        """Send the bytes of a file, and return the data of the response."""
        types = {"Content-Type": "application/octet-stream"}
        return self._post(f"{path}?{urlencode(query)}", content, types)

    def _post(self, path: str, body: bytes, headers: Mapping[str, str]) -> Any:
        waited, attempts = 0.0, 0
        while True:
            started = monotonic()
            try:
                return self._try_to_post(path, body, headers)
            except NotAnswered as error:
                attempts += 1
                waited += monotonic() - started
                pause = max(error.pause_seconds, min(2.0**attempts, MAX_PAUSE_SECONDS))
                if waited + pause > self._patience_seconds:
                    raise CommandError(self._failure(error)) from error
                log.warning(LogLine(event="not-answered", why=error, again_in=pause))
                sleep(pause)
                waited += pause

    @property
    def _patience_seconds(self) -> float:
        # A wrong address should not take minutes to be told.
        return PATIENCE_SECONDS if self._was_answered else FIRST_PATIENCE_SECONDS

    def _failure(self, error: NotAnswered) -> str:
        if self._was_answered:
            return f"{self.url} does not answer any more: {error}."
        return f"{self.url} cannot be reached: {error}. Check the address."

    def _try_to_post(self, path: str, body: bytes, headers: Mapping[str, str]) -> Any:
        authorization = {"Authorization": f"Bearer {self.key}"}
        try:
            with self._limit.within(REQUEST_SECONDS):
                response = self._pool.urlopen(
                    "POST",
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
        return self._data_of(response, content, len(body))

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
        return NotAnswered(_describe(error))

    def _late(self) -> NotAnswered:
        return NotAnswered(f"no answer within {REQUEST_SECONDS} s")

    def _data_of(self, response: BaseHTTPResponse, content: bytes, sent: int) -> Any:
        media_type = response.headers.get("Content-Type", "").partition(";")[0]
        body = _json_object(content)
        detail = body.get("detail")
        is_problem = media_type == PROBLEM_TYPE and isinstance(detail, str)
        if response.status == 200 and "data" in body:
            self._was_answered = True
            return body["data"]
        kind = str(body.get("type")).rstrip("/").rpartition("/")[2]
        if response.status in BUSY_STATUSES or (is_problem and kind in BUSY_KINDS):
            self._was_answered |= is_problem
            reason = f"it answers {response.status}"
            if is_problem:
                reason = self._shown(str(detail)).rstrip(".")
            pause = _seconds(response.headers.get("Retry-After", ""))
            raise NotAnswered(reason, pause)
        if is_problem:
            raise ApiProblem(kind, self._shown(str(detail)))
        if response.status == 413:
            raise ApiProblem(
                TOO_LARGE,
                f"The proxy in front of {self.url} refuses bodies of {sent} bytes."
                " Raise its limit, such as client_max_body_size of nginx.",
            )
        raise CommandError(self._foreign_answer(response, media_type))

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
