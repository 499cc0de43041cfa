"""
Serve the application with waitress, so that no client can keep the others waiting.

Waitress has no limits for slow clients, and none for one that has many requests. Each
override says which of its methods would let one client harm the others.
"""

import logging
import resource
import socket
import sys
from collections.abc import Callable, Container, Iterable, Iterator
from functools import partial
from threading import get_ident
from time import monotonic, thread_time
from typing import Any, NamedTuple

from waitress import wasyncore
from waitress.adjustments import Adjustments
from waitress.buffers import OverflowableBuffer
from waitress.channel import HTTPChannel
from waitress.server import TcpWSGIServer
from waitress.task import ErrorTask, WSGITask

from api.http.body_limits import AdmitBody, refuse_large_body
from api.http.clients import CredentialOf, bearer_credential, client_address
from api.http.dispatch import InternalError
from api.http.middleware import REQUEST
from api.http.request import REFUSAL, Request
from api.http.server import limits
from api.http.server.caller_queue import CallerQueue, network_of
from api.http.server.parser import BodySpool, Parser, refusal_of
from models.errors import RateLimited, Refusal
from models.logs import LogLine
from models.runtime.temporary_files import full_folder_refusal, reserved_file

log = logging.getLogger("masthead.requests")


class Task(WSGITask):
    """
    Computes the response to a request.

    The application also answers what the server refuses, with a problem of its own and
    a line in its log. Waitress would answer in plain text.
    """

    channel: Any
    request: Any

    def execute(self) -> None:
        if self.request.error and self.request.is_cut_off:
            # The rest of the request would be taken for the next one.
            self.set_close_on_finish()
        try:
            super().execute()
        except Exception:
            if not self.request.error or self.wrote_header:
                raise
            log.exception("Exception while refusing a request")
            ErrorTask.execute(self)  # type: ignore[arg-type]

    def get_environment(self) -> dict[str, Any]:
        environ: dict[str, Any] = super().get_environment()
        if self.request.error:
            environ[REFUSAL] = refusal_of(self.request.error)
        return environ

    def build_response_header(self) -> bytes:
        """Learn whose the request was, before whoever sent it can send the next."""
        request: Request | None = (self.environ or {}).get(REQUEST)
        credential = self.channel.credential
        if request is not None and request.caller and credential:
            self.channel.server.callers.learn(credential, request.caller)
        return super().build_response_header()


class BodyAdmission(NamedTuple):
    """A task of a thread, which decides whether a large body is received."""

    service: Callable[[], None]
    cancel: Callable[[], None]


