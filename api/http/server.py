"""Waitress, so bounded that slow, idle and greedy clients cannot starve the rest."""

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
# A whole request is there so many seconds after the last answer, or after the
# connection; what is slower than the rate thereafter is not waited for.
WAIT_SECONDS = 60
LEAST_BYTES_A_SECOND = 16 * KIB
MOST_CONNECTIONS = 800
# From so many on, those that have waited longest make room.
CROWD = 600
MOST_HEADER_BYTES = 32 * KIB
# Above every limit of ours, so that a client reads our 413 and its limitBytes.
MOST_BODY_BYTES = 72 * KIB * KIB
# A build computes, and a request gives the interpreter away at each statement: with
# Python's 5 ms it waits as long ten times over to get it back.
SWITCH_SECONDS = 0.0005
# What threads and files need besides the connections.
OTHER_FILES = 1024


class Parser(HTTPRequestParser):
    """
    Refuses what two readers of one connection could take for two requests.

    Waitress reads the chunks where a length is said as well, and goes on with what
    comes after them; a proxy before it may have gone by the length.
    """

    def parse_header(self, header_plus: bytes) -> None:
        try:
            super().parse_header(header_plus)
        except ValueError as error:
            # A number of thousands of digits, or an address that is none.
            raise ParsingError("The header cannot be read") from error
        is_old_and_chunked = "TRANSFER_ENCODING" in self.headers
        if is_old_and_chunked or (self.chunked and "CONTENT_LENGTH" in self.headers):
            raise ParsingError("The length of the body is said twice")


class Channel(HTTPChannel):
    """
    A connection that knows since when nothing has come of it.

    Waitress counts any byte as activity, and by a clock that can be set: who sends
    a header a byte at a time would hold its connection for ever.
    """

    parser_class = Parser

    def __init__(self, *given: Any, **named: Any) -> None:
        self.since = monotonic()
        super().__init__(*given, **named)

    def service(self) -> None:
        super().service()
        self.since = monotonic()

    def _flush_some(self, do_close: bool = True) -> bool:
        has_sent = bool(super()._flush_some(do_close=do_close))  # type: ignore[misc]
        if has_sent:
            self.since = monotonic()
        return has_sent

    @property
    def is_waiting(self) -> bool:
        """Tell whether the client is waited for: to ask, or to take its answer."""
        return not self.requests or self.total_outbufs_len > 0

    def is_over(self, now: float) -> bool:
        """Tell whether it has been waited for longer than what came is worth."""
        request = self.request
        received = request.body_bytes_received if request is not None else 0
        return now > self.since + WAIT_SECONDS + received / LEAST_BYTES_A_SECOND


class Server(TcpWSGIServer):
    """Waitress, with an eye each second on who is waited for."""

    channel_class = Channel

    def maintenance(self, now: float) -> None:  # noqa: ARG002
        """Close what took too long, and in a crowd what has waited longest."""
        at, channels = monotonic(), cast(dict[int, Channel], self.active_channels)
        waiting = [each for each in channels.values() if each.is_waiting]
        waiting.sort(key=lambda channel: channel.since)
        surplus = max(0, len(channels) - CROWD)
        if surplus:
            log.warning(LogLine(event="crowd", connections=len(channels)))
        late = [each for each in waiting[surplus:] if each.is_over(at)]
        for channel in waiting[:surplus] + late:
            # At once: who does not read would never let it be written to again.
            channel.handle_close()


def limited_server(app: Any, listener: socket.socket, *, threads: int) -> Server:
    """Return a server of the application on the socket, which has the port."""
    _allow_files()
    sys.setswitchinterval(SWITCH_SECONDS)
    adjustments = Adjustments(
        sockets=[listener],
        threads=threads,
        connection_limit=MOST_CONNECTIONS,
        cleanup_interval=1,
        max_request_header_size=MOST_HEADER_BYTES,
        max_request_body_size=MOST_BODY_BYTES,
        # select() ends at file number 1023.
        asyncore_use_poll=True,
        ident=None,
    )
    address = (listener.family, listener.type, listener.proto, listener.getsockname())
    return Server(
        app, _sock=listener, adj=adjustments, sockinfo=address, bind_socket=False
    )


def _allow_files() -> None:
    """Each connection is an open file, and the usual limit is near."""
    least = MOST_CONNECTIONS + OTHER_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < least:
        most = least if hard == resource.RLIM_INFINITY else min(least, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, most), hard))
