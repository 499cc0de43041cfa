"""What the processes of a server report to each other, in files in memory."""

import logging
import os
import time
import weakref
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from threading import Event, Lock, Thread
from typing import Any, NamedTuple

from pydantic import TypeAdapter
from pydantic_core import to_json

from models.logs import LogLine
from models.runtime.faults import Fault

log = logging.getLogger("masthead.processes")

# The processes that build: the status page, and the documents.
BUILDER, DOCS = "builder", "docs"
# The report of the parent, which names the processes that it has started.
PARENT = "parent"
REPORT_SECONDS = 0.5
# The builder reports while it builds, so one that has not for so long does not work.
MAX_SILENCE_SECONDS = 30.0
# Who builds is known again sooner: another server may lead after ten seconds.
MAX_LEADER_SILENCE_SECONDS = 5.0
# A report that is being written is whole after microseconds.
READ_ATTEMPTS, READ_PAUSE_SECONDS = 20, 0.0005
_CHECKSUM_BYTES = 4

# Held for a moment by the threads of this process, which request builds.
_lock = Lock()


@dataclass
class BuildProgress:
    """
    The pending request of a worker such as the builder, and its finished runs.

    The oldest request is pending until a run completes it; requests that arrive during
    a run belong to the next one.
    """

    requested_at: datetime | None = None
    started_at: datetime | None = None
    done: int = 0
    broken: int = 0
    last_at: datetime | None = None
    last_seconds: float = 0.0

    def request(self, now: datetime) -> None:
        with _lock:
            self.requested_at = self.requested_at or now

    def withdraw(self) -> None:
        """Drop the pending request, which another server carries out."""
        self.requested_at = None

    def start(self, now: datetime) -> None:
        with _lock:
            self.started_at, self.requested_at = self.requested_at or now, None

    def record(self, now: datetime, seconds: float) -> None:
        """Count a run that was finished; it started at `now`."""
        self.done += 1
        self.last_at, self.last_seconds = now, seconds

    def finish(self, *, is_complete: bool) -> None:
        """End the run; if it is not complete, its request is pending again."""
        with _lock:
            if not is_complete:
                self.requested_at = self.started_at
            self.started_at = None

    def lag(self, now: datetime) -> float:
        """Return for how many seconds the oldest request has been pending."""
        since = self.started_at or self.requested_at
        return max(0.0, (now - since).total_seconds()) if since else 0.0


def combined(workers: Iterable[BuildProgress]) -> BuildProgress:
    """Return the progress of workers together."""
    each = [*workers]
    pending = filter(None, (one.started_at or one.requested_at for one in each))
    never = datetime.min.replace(tzinfo=UTC)
    last = max(each, key=lambda one: one.last_at or never, default=BuildProgress())
    return BuildProgress(
        requested_at=min(pending, default=None),
        done=sum(one.done for one in each),
        broken=sum(one.broken for one in each),
        last_at=last.last_at,
        last_seconds=last.last_seconds,
    )


@dataclass
class Report:
    """What a process reports of itself: one that builds, every half second."""

    pid: int = 0
    # By the clock that runs steadily, which all processes share.
    at: float = 0.0
    # Whether it does its work: one that builds has built since it was started.
    has_started: bool = False
    # Whether the output folder has what readers get; see Builder.
    is_output_current: bool = False
    # What it knows of which server builds; see Leadership.
    is_leader: bool = False
    is_decided: bool = False
    is_led_elsewhere: bool = False
    build: BuildProgress = field(default_factory=BuildProgress)
    publish: BuildProgress = field(default_factory=BuildProgress)
    faults: list[Fault] = field(default_factory=list)

    @property
    def silence(self) -> float:
        return time.monotonic() - self.at


class ProcessState(NamedTuple):
    """A process of the server; `pid` is 0 while it does not run."""

    pid: int
    starts: int


_REPORT = TypeAdapter(Report)
_STATES = TypeAdapter(dict[str, ProcessState])