class Channel(HTTPChannel):
    """
    A connection whose client has limited time, and occupies no thread.

    All but `service` and `_admit_body` runs in the thread of the loop. It alone closes
    connections: no descriptor may get another meaning while the loop waits for it.
    """

    server: Any
    requests: list[Any]
    request: Any
    parser_class = Parser
    task_class = Task
    error_task_class = Task  # type: ignore[assignment]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        # Whose request is being processed; None if its threads are not limited.
        self.caller: object = None
        # What the request may identify its sender with.
        self.credential: str | None = None
        # Whether the next request waits until the response before it has been read.
        self.is_parked = False
        # Whether the first of the requests that are being received is a look-up.
        self.is_receiving = self.is_look_up = False
        # Until when, and how much of, what the client still sends is discarded.
        self.lingers_until: float | None = None
        self.linger_bytes = limits.LINGER_BYTES
        self._note_progress()
        super().__init__(*args, **kwargs)

    def recv(self, buffer_size: int) -> bytes:
        data = bytes(super().recv(buffer_size))
        self.transferred_bytes += len(data)
        return data

    def send(self, data: bytes, do_close: bool = True) -> int:  # noqa: ARG002
        """Send some of the data; a thread does not close what has failed: see above."""
        sent = int(super().send(data, do_close=False))
        self.transferred_bytes += sent
        return sent

    def readable(self) -> bool:
        """Return whether more may be received: not before a body is admitted."""
        is_undecided = self.request is not None and self.request.needs_admission
        return not is_undecided and bool(super().readable())

    def received(self, data: bytes) -> bool:
        """Have a thread decide on a large body, and process a look-up at once."""
        if self.lingers_until is not None:
            self.linger_bytes -= len(data)
            self.will_close = self.linger_bytes < 0
            return False
        self.is_receiving = True
        is_open = bool(super().received(data))
        self.is_receiving = False
        if self.is_look_up:
            self.is_look_up = False
            self.service()
        if self.request is not None and self.request.needs_admission:
            decide = partial(self._admit_body, self.request)
            self.server.task_dispatcher.add_task(BodyAdmission(decide, self.cancel))
        return is_open

    def _admit_body(self, request: Parser) -> None:
        try:
            environ = Task(self, request).get_environment()  # type: ignore[arg-type]
            allowance = self.server.admit_body(environ)
            # The length of a chunked body is unknown.
            size = request.content_length or allowance.max_bytes
            request.release = self.server.body_spool.reserve(allowance.caller, size)
            request.admit(allowance.max_bytes, reserved_file(size))
        except Refusal as refusal:
            _log_state(refusal)
            request.refuse(refusal)
        except Exception as error:
            full = full_folder_refusal(error)
            if full is None:
                log.exception("Exception while admitting a body")
            else:
                _log_state(full)
            detail = "Something went wrong on the server."
            request.refuse(full or InternalError(detail))
        self.server.trigger.pull_trigger(partial(self._finish_admission, request))

    def _finish_admission(self, request: Parser) -> None:
        """Receive the rest of the body, or have its refusal sent."""
        with self.requests_lock:  # type: ignore[attr-defined]
            request.needs_admission = False
            if not self.connected:
                request.close()
            elif request.completed:
                self.request = None
                self.requests.append(request)
                if len(self.requests) == 1:
                    self.server.add_task(self)
            elif request.awaits_continue:
                request.expect_continue = True
                # Otherwise it is sent after the responses to earlier requests.
                if not self.requests:
                    self.send_continue()

    def service(self) -> None:
        """Process the next request; then have those processed that waited for it."""
        caller = self.caller
        started, processor_started = monotonic(), thread_time()
        try:
            super().service()
        finally:
            self._note_progress()
            is_costly = (
                thread_time() - processor_started > limits.COSTLY_PROCESSOR_SECONDS
                or monotonic() - started > limits.COSTLY_WAITING_SECONDS
            )
            for channel in self.server.callers.finish(caller, is_costly=is_costly):
                self.server.task_dispatcher.add_task(channel)

    def _flush_outbufs_below_high_watermark(self) -> None:
        """Do not wait: waitress would hold the thread until the client has read."""

    def park(self) -> bool:
        """
        Return whether the next request must wait until the client has read.

        Waitress would process all that were sent ahead, and hold their responses. The
        caller holds `requests_lock`. The loop, which sends what is left, cannot miss
        that a request waits: this is noted before what is left is looked at.
        """
        self.is_parked = True
        if not self.total_outbufs_len:
            self.is_parked = False
        return self.is_parked

    def handle_write(self) -> None:
        if self.close_when_flushed and not self.will_close:
            self._flush_exception(self._flush_some)  # type: ignore[attr-defined]
            if not self.total_outbufs_len and not self.will_close:
                self._linger()
            return
        super().handle_write()
        if self.total_outbufs_len:
            return
        self._note_progress()
        if self.is_parked:
            with self.requests_lock:  # type: ignore[attr-defined]
                if self.is_parked and self.connected and self.requests:
                    self.server.add_task(self)

    def _linger(self) -> None:
        """
        End the response, and discard for a while what the client still sends.

        A client that sends a body which was refused would find the connection reset by
        waitress, and no response.
        """
        self.close_when_flushed = False
        self.lingers_until = monotonic() + limits.LINGER_SECONDS
        try:
            self.socket.shutdown(socket.SHUT_WR)  # type: ignore[union-attr]
        except OSError:
            self.handle_close()

    def handle_close(self) -> None:
        """Close the connection, and let go of the bodies that no thread processes."""
        super().handle_close()
        # Without the lock, which waitress may hold here.
        unprocessed = list(self.requests) if self.is_parked else []
        if self.request is not None and not self.request.needs_admission:
            unprocessed.append(self.request)
        for request in unprocessed:
            request.close()

    def handle_error(self) -> None:
        """End the connection whatever went wrong: waitress would end the loop."""
        log.exception("Exception while handling a connection")
        wasyncore.dispatcher.close(self)

    def _note_progress(self) -> None:
        self.progress_at = monotonic()
        # Received and sent since then.
        self.transferred_bytes = 0

    @property
    def is_waiting(self) -> bool:
        """Whether the server waits for the client to send a request or to read."""
        return not self.requests or self.total_outbufs_len > 0

    @property
    def waiting_since(self) -> float:
        """The time since which less than the minimum rate has been transferred."""
        seconds = self.transferred_bytes / limits.MIN_BYTES_PER_SECOND
        return self.progress_at + seconds

    def is_timed_out(self, now: float) -> bool:
        """Return whether the client has taken too long for what was transferred."""
        if self.lingers_until is not None:
            return now > self.lingers_until
        return now > self.waiting_since + limits.TIMEOUT_SECONDS

    @property
    def unread_bytes(self) -> int:
        """What the server holds for the client to read, without files of the site."""
        buffers = [*self.outbufs]
        return sum(len(b) for b in buffers if isinstance(b, OverflowableBuffer))


