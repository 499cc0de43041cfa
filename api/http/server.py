"""Run waitress with limits, so that slow or idle clients cannot starve the others."""

import logging
import resource
import socket
import sys
from time import monotonic
from typing import Any, cast

from waitress.adjustments import Adjustments
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser, ParsingError
from waitress.server import TcpWSGIServer

from models.logs import LogLine

log = logging.getLogger("masthead.requests")

KIB = 1024
# A client has this long, from the connection or the last response, to send a whole
# request; bodies get more time, as long as they arrive at the minimum rate.
TIMEOUT_SECONDS = 60
MIN_BYTES_PER_SECOND = 16 * KIB
MAX_CONNECTIONS = 800
# Above this number, the connections that have waited longest are closed.
HIGH_WATER_CONNECTIONS = 600
MAX_HEADER_BYTES = 32 * KIB
# Above the limit of every operation, so that clients read our 413 and its limitBytes.
MAX_BODY_BYTES = 72 * KIB * KIB
# A request releases the interpreter lock at each statement. With Python's 5 ms, and a
# build computing in another thread, it waits ten times longer to get it back.
SWITCH_INTERVAL_SECONDS = 0.0005
# The open files that threads and the database need besides the connections.
OTHER_FILES = 1024


class Parser(HTTPRequestParser):
    """
    Rejects requests whose end a proxy and this server could see in different places.

    Waitress accepts a chunked body with a Content-Length, and takes what follows the
    last chunk for the next request; a proxy may have gone by the Content-Length. This
    is known as request smuggling.
    """

    def parse_header(self, header_plus: bytes) -> None:
        try:
            super().parse_header(header_plus)
        except ValueError as error:
            # A number of thousands of digits, or an invalid URL.
            raise ParsingError("The header cannot be parsed") from error
        is_old_and_chunked = "TRANSFER_ENCODING" in self.headers
        if is_old_and_chunked or (self.chunked and "CONTENT_LENGTH" in self.headers):
            raise ParsingError("The length of the body is ambiguous")


class Channel(HTTPChannel):
    """
    A connection with its time of last progress.

    Waitress counts any byte as activity, and by the wall clock: a client that sends
    a header one byte at a time would keep its connection forever.
    """

    parser_class = Parser

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.progress_at = monotonic()
        super().__init__(*args, **kwargs)

    def service(self) -> None:
        super().service()
        self.progress_at = monotonic()

    def _flush_some(self, do_close: bool = True) -> bool:
        has_sent = bool(super()._flush_some(do_close=do_close))  # type: ignore[misc]
        if has_sent:
            self.progress_at = monotonic()
        return has_sent

    @property
    def is_waiting(self) -> bool:
        """Whether the server waits for the client to send a request or to read."""
        return not self.requests or self.total_outbufs_len > 0

    def is_timed_out(self, now: float) -> bool:
        """Return whether the client has taken too long for what it has sent."""
        request = self.request
        received = request.body_bytes_received if request is not None else 0
        timeout = TIMEOUT_SECONDS + received / MIN_BYTES_PER_SECOND
        return now > self.progress_at + timeout


class Server(TcpWSGIServer):
    """Waitress with timeouts that are checked every second."""

    channel_class = Channel

    def maintenance(self, now: float) -> None:  # noqa: ARG002
        """Close timed-out connections and, under load, those that waited longest."""
        monotonic_now = monotonic()
        channels = cast(dict[int, Channel], self.active_channels)
        waiting = [channel for channel in channels.values() if channel.is_waiting]
        waiting.sort(key=lambda channel: channel.progress_at)
        surplus = max(0, len(channels) - HIGH_WATER_CONNECTIONS)
        if surplus:
            log.warning(LogLine(event="crowd", connections=len(channels)))
        timed_out = [
            channel
            for channel in waiting[surplus:]
            if channel.is_timed_out(monotonic_now)
        ]
        for channel in waiting[:surplus] + timed_out:
            # At once: a client that does not read never takes what is left to send.
            channel.handle_close()


def limited_server(app: Any, listener: socket.socket, *, threads: int) -> Server:
    """Return a server of the application on the bound socket."""
    _raise_file_limit()
    sys.setswitchinterval(SWITCH_INTERVAL_SECONDS)
    adjustments = Adjustments(
        sockets=[listener],
        threads=threads,
        connection_limit=MAX_CONNECTIONS,
        cleanup_interval=1,
        max_request_header_size=MAX_HEADER_BYTES,
        max_request_body_size=MAX_BODY_BYTES,
        # select() fails above file descriptor 1023.
        asyncore_use_poll=True,
        ident=None,
    )
    address = (listener.family, listener.type, listener.proto, listener.getsockname())
    return Server(
        app, _sock=listener, adj=adjustments, sockinfo=address, bind_socket=False
    )


def _raise_file_limit() -> None:
    """Raise the limit of open files, which each connection counts against."""
    required = MAX_CONNECTIONS + OTHER_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < required:
        allowed = required if hard == resource.RLIM_INFINITY else min(required, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, allowed), hard))
