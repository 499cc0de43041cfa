"""
Handle one connection, without holding a thread for a client that is slow.

A thread only computes a response. What the client has not read yet is sent by the loop
of the server, and the next request of the connection is processed after that.
"""

import socket
from contextlib import suppress
from time import monotonic, thread_time
from typing import Any, cast

from waitress.buffers import OverflowableBuffer
from waitress.channel import HTTPChannel
from waitress.task import WSGITask

from api.http.messages import Request
from api.http.middleware import REQUEST
from api.http.server import limits
from api.http.server.body_admission import BodyAdmission
from api.http.server.event_loop import EventLoop
from api.http.server.parser import Parser
from api.http.server.refusal_task import RefusalTask


class CallerTask(WSGITask):
    """Processes a request, and tells the server whose it was."""

    def build_response_header(self) -> bytes:
        """Learn whose the request was, before whoever sent it can send the next."""
        environ = self.environ or {}
        request: Request | None = environ.get(REQUEST)
        channel = cast(Channel, self.channel)
        if request is not None and request.caller and channel.credential:
            callers = channel.server.callers  # type: ignore[attr-defined]
            callers.learn(channel.credential, request.caller)
        return super().build_response_header()

    def write(self, data: bytes) -> None:
        """Send the header together with the beginning of the body."""
        if not (data and self.complete and not self.wrote_header):
            super().write(data)
            return
        channel: Channel = self.channel  # type: ignore[assignment]
        channel.unsent_header = self.build_response_header()
        self.wrote_header = True
        super().write(data)
        if channel.unsent_header:
            # The response may not have a body.
            channel.write_soon(b"")


