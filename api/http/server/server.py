"""Run waitress with limits, so that slow or idle clients cannot starve the others."""

import logging
import resource
import socket
import sys
from collections.abc import Iterable, Iterator
from time import monotonic
from typing import Any, cast

from waitress.adjustments import Adjustments
from waitress.server import TcpWSGIServer

from api.http.body_limits import AdmitBody, refuse_large_body
from api.http.server import limits
from api.http.server.body_admission import BodySpool
from api.http.server.caller_queue import CallerQueue
from api.http.server.channel import Channel
from api.http.server.parser import Parser
from models.errors import RateLimited
from models.logs import LogLine

log = logging.getLogger("masthead.requests")


class Server(TcpWSGIServer):
    """Waitress with timeouts that are checked every second."""

    channel_class = Channel

    def __init__(self, *args: Any, admit_body: AdmitBody, **kwargs: Any) -> None:
        self.admit_body = admit_body
        self.body_spool = BodySpool()
        super().__init__(*args, **kwargs)
        self.callers = CallerQueue(self.adj.threads)

    def add_task(self, task: Any) -> None:
        """Have the next request of a connection processed once its turn has come."""
        channel: Channel = task
        if channel.park():
            return
        request = channel.requests[0]
        authorization = None if request.error else request.headers.get("AUTHORIZATION")
        channel.caller = self.callers.caller_of(authorization)
        if self.callers.admit(channel.caller, channel):
            super().add_task(task)

    def finish_task(self, caller: object, *, is_costly: bool) -> Channel | None:
        """
        Have the requests processed that waited for one of the same caller.

        The first is returned, for the thread that is free now: to wake another one for
        each request takes longer than many of them.
        """
        channels = cast(list[Channel], self.callers.finish(caller, is_costly=is_costly))
        for channel in channels[1:]:
            super().add_task(channel)  # type: ignore[arg-type]
        return channels[0] if channels else None

    def _refuse_overdue(self) -> None:
        for overdue in self.callers.overdue():
            channel = cast(Channel, overdue)
            channel.caller = None
            request = cast(Parser, channel.requests[0])
            request.refuse(RateLimited("This API key has too many requests at a time."))
            super().add_task(channel)  # type: ignore[arg-type]

    def maintenance(self, now: float) -> None:  # noqa: ARG002
        """Close timed-out connections and, under load, those that waited longest."""
        self._refuse_overdue()
        monotonic_now = monotonic()
        channels = cast(dict[int, Channel], self.active_channels)
        waiting = [channel for channel in channels.values() if channel.is_waiting]
        waiting.sort(key=lambda channel: channel.waiting_since)
        surplus = max(0, len(channels) - limits.HIGH_WATER_CONNECTIONS)
        if surplus:
            log.warning(LogLine(event="crowd", connections=len(channels)))
        timed_out = [
            channel
            for channel in waiting[surplus:]
            if channel.is_timed_out(monotonic_now)
        ]
        unread = list(_unread(waiting[surplus:]))
        if unread:
            log.warning(LogLine(event="unread", connections=len(unread)))
        for channel in {*waiting[:surplus], *timed_out, *unread}:
            # At once: a client that does not read never takes what is left to send.
            channel.handle_close()


def _unread(channels: Iterable[Channel]) -> Iterator[Channel]:
    """Yield the first of the connections until the others hold little enough."""
    unread = {channel: channel.unread_bytes for channel in channels}
    excess = sum(unread.values()) - limits.MAX_UNREAD_BYTES
    for channel, size in unread.items():
        if excess <= 0:
            return
        if size:
            excess -= size
            yield channel


def limited_server(
    app: Any,
    listener: socket.socket,
    *,
    threads: int,
    admit_body: AdmitBody = refuse_large_body,
) -> Server:
    """
    Return a server of the application on the bound socket.

    `admit_body` decides on bodies that are only received for a valid API key.
    """
    _raise_file_limit()
    sys.setswitchinterval(limits.SWITCH_INTERVAL_SECONDS)
    adjustments = Adjustments(
        sockets=[listener],
        threads=threads,
        connection_limit=limits.MAX_CONNECTIONS,
        cleanup_interval=1,
        max_request_header_size=limits.MAX_HEADER_BYTES,
        # The parser has limits of its own, up to which bodies stay in memory.
        max_request_body_size=sys.maxsize,
        inbuf_overflow=2 * limits.KEYLESS_BODY_BYTES,
        # select() fails above file descriptor 1023.
        asyncore_use_poll=True,
        ident=None,
    )
    address = (listener.family, listener.type, listener.proto, listener.getsockname())
    return Server(
        app,
        _sock=listener,
        adj=adjustments,
        sockinfo=address,
        bind_socket=False,
        admit_body=admit_body,
    )


def _raise_file_limit() -> None:
    """Raise the limit of open files, which each connection counts against."""
    required = limits.MAX_CONNECTIONS + limits.OTHER_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < required:
        allowed = required if hard == resource.RLIM_INFINITY else min(required, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, allowed), hard))