def _log_state(refusal: Refusal) -> None:
    if state := refusal.members.get("state"):
        log.warning(LogLine(state=state, error=refusal.detail))


class Server(TcpWSGIServer):
    channel_class = Channel
    active_channels: dict[int, Channel]  # type: ignore[assignment]
    _map: dict[int, Any]

    def __init__(
        self,
        *args: Any,
        admit_body: AdmitBody,
        credential_of: CredentialOf,
        look_ups: Container[tuple[str, str]],
        **kwargs: Any,
    ) -> None:
        self.admit_body = admit_body
        self._look_ups = look_ups
        self._loop_thread = 0
        self._is_stopping = False
        self._credential_of = credential_of
        self.body_spool = BodySpool()
        super().__init__(*args, **kwargs)
        self.callers = CallerQueue(self.adj.threads)

    def run(self) -> None:
        """
        Serve until the server is stopped or closed.

        This is the loop of waitress, which an error of a single connection would end.
        """
        self._loop_thread = get_ident()
        while self._map and not self._is_stopping:
            try:
                # select() fails above file descriptor 1023.
                wasyncore.loop(1, use_poll=True, map=self._map, count=1)
            except Exception:
                log.exception("Exception in the loop of the server")
        self.task_dispatcher.shutdown()

    def stop(self) -> None:
        """End the loop after its present turn; a signal's handler may call this."""
        self._is_stopping = True
        self.pull_trigger()

    def close(self) -> None:
        """
        Stop listening, and close what the threads wake the loop with once all ended.

        A thread that still computes would write to its descriptor, which a file of the
        database may have by then.
        """
        if self.task_dispatcher.threads:
            wasyncore.dispatcher.close(self)
        else:
            super().close()

    def handle_error(self) -> None:
        """Log what went wrong with a new connection; waitress would stop listening."""
        log.exception("Exception while accepting a connection")

    def add_task(self, task: Any) -> None:
        """Have the next request of a connection processed once its turn has come."""
        channel: Channel = task
        if channel.park():
            return
        if channel.is_receiving and self._is_look_up(channel.requests[0]):
            channel.caller = channel.credential = None
            channel.is_look_up = True
            return
        self._identify(channel)
        if self.callers.admit(channel.caller, channel):
            super().add_task(task)

    def _is_look_up(self, request: Parser) -> bool:
        """
        Return whether the loop processes the request itself, before any other.

        Look-ups wait for nothing. Where a thread processes them, the interpreter passes
        from one to the other at each statement: keys/verify by 8 connections reached
        0.27 of the rate of a minimal application on waitress instead of 0.78, in a run
        that alternated.
        """
        is_look_up = (request.command, request.path) in self._look_ups
        return is_look_up and not request.error and get_ident() == self._loop_thread

    def _identify(self, channel: Channel) -> None:
        """Note whose threads the next request of the connection uses."""
        parsed = channel.requests[0]
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

    def maintenance(self, now: float) -> None:  # noqa: ARG002
        """
        Close timed-out connections and, under load, those that waited longest.

        Waitress goes by the time of the last byte, and by the wall clock: a client that
        sends a header or reads a response one byte at a time would stay forever.
        """
        for channel in self.callers.overdue():
            channel.caller = None
            refusal = RateLimited("This client has too many requests at a time.")
            channel.requests[0].refuse(refusal)
            super().add_task(channel)
        monotonic_now = monotonic()
        channels = self.active_channels.values()
        waiting = [channel for channel in channels if channel.is_waiting]
        waiting.sort(key=lambda channel: channel.waiting_since)
        surplus = max(0, len(channels) - limits.HIGH_WATER_CONNECTIONS)
        if surplus:
            log.warning(LogLine(event="crowd", connections=len(channels)))
        others = waiting[surplus:]
        timed_out = [c for c in others if c.is_timed_out(monotonic_now)]
        unread = list(_unread(others))
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
    credential_of: CredentialOf = bearer_credential,
    look_ups: Container[tuple[str, str]] = (),
) -> Server:
    """
    Return a server of the application on the bound socket.

    `admit_body` decides on bodies that are only received for a valid API key.
    `credential_of` returns what may identify who has sent a request.
    `look_ups` are the methods and paths of requests that wait for nothing.
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
        credential_of=credential_of,
        look_ups=look_ups,
    )


def _raise_file_limit() -> None:
    """Raise the limit of open files, which each connection counts against."""
    required = limits.MAX_CONNECTIONS + limits.OTHER_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < required:
        allowed = required if hard == resource.RLIM_INFINITY else min(required, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, allowed), hard))
