"""The time that one look may take, and what is cut off when it is over."""

import socket
import ssl
from contextlib import suppress
from threading import Lock, Timer
from time import monotonic
from types import TracebackType
from typing import Self


class Deadline:
    """
    Connections that end with it.

    The time limit of a socket is for each of its reads: a server that sends a byte
    now and then would hold us for hours. So what is still open at the end is shut.
    Only the system's own look-up of a name cannot be cut short.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._until = monotonic() + seconds
        self._open: list[socket.socket] = []
        self._lock = Lock()
        self._timer = Timer(seconds, self._shut)
        self._timer.daemon = True

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._timer.cancel()
        with self._lock:
            for each in self._open:
                each.close()
            self._open.clear()

    def left(self) -> float:
        """Return the seconds that are left; raise TimeoutError when none are."""
        left = self._until - monotonic()
        if left <= 0:
            raise TimeoutError("The time is over.")
        return left

    def told(self, error: Exception) -> str:
        """Say in a few words what went wrong; past the end it is always the time."""
        if monotonic() >= self._until or isinstance(error, TimeoutError):
            return f"no answer within {self._seconds:g} s"
        if isinstance(error, ssl.SSLCertVerificationError):
            return f"the certificate is not trusted: {error.verify_message}"
        if isinstance(error, socket.gaierror):
            return "the name does not resolve"
        if isinstance(error, OSError) and error.strerror:
            return error.strerror.lower()
        return str(error)[:200] or type(error).__name__

    def connect(self, host: str, port: int) -> socket.socket:
        """Return a connection to the first address of the host that takes one."""
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        problem = OSError("The host has no address.")
        for number, (family, kind, protocol, _, address) in enumerate(found):
            made = socket.socket(family, kind, protocol)
            try:
                # Each address gets its share, so that a dead one leaves time to others.
                made.settimeout(self.left() / (len(found) - number))
                made.connect(address)
                made.settimeout(self.left())
            except OSError as error:
                made.close()
                problem = error
                continue
            self._watch(made)
            return made
        raise problem

    def _watch(self, made: socket.socket) -> None:
        # TLS takes a socket over; a second name for the connection stays with us.
        with self._lock:
            self._open.append(made.dup())
        try:
            self.left()
        except TimeoutError:
            made.close()
            raise

    def _shut(self) -> None:
        with self._lock:
            for each in self._open:
                with suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)
