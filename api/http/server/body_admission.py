"""
Decide whether the rest of a large body is received, before it is.

The loop of the server, which serves all connections, must not wait for the database,
which may be on another machine. So a thread decides, and nothing is read from the
connection until then.
"""

import logging
from collections import Counter
from collections.abc import Callable
from threading import Lock
from typing import Any

from waitress.channel import HTTPChannel
from waitress.task import WSGITask

from api.http.dispatch import InternalError
from api.http.server import limits
from api.http.server.parser import Parser
from models.errors import Refusal, ServerBusy
from models.logs import LogLine
from models.runtime.temporary_files import full_folder_refusal, reserved_file

log = logging.getLogger("masthead.requests")


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
        return lambda: self._release(caller, size)

    def _release(self, caller: str, size: int) -> None:
        with self._lock:
            self._reserved[caller] -= size
            if not self._reserved[caller]:
                del self._reserved[caller]


class BodyAdmission:
    """
    The task of a thread that decides on the body of one request.

    `finish` is called once the request is admitted or refused.
    """

    def __init__(
        self, channel: HTTPChannel, request: Parser, finish: Callable[[], None]
    ) -> None:
        self._channel = channel
        self._request = request
        self._finish = finish

    def service(self) -> None:
        try:
            self._admit()
        except Refusal as refusal:
            self._refuse(refusal)
        except Exception as error:
            full = full_folder_refusal(error)
            if full is None:
                log.exception("Exception while admitting a body")
            detail = "Something went wrong on the server."
            self._refuse(full or InternalError(detail))
        self._finish()

    def _admit(self) -> None:
        server: Any = self._channel.server
        request = self._request
        task = WSGITask(self._channel, request)  # type: ignore[arg-type]
        environ = task.get_environment()
        allowance = server.admit_body(environ)
        # The length of a chunked body is unknown.
        size = request.content_length or allowance.max_bytes
        request.release = server.body_spool.reserve(allowance.caller, size)
        request.admit(allowance.max_bytes, reserved_file(size))

    def _refuse(self, refusal: Refusal) -> None:
        if state := refusal.members.get("state"):
            log.warning(LogLine(state=state, error=refusal.detail))
        self._request.refuse(refusal)

    def cancel(self) -> None:
        self._channel.cancel()
