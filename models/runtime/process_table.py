"""Share the state of a server's processes, in memory that all of them have mapped."""

import json
import mmap
import os
import struct
import time
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from models.runtime.faults import Fault

# Bytes for each process: its number and its starts, the number of the last one that
# has started, then its report.
SLOT_BYTES = 64 * 1024
_RUN = struct.Struct("<qq")
_STARTED = struct.Struct("<q")
# Length and checksum of the report.
_HEADER = struct.Struct("<II")
_HEADER_AT = _RUN.size + _STARTED.size
_TEXT_AT = _HEADER_AT + _HEADER.size
MAX_REPORT_BYTES = SLOT_BYTES - _TEXT_AT
# A report that is being written is whole after microseconds.
READ_ATTEMPTS, READ_PAUSE_SECONDS = 20, 0.0005


MAX_DEFAULT_PROCESSES = 4


def api_processes(count: int) -> list[str]:
    """Name the processes that serve the API; by default one for each two cores."""
    cores = len(os.sched_getaffinity(0))
    count = count or max(1, min(cores // 2, MAX_DEFAULT_PROCESSES))
    return [f"api-{number + 1}" for number in range(count)]


class ProcessState(NamedTuple):
    """A process of the server; `pid` is 0 while it does not run."""

    name: str
    pid: int
    starts: int


class ProcessUsage(NamedTuple):
    """What the operating system counts for a process."""

    resident_bytes: float
    cpu_seconds: float


def process_usage(pid: int) -> ProcessUsage | None:
    """Return the usage of a process, None if there is none or no /proc to read."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    # The second field, the program's name in brackets, may contain spaces.
    fields = text.rpartition(")")[2].split()
    ticks = int(fields[11]) + int(fields[12])
    return ProcessUsage(
        resident_bytes=float(int(fields[21]) * os.sysconf("SC_PAGE_SIZE")),
        cpu_seconds=ticks / os.sysconf("SC_CLK_TCK"),
    )


class ProcessTable:
    """
    The processes of a server by name, and the last report of each.

    It is created before the processes are forked. Who starts a process writes that it
    runs, and each process writes its own report, so no two of them write to one place.
    A report is a JSON value of at most MAX_REPORT_BYTES, and outlives the process that
    wrote it.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._starts = {name: SLOT_BYTES * place for place, name in enumerate(names)}
        self._memory = mmap.mmap(-1, SLOT_BYTES * len(names))

    def note_start(self, name: str, pid: int) -> None:
        start = self._starts[name]
        _, starts = _RUN.unpack_from(self._memory, start)
        _RUN.pack_into(self._memory, start, pid, starts + 1)

    def note_end(self, name: str) -> None:
        start = self._starts[name]
        _, starts = _RUN.unpack_from(self._memory, start)
        _RUN.pack_into(self._memory, start, 0, starts)

    def report_started(self, name: str) -> None:
        """Record that this process does its work from now on."""
        _STARTED.pack_into(self._memory, self._starts[name] + _RUN.size, os.getpid())

    def has_started(self, name: str, pid: int) -> bool:
        """Return whether the process with this id has reported that it has started."""
        (started,) = _STARTED.unpack_from(self._memory, self._starts[name] + _RUN.size)
        return bool(started == pid != 0)

    def states(self) -> list[ProcessState]:
        return [
            ProcessState(name, *_RUN.unpack_from(self._memory, start))
            for name, start in self._starts.items()
        ]

    def faults(self) -> list[Fault]:
        """Return a fault for each process that has died and does not run yet."""
        return [
            Fault("process-down", f"The process {state.name} died and is restarting.")
            for state in self.states()
            if state.starts and not state.pid
        ]

    def write_report(self, name: str, report: Any) -> None:
        """Replace the report of a process, which calls this itself, in one thread."""
        text = json.dumps(report).encode()
        if len(text) > MAX_REPORT_BYTES:
            raise ValueError(f"The report of {name} is too long: {len(text)} bytes.")
        start = self._starts[name]
        text_at = start + _TEXT_AT
        self._memory[text_at : text_at + len(text)] = text
        checksum = zlib.crc32(text)
        _HEADER.pack_into(self._memory, start + _HEADER_AT, len(text), checksum)

    def read_report(self, name: str) -> Any:
        """Return the last report of a process, None before its first."""
        start = self._starts[name]
        for _ in range(READ_ATTEMPTS):
            length, checksum = _HEADER.unpack_from(self._memory, start + _HEADER_AT)
            if length == 0:
                return None
            text_at = start + _TEXT_AT
            text = self._memory[text_at : text_at + length]
            # Else it is being written.
            if zlib.crc32(text) == checksum:
                return json.loads(text)
            time.sleep(READ_PAUSE_SECONDS)
        # Its writer died while writing it.
        return None


class SharedFlag:
    """A flag that all processes of a server see; it is made before they are forked."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, 1)

    def is_set(self) -> bool:
        return self._memory[0] != 0

    def set(self) -> None:
        self._memory[0] = 1
