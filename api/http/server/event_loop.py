"""
Wait for the connections of a server with epoll.

Waitress asks every connection before each turn what to wait for, and is woken after
each request to do so. Here a registration lasts until it must change.
"""

import logging
import select
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from threading import get_ident
from typing import Any

from waitress.wasyncore import dispatcher, readwrite

log = logging.getLogger("masthead.requests")

# The seconds after which a turn begins although nothing has happened.
MAX_WAIT_SECONDS = 1

_WAITED = select.EPOLLIN | select.EPOLLOUT


class EventLoop:
    """
    Handles the events of connections, one turn after another.

    `listener` is the dispatcher of waitress that accepts connections. `end_turn` is
    called after the events of each turn, and returns whether the next turn is due at
    once. All is called in the thread of the loop, except `attend` and `stop`.
    """

    def __init__(self, listener: Any, end_turn: Callable[[], bool]) -> None:
        self._listener = listener
        # By file descriptor.
        self._connections: dict[int, Any] = listener._map
        self._wake = listener.trigger
        self._end_turn = end_turn
        self._epoll = select.epoll()
        self._registered: dict[int, int] = {}
        # The connections whose registration may have to change.
        self._changed: deque[Any] = deque()
        self._thread = 0
        self._is_next_due = False
        self._is_stopping = False

    @property
    def is_current(self) -> bool:
        """Whether the loop runs in this thread."""
        return self._thread == get_ident()

    def run(self) -> None:
        """Handle events until `stop`, or until all connections are closed."""
        self._thread = get_ident()
        for connection in list(self._connections.values()):
            self._register(connection)
        while self._connections and not self._is_stopping:
            self._turn()

    def stop(self) -> None:
        """End the loop after its present turn."""
        self._is_stopping = True
        self._wake.pull_trigger()

    def close(self) -> None:
        self._epoll.close()

    def attend(self, connection: Any) -> None:
        """Register the connection anew, if what it waits for is not registered."""
        registered = self._registered.get(connection._fileno, 0)
        if _wanted_events(connection) & ~registered:
            self._changed.append(connection)
            if not self.is_current:
                self._wake.pull_trigger()

    def add(self, connection: Any) -> None:
        """Register a new connection, whose descriptor another one may have had."""
        self._registered.pop(connection._fileno, None)
        self._register(connection)

    def _turn(self) -> None:
        # Also does what is due by now.
        self._register(self._listener)
        events = self._epoll.poll(0 if self._is_next_due else MAX_WAIT_SECONDS)
        accepts = None
        for descriptor, flags in events:
            connection = self._connections.get(descriptor)
            if connection is self._listener:
                accepts = flags
            elif connection is not None:
                self._handle(connection, flags)
        self._is_next_due = self._end_turn()
        # Last: a new connection may get the descriptor of one that was closed in this
        # turn, but not its events.
        if accepts is not None and self._listener.accepting:
            self._handle(self._listener, accepts)
        while self._changed:
            self._register(self._changed.popleft())

    def _handle(self, connection: Any, flags: int) -> None:
        """Handle events of a connection, whose errors end it and never the loop."""
        try:
            self._handle_awaited(connection, flags)
        except Exception:
            log.exception("Exception while handling a connection")
            if connection is not self._listener:
                with suppress(Exception):
                    dispatcher.close(connection)

    def _handle_awaited(self, connection: Any, flags: int) -> None:
        """Handle the events that the connection still waits for."""
        wanted = _wanted_events(connection)
        if not wanted or flags & _WAITED & ~wanted:
            self._register(connection)
        if wanted:
            readwrite(connection, flags & ~(_WAITED & ~wanted))
            self.attend(connection)

    def _register(self, connection: Any) -> None:
        """
        Register what the connection waits for.

        A thread may change that at the same time. Either this sees the change, since it
        looks again after `_registered` is set, or the thread sees that, and calls
        `attend`.
        """
        descriptor = connection._fileno
        if self._connections.get(descriptor) is not connection:
            return
        while (wanted := _wanted_events(connection)) != (
            registered := self._registered.get(descriptor, 0)
        ):
            self._registered[descriptor] = wanted
            # A thread may have closed it meanwhile.
            with suppress(OSError):
                self._set_events(descriptor, registered, wanted)

    def _set_events(self, descriptor: int, registered: int, wanted: int) -> None:
        if not wanted:
            # Epoll would report the end of the connection in every turn.
            self._epoll.unregister(descriptor)
        elif registered:
            self._epoll.modify(descriptor, wanted)
        else:
            self._epoll.register(descriptor, wanted)


def _wanted_events(connection: Any) -> int:
    reads = select.EPOLLIN if connection.readable() else 0
    # A socket that accepts connections is never written to.
    writes = connection.writable() and not connection.accepting
    return reads | (select.EPOLLOUT if writes else 0)
