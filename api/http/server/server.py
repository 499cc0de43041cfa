"""Run waitress with limits, so that slow or idle clients cannot starve the others."""

import logging
import resource
import socket
import sys
from collections import deque
from collections.abc import Container, Iterable, Iterator
from threading import Event, Thread
from time import monotonic
from typing import Any, cast

from waitress.adjustments import Adjustments
from waitress.server import TcpWSGIServer
from waitress.wasyncore import dispatcher

from api.http.body_limits import AdmitBody, refuse_large_body
from api.http.clients import CredentialOf, bearer_credential, client_address
from api.http.messages import Request
from api.http.server import limits
from api.http.server.body_admission import BodySpool
from api.http.server.caller_queue import CallerQueue, network_of
from api.http.server.channel import Channel
from api.http.server.event_loop import EventLoop
from api.http.server.parser import Parser
from models.errors import RateLimited
from models.logs import LogLine

log = logging.getLogger("masthead.requests")

# How long the requests of the present turn may take after a signal.
STOP_SECONDS = 5


class Server(TcpWSGIServer):
    """Waitress with timeouts that are checked every second."""

    channel_class = Channel

    def __init__(
        self,
        *args: Any,
        admit_body: AdmitBody,
        brief_requests: Container[tuple[str, str]],
        credential_of: CredentialOf,
        **kwargs: Any,
    ) -> None:
        self.admit_body = admit_body
        self._credential_of = credential_of
        self.body_spool = BodySpool()
        self._brief_requests = brief_requests
        # The connections whose next request the thread of the loop processes.
        self._brief: deque[Channel] = deque()
        super().__init__(*args, **kwargs)
        self.callers = CallerQueue(self.adj.threads)
        self.event_loop = EventLoop(self, self._process_brief_requests)

    def run(self) -> None:
        """
        Serve until the server is closed, or until a signal ends this thread.

        The loop has a thread of its own, so that a signal interrupts no request.
        """
        has_ended = Event()

        def run_loop() -> None:
            try:
                self.event_loop.run()
            finally:
                has_ended.set()

        try:
            Thread(target=run_loop, name="event-loop", daemon=True).start()
            # In Python 3.11, Thread.join cannot be repeated once it was interrupted.
            has_ended.wait()
        except (SystemExit, KeyboardInterrupt):
            self.event_loop.stop()
            has_ended.wait(STOP_SECONDS)
            self.task_dispatcher.shutdown()

    def close(self) -> None:
        """
        Stop listening, and close what the threads wake the loop with once all ended.

        A thread that still computes would write to its descriptor, which a file of the
        database may have by then.
        """
        if self.task_dispatcher.threads:
            dispatcher.close(self)
            self.event_loop.stop()
            return
        super().close()
        self.event_loop.close()

    def handle_error(self) -> None:
        """Log what went wrong with a new connection, and accept others all the same."""
        log.exception("Exception while accepting a connection")

    def pull_trigger(self) -> None:
        """Do nothing: a connection wakes the loop itself if there is a reason to."""

    def add_task(self, task: Any) -> None:
        """Have the next request of a connection processed once its turn has come."""
        channel: Channel = task
        if channel.park():
            return
        request = channel.requests[0]
        if self.event_loop.is_current and self._is_brief(request):
            channel.caller = channel.credential = None
            self._brief.append(channel)
            return
        self._identify(channel)
        if self.callers.admit(channel.caller, channel):
            super().add_task(task)

    def _identify(self, channel: Channel) -> None:
        """Note whose threads the next request of the connection uses."""
        parsed = cast(Parser, channel.requests[0])
        if parsed.error:
            channel.caller = channel.credential = None
            return
        environ = {f"HTTP_{name}": value for name, value in parsed.headers.items()}
        environ["REMOTE_ADDR"] = channel.addr[0]
        environ |= {"REQUEST_METHOD": parsed.command, "PATH_INFO": parsed.path}
        request = Request(environ)
        channel.credential = self._credential_of(request)
        if channel.credential is None:
            channel.caller = network_of(client_address(request))
        else:
            channel.caller = self.callers.caller_of(channel.credential)

    def _is_brief(self, request: Any) -> bool:
        route = (request.command, request.path)
        return route in self._brief_requests and not request.error

    def _process_brief_requests(self) -> bool:
        """
        Process the requests of this turn that a thread would take longer to be given.

        Each connection has one. Return whether some have sent more ahead, which is
        processed in the next turn: new requests do not wait until all of it is.
        """
        for _ in range(len(self._brief)):
            channel = self._brief.popleft()
            try:
                channel.service_in_loop()
            except Exception:
                # Logs it and closes the connection, as after any other event.
                channel.handle_error()
        return bool(self._brief)

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
            request.refuse(RateLimited("This client has too many requests at a time."))
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
    brief_requests: Container[tuple[str, str]] = (),
    credential_of: CredentialOf = bearer_credential,
) -> Server:
    """
    Return a server of the application on the bound socket.

    `admit_body` decides on bodies that are only received for a valid API key.
    `brief_requests` are the methods and paths of those that wait for nothing.
    `credential_of` returns what may identify who has sent a request.
    """
    _raise_file_limit()
    sys.setswitchinterval(limits.SWITCH_INTERVAL_SECONDS)
    adjustments = Adjustments(
        sockets=[listener],
        threads=threads,
        connection_limit=limits.MAX_CONNECTIONS,
        cleanup_interval=1,
        max_request_header_size=limits.MAX_HEADER_BYTES,
        # The parser has limits of its own.
        max_request_body_size=sys.maxsize,
        # Waitress never writes to the disk, which may be full: bodies that need a file
        # have one of their own, and unread responses are limited.
        inbuf_overflow=sys.maxsize,
        outbuf_overflow=sys.maxsize,
        # select() fails above file descriptor 1023.
        asyncore_use_poll=True,
        ident=None,
        # Only api/http/clients.py reads one, and decides on its own.
        clear_untrusted_proxy_headers=False,
    )
    address = (listener.family, listener.type, listener.proto, listener.getsockname())
    return Server(
        app,
        _sock=listener,
        adj=adjustments,
        sockinfo=address,
        bind_socket=False,
        admit_body=admit_body,
        brief_requests=brief_requests,
        credential_of=credential_of,
    )


def _raise_file_limit() -> None:
    """Raise the limit of open files, which each connection counts against."""
    required = limits.MAX_CONNECTIONS + limits.OTHER_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < required:
        allowed = required if hard == resource.RLIM_INFINITY else min(required, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, allowed), hard))
