"""Limit how long a request may take over a connection that is kept open."""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Timer

from urllib3 import HTTPConnectionPool
from urllib3.connection import HTTPConnection


class TimeLimit:
    """
    Shuts down the connection of a pool when a request takes too long.

    The timeout of a socket applies to each read, so a server that sends a byte now and
    then could hold a client for hours. The pool is used by one thread.
    """

    def __init__(self, pool: HTTPConnectionPool) -> None:
        self.is_over = False
        # TLS takes over the socket object, and a response the connection's, so this is
        # a duplicate of its descriptor.
        self._descriptor: int | None = None
        connection_class = pool.ConnectionCls

        def opened(**options: object) -> HTTPConnection:
            connection: HTTPConnection = connection_class(**options)  # type: ignore
            open_socket = connection._new_conn

            def open_watched_socket() -> socket.socket:
                opened = open_socket()
                self._watch(opened)
                return opened

            connection._new_conn = open_watched_socket  # type: ignore[method-assign]
            return connection

        pool.ConnectionCls = opened  # type: ignore[assignment]

    def _watch(self, opened: socket.socket) -> None:
        self._close()
        self._descriptor = os.dup(opened.fileno())

    def _close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def __del__(self) -> None:
        self._close()

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        self.is_over = False
        timer = Timer(seconds, self._shut_down)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def _shut_down(self) -> None:
        self.is_over = True
        if self._descriptor is None:
            return
        watched = socket.socket(fileno=self._descriptor)
        with suppress(OSError):
            watched.shutdown(socket.SHUT_RDWR)
        watched.detach()
