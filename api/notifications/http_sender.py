"""Send notifications over HTTP: to webhooks and chat rooms."""

import socket
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from http.client import HTTPException
from threading import Event
from time import monotonic

from urllib3.exceptions import HTTPError

from api.client.deadline import Deadline
from api.client.http_request import (
    REQUEST_ERRORS,
    HttpRequest,
    HttpResponse,
    retry_after_seconds,
    send_request,
)
from api.notifications.safe_connection import (
    Resolver,
    connect_safely,
    system_addresses,
)
from models.display_text import escape_unsafe
from models.notifications.addresses.http_address import (
    RefusedAddress,
    parse_destination,
)
from models.notifications.deliveries.outcomes import MAX_ANSWER, Outcome

# For everything from the look-up of the name to the end of the answer.
TIMEOUT_SECONDS = 15.0
MAX_ANSWER_BYTES = 65_536
MAX_RETRY_AFTER_SECONDS = 86_400.0
GONE = 410


class HttpSender:
    """
    Posts messages to the addresses of subscriptions.

    `networks` is the value of MASTHEAD_NOTIFY_NETWORKS. `ca_file` has the certificates
    that are trusted instead of the system's.
    """

    def __init__(
        self,
        networks: Sequence[str],
        clock: Callable[[], datetime],
        resolver: Resolver = system_addresses,
        timeout_seconds: float = TIMEOUT_SECONDS,
        ca_file: str | None = None,
    ) -> None:
        self._networks, self._clock, self._resolver = networks, clock, resolver
        self._timeout_seconds, self._ca_file = timeout_seconds, ca_file

    def send(self, url: str, headers: Mapping[str, str], body: bytes) -> Outcome:
        """
        Post the body once, and return what became of it.

        Redirects are not followed, and proxies of the environment are not used.
        """
        started, is_begun = monotonic(), Event()
        deadline = Deadline(self._timeout_seconds)
        try:
            with deadline:
                response = self._post(url, headers, body, deadline, is_begun.set)
                outcome = self._outcome(response)
        except RefusedAddress as error:
            outcome = Outcome(is_delivered=False, answer=str(error))
        except REQUEST_ERRORS as error:
            outcome = Outcome(
                is_delivered=False,
                answer=_describe(error, deadline),
                is_unconfirmed=is_begun.is_set(),
            )
        return replace(outcome, duration_ms=round((monotonic() - started) * 1000))

    def _post(
        self,
        url: str,
        headers: Mapping[str, str],
        body: bytes,
        deadline: Deadline,
        before_sending: Callable[[], None],
    ) -> HttpResponse:
        """Post the body; after `before_sending` the receiver may have it."""
        destination = parse_destination(url, self._networks)
        request = HttpRequest(
            url,
            method="POST",
            headers={"User-Agent": "masthead", **headers},
            body=body,
            max_body_bytes=MAX_ANSWER_BYTES,
            ca_file=self._ca_file,
        )

        def connect(_host: str, _port: int) -> socket.socket:
            return connect_safely(destination, self._networks, self._resolver, deadline)

        return send_request(request, deadline, connect, before_sending)

    def _outcome(self, response: HttpResponse) -> Outcome:
        is_delivered = 200 <= response.status < 300
        return Outcome(
            is_delivered=is_delivered,
            status_code=response.status,
            answer=_answer(response),
            retry_after=None if is_delivered else self._retry_after(response),
            is_permanent=response.status == GONE,
        )

    def _retry_after(self, response: HttpResponse) -> float | None:
        header = response.headers.get("Retry-After", "")
        now = self._clock()
        return retry_after_seconds(header, now, MAX_RETRY_AFTER_SECONDS) or None


def _answer(response: HttpResponse) -> str | None:
    if response.location:
        return _readable(
            "The receiver redirects, which is not followed. If the new address is"
            f" right, subscribe it instead: {response.location}"
        )
    return _readable(response.body.decode(errors="replace")) or None


def _describe(error: Exception, deadline: Deadline) -> str:
    reason = deadline.describe(error).rstrip(".")
    is_invalid_answer = isinstance(error, HTTPException | HTTPError)
    if is_invalid_answer and not deadline.is_over:
        reason = f"the answer is not valid HTTP: {reason}"
    return _readable(f"{reason[:1].upper()}{reason[1:]}.")


def _readable(text: str) -> str:
    """Return the beginning of a foreign text, with control characters escaped."""
    return escape_unsafe(text[:MAX_ANSWER])[:MAX_ANSWER]