class Channel(HTTPChannel):
    """
    A connection with its time of last progress.

    Waitress counts any byte as activity, and by the wall clock: a client that sends
    a header or reads a response one byte at a time would keep its connection forever.
    It also lets a thread wait until enough of a response has been read.
    """

    parser_class = Parser
    task_class = CallerTask
    error_task_class = RefusalTask  # type: ignore[assignment]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.progress_at = monotonic()
        # Bytes of the present response that were sent.
        self.bytes_sent = 0
        # What may still be sent in this turn.
        self.turn_bytes = 0
        # Whether the next request waits until the response before it has been read.
        self.is_parked = False
        # Whose request is being processed; None if its threads are not limited.
        self.caller: object = None
        # What the request may identify its sender with.
        self.credential: str | None = None
        # Whether a thread decides on the body of the request that is being received.
        self.is_admitting = False
        # The header of the present response, if it is sent with the next data.
        self.unsent_header = b""
        # Whether a thread is sending data.
        self.is_writing = False
        # Whether the client may still be sending a request that was refused.
        self.is_refused = False
        # While it is: until when and how much of it is discarded.
        self.lingers_until: float | None = None
        self.linger_bytes = limits.LINGER_BYTES
        super().__init__(*args, **kwargs)
        self._loop.add(self)

    @property
    def _loop(self) -> EventLoop:
        return cast(EventLoop, cast(Any, self.server).event_loop)

    def received(self, data: bytes) -> bool:
        is_open = bool(super().received(data))
        request: Parser | None = self.request  # type: ignore[assignment]
        if request is not None and request.needs_admission and not self.is_admitting:
            self.is_admitting = True
            admission = BodyAdmission(self, request, self._finish_admission)
            self.server.task_dispatcher.add_task(admission)  # type: ignore[arg-type]
        return is_open

    def _finish_admission(self) -> None:
        """Receive the rest of the body, or have its refusal sent."""
        request: Parser = self.request  # type: ignore[assignment]
        with self.requests_lock:  # type: ignore[attr-defined]
            request.needs_admission = self.is_admitting = False
            if not self.connected:
                request.close()
            elif request.completed:
                self.request = None
                self.requests.append(request)  # type: ignore[attr-defined]
                if len(self.requests) == 1:
                    self.server.add_task(self)  # type: ignore[arg-type]
            elif request.awaits_continue:
                request.expect_continue = True
                # Otherwise it is sent after the responses to earlier requests.
                if not self.requests:
                    self.send_continue()
        self._loop.attend(self)

    def service(self) -> None:
        """Process the next request, and then those that waited for its caller."""
        channel: Channel | None = self
        while channel is not None:
            channel = channel._process_request()

    def service_in_loop(self) -> None:
        """Process the next request, which is brief, in the thread of the loop."""
        self.is_refused = False
        super().service()
        self._note_progress()
        self._loop.attend(self)

    def _process_request(self) -> "Channel | None":
        """Process the next request; return the channel of one that waited for it."""
        self.is_refused = self.requests[0].error is not None
        caller, following = self.caller, None
        started, processor_started = monotonic(), thread_time()
        try:
            super().service()
        finally:
            self._note_progress()
            is_costly = (
                thread_time() - processor_started > limits.COSTLY_PROCESSOR_SECONDS
                or monotonic() - started > limits.COSTLY_WAITING_SECONDS
            )
            server = cast(Any, self.server)
            following = server.finish_task(caller, is_costly=is_costly)
            self._loop.attend(self)
        return following

    def readable(self) -> bool:
        if self.lingers_until is not None:
            return True
        return not self.is_admitting and bool(super().readable())

    def handle_read(self) -> None:
        if self.lingers_until is None:
            super().handle_read()
            return
        with suppress(OSError):
            self.linger_bytes -= len(self.recv(limits.KEYLESS_BODY_BYTES))
        if self.linger_bytes <= 0:
            self.handle_close()

    def park(self) -> bool:
        """
        Return whether the next request must wait until the client has read.

        The caller holds `requests_lock`. The loop, which sends what is left, cannot
        miss that a request waits: this is noted before what is left is looked at.
        """
        self.is_parked = True
        if not self.total_outbufs_len:
            self.is_parked = False
        return self.is_parked

    def write_soon(self, data: Any) -> int:
        if self.unsent_header:
            data, self.unsent_header = self.unsent_header + data, b""
        self.is_writing = True
        try:
            return int(super().write_soon(data))
        finally:
            self.is_writing = False
            if self.total_outbufs_len:
                self._loop.attend(self)

    def send_continue(self) -> None:
        """Send 100 Continue from a thread; the loop would send it once more."""
        self.is_writing = True
        try:
            super().send_continue()
        finally:
            self.is_writing = False
            if self.total_outbufs_len:
                self._loop.attend(self)

    def writable(self) -> bool:
        """
        Return whether the loop may send.

        While a thread is sending, the loop would only find the lock taken, over and
        over again, and keep the interpreter from that thread.
        """
        return not self.is_writing and bool(super().writable())

    def handle_write(self) -> None:
        if self.connected and self.is_refused and self.close_when_flushed:
            self._flush_exception(self._flush_some)  # type: ignore[attr-defined]
            if not self.total_outbufs_len and not self.will_close and self.connected:
                self._linger()
                return
        super().handle_write()
        if self.is_parked and not self.total_outbufs_len:
            self._resume()

    def _resume(self) -> None:
        with self.requests_lock:  # type: ignore[attr-defined]
            if self.is_parked and self.connected and self.requests:
                self.is_parked = False
                self.server.add_task(self)  # type: ignore[arg-type]

    def _linger(self) -> None:
        """End the response, and discard for a while what the client still sends."""
        self.close_when_flushed = False
        self.lingers_until = monotonic() + limits.LINGER_SECONDS
        try:
            self.socket.shutdown(socket.SHUT_WR)  # type: ignore[union-attr]
        except OSError:
            self.handle_close()

    def handle_close(self) -> None:
        """Close the connection, and let go of what no thread is processing."""
        super().handle_close()
        # Without the lock, which waitress may hold here.
        unprocessed = list(self.requests) if self.is_parked else []
        if self.request is not None and not self.is_admitting:
            unprocessed.append(self.request)
        for request in unprocessed:
            request.close()

    def _flush_outbufs_below_high_watermark(self) -> None:
        """Do not wait: what is left to send is sent by the loop."""

    def _flush_some(self, do_close: bool = True) -> bool:
        """
        Send what fits; the loop and a thread in turn, or both would send the same.

        Only the loop closes a connection that is gone, so that no descriptor gets
        another meaning during a turn. It finds out when it sends what is left.
        """
        closes = do_close and self._loop.is_current
        with self.outbuf_lock:
            self.turn_bytes = limits.SEND_TURN_BYTES
            has_sent = bool(super()._flush_some(do_close=closes))  # type: ignore[misc]
            if has_sent:
                self.bytes_sent += limits.SEND_TURN_BYTES - self.turn_bytes
                if not self.total_outbufs_len:
                    self._note_progress()
        return has_sent

    def send(self, data: bytes, do_close: bool = True) -> int:
        """Send part of the data; nothing once the turn of this connection is over."""
        if not self.turn_bytes:
            return 0
        sent = int(super().send(data[: self.turn_bytes], do_close))
        self.turn_bytes -= sent
        return sent

    def _note_progress(self) -> None:
        self.progress_at = monotonic()
        self.bytes_sent = 0

    @property
    def is_waiting(self) -> bool:
        """Whether the server waits for the client to send a request or to read."""
        return not self.requests or self.total_outbufs_len > 0

    @property
    def waiting_since(self) -> float:
        """The time since which less than the minimum rate has been transferred."""
        request = self.request
        received = request.body_bytes_received if request is not None else 0
        seconds = (received + self.bytes_sent) / limits.MIN_BYTES_PER_SECOND
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
