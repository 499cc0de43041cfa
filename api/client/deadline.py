"""Limit the total time of requests, and close their connections when it is over."""

import socket
import ssl
from collections.abc import Sequence
from contextlib import suppress
from threading import Lock, Timer
from time import monotonic
from types import TracebackType
from typing import Any, Self

# A family, and an address in its form.
SocketAddress = tuple[int, Any]


class Deadline:
    """
    A time limit for everything inside its `with` block.

    The timeout of a socket applies to each read, so a server that sends a byte now
    and then could hold a client for hours. Therefore the connections that are open at
    the deadline are shut down. Only the system's name resolution cannot be aborted.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._ends_at = monotonic() + seconds
        self._sockets: list[socket.socket] = []
        self._lock = Lock()
        self._timer = Timer(seconds, self._shut_down_sockets)
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
            for connection in self._sockets:
                connection.close()
            self._sockets.clear()

    def seconds_left(self) -> float:
        """Return the number of seconds left; raise TimeoutError if there are none."""
        if self.is_over:
            raise TimeoutError("The deadline has passed.")
        return self._ends_at - monotonic()

    @property
    def is_over(self) -> bool:
        return monotonic() >= self._ends_at

    def describe(self, error: Exception) -> str:
        """Describe an error in a few words; after the deadline, always as a timeout."""
        if self.is_over or isinstance(error, TimeoutError):
            return f"no answer within {self._seconds:g} s"
        if isinstance(error, ssl.SSLCertVerificationError):
            return f"the certificate is not trusted: {error.verify_message}"
        if isinstance(error, socket.gaierror):
            return "the name does not resolve"
        if isinstance(error, OSError) and error.strerror:
            return error.strerror.lower()
        return str(error)[:200] or type(error).__name__

    def connect(self, host: str, port: int) -> socket.socket:
        """Return a connection to the first address of the host that accepts one."""
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        return self.connect_to([(info[0], info[4]) for info in found])

    def connect_to(self, addresses: Sequence[SocketAddress]) -> socket.socket:
        """Return a connection to the first of the addresses that accepts one."""
        last_error = OSError("The host has no address.")
        for index, (family, address) in enumerate(addresses):
            try:
                connection = socket.socket(family, socket.SOCK_STREAM)
            except OSError as error:
                # The system may be without IPv6.
                last_error = error
                continue
            try:
                # Each address gets its share: a dead one leaves time for the others.
                addresses_left = len(addresses) - index
                connection.settimeout(self.seconds_left() / addresses_left)
                connection.connect(address)
                connection.settimeout(self.seconds_left())
            except OSError as error:
                connection.close()
                last_error = error
                continue
            self._watch(connection)
            return connection
        raise last_error

    def _watch(self, connection: socket.socket) -> None:
        # TLS takes over the socket object, so keep a duplicate of its descriptor.
        with self._lock:
            self._sockets.append(connection.dup())
        try:
            self.seconds_left()
        except TimeoutError:
            connection.close()
            raise

    def _shut_down_sockets(self) -> None:
        with self._lock:
            for connection in self._sockets:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