class Reports:
    """
    The last report of each process of a server, and which of them run.

    It is created before the processes are forked. A report outlives the process that
    wrote it, and has no file on a disk, which may be full: it needs nobody to remove it
    when the server is killed.
    """

    def __init__(self, api_processes: Sequence[str]) -> None:
        self._api = api_processes
        self._lock = Lock()
        self._files: dict[str, int] = {}
        for name in (PARENT, BUILDER, DOCS, *api_processes):
            file = self._files[name] = os.memfd_create(f"masthead-{name}")
            weakref.finalize(self, os.close, file)

    def write(self, name: str, report: Report) -> None:
        """Replace the report of a process, which calls this itself."""
        report.pid, report.at = os.getpid(), time.monotonic()
        self._write(name, report)

    def write_states(self, states: dict[str, ProcessState]) -> None:
        """Replace what the parent knows of its processes."""
        self._write(PARENT, states)

    def last(self, name: str) -> Report:
        text = self._read(name)
        return _REPORT.validate_json(text) if text else Report()

    def states(self) -> dict[str, ProcessState]:
        """Return which processes run, and how often each was started."""
        text = self._read(PARENT)
        return _STATES.validate_json(text) if text else {}

    def build_progress(self) -> BuildProgress:
        return combined(self.last(name).build for name in (BUILDER, DOCS))

    def publish_progress(self) -> BuildProgress:
        return self.last(BUILDER).publish

    def has_started(self) -> bool:
        """Return whether each process does its work."""
        return all(self.last(name).has_started for name in (BUILDER, DOCS, *self._api))

    def is_current(self, area: str) -> bool:
        """Return whether the output folder has what readers get of an area."""
        # The status page does not wait for documents.
        names = (BUILDER, DOCS) if area == "docs" else (BUILDER,)
        return all(self.last(name).is_output_current for name in names)

    def leadership(self) -> Report:
        """Return the report that says which server builds, an empty one if unknown."""
        report = self.last(BUILDER)
        # One that has died may have lost the election since.
        is_known = report.silence <= MAX_LEADER_SILENCE_SECONDS
        return report if is_known else Report()

    def faults(self) -> list[Fault]:
        """
        Return what the builders report, and one for each process that died.

        Of such a process, the fault lasts until it does its work again.
        """
        faults: dict[Fault, None] = {}
        for name in (BUILDER, DOCS):
            report = self.last(name)
            faults |= dict.fromkeys(report.faults)
            if report.pid and report.silence > MAX_SILENCE_SECONDS:
                detail = (
                    f"The process {name} has not reported for {report.silence:.0f}"
                    " seconds."
                )
                faults[Fault("site-behind", detail)] = None
        for name, state in self.states().items():
            report = self.last(name)
            does_its_work = report.has_started and report.pid == state.pid
            has_died = state.starts > (1 if state.pid else 0)
            if has_died and not does_its_work:
                detail = f"The process {name} died and is restarting."
                faults[Fault("process-down", detail)] = None
        return [*faults]

    def _write(self, name: str, value: Any) -> None:
        text = to_json(value)
        with self._lock:
            checksum = zlib.crc32(text).to_bytes(_CHECKSUM_BYTES)
            os.pwrite(self._files[name], checksum + text, 0)
            os.ftruncate(self._files[name], _CHECKSUM_BYTES + len(text))

    def _read(self, name: str) -> bytes:
        """Return the last text; empty before the first, or if its writer died in it."""
        file = self._files[name]
        for _ in range(READ_ATTEMPTS):
            content = os.pread(file, os.fstat(file).st_size, 0)
            checksum, text = content[:_CHECKSUM_BYTES], content[_CHECKSUM_BYTES:]
            if int.from_bytes(checksum) == zlib.crc32(text):
                return text
            # It is being written.
            time.sleep(READ_PAUSE_SECONDS)
        return b""


@contextmanager
def reporting(report: Callable[[], None]) -> Iterator[None]:
    """Report at once and then, in a thread, every half second while this is entered."""
    stopped = Event()

    def run() -> None:
        while not stopped.wait(REPORT_SECONDS):
            try:
                report()
            except Exception as error:
                log.exception(LogLine(event="not-reported", error=error))

    report()
    thread = Thread(target=run, name="report", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stopped.set()
        thread.join()
