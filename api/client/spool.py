"""Store measurements on disk until they have been delivered."""

import logging
import os
from collections import deque
from collections.abc import Iterable
from datetime import datetime, timedelta
from itertools import islice, takewhile
from pathlib import Path
from threading import Event, Lock
from typing import NamedTuple

from pydantic import ValidationError

from models.fields import StatusSlug
from models.logs import LogLine
from models.runtime.server_locks import FileLock
from models.settings import SettingError
from models.status.measurements.measurements import StatusMeasurement

BATCH_SIZE = 200
# Rejected samples are kept for inspection, in two files of about this size at most.
REJECTED_FILE_BYTES = 10 << 20

log = logging.getLogger("masthead.probe")


class Sample(StatusMeasurement):
    """A measurement and its source: one line of the file."""

    source: StatusSlug

    @property
    def line(self) -> bytes:
        return self.model_dump_json(by_alias=True).encode() + b"\n"


class SpoolBatch(NamedTuple):
    """The oldest samples, all of one source; `end` is the number of the next one."""

    samples: list[Sample]
    end: int


class Spool:
    """
    A file of samples in the order of measurement, each synced to disk when added.

    Delivered samples are removed from memory at once, and from the file now and then:
    after a crash they are sent again, which changes nothing at the API.
    """

    def __init__(self, path: Path, *, max_samples: int, max_age: timedelta) -> None:
        # Set when a sample has been added since the last batch was taken.
        self.has_new = Event()
        self.measured = self.dropped = 0
        self._path, self._max_samples, self._max_age = path, max_samples, max_age
        self._lines: deque[bytes] = deque()
        # The number of the first line since the start of the process.
        self._first = 0
        # How many lines of the file have been removed from memory.
        self._stale = 0
        # Whether the file contains every line in memory.
        self._is_complete = False
        self._lock = Lock()
        self._file_lock = FileLock(path.with_name(path.name + ".lock"))
        try:
            self._open()
        except OSError as error:
            reason = error.strerror
            raise SettingError(f"The spool {path} cannot be used: {reason}.") from error

    def _open(self) -> None:
        if not self._file_lock.acquire("probe"):
            raise SettingError(f"The spool {self._path} is in use by another probe.")
        self._file = _open_for_append(self._path)
        _sync_folder(self._path.parent)
        lines = self._path.read_bytes().splitlines(keepends=True)
        self._lines.extend(line for line in lines if _is_sample(line))
        damaged = len(lines) - len(self._lines)
        if damaged:
            log.warning(LogLine(event="spool-damaged", path=self._path, lines=damaged))
            self._rewrite()
        self._is_complete = True
        if self._lines:
            self.has_new.set()

    def close(self) -> None:
        with self._lock:
            os.close(self._file)
            self._file = -1
            self._file_lock.release()

    @property
    def waiting(self) -> int:
        return len(self._lines)

    def add(self, sample: Sample) -> None:
        """Store a sample; if the disk fails, keep it in memory and log the error."""
        line = sample.line
        with self._lock:
            # A check may outlast the probe, and another probe may use the file by then.
            if self._file < 0:
                return
            self.measured += 1
            self._lines.append(line)
            self._append(line)
            self._drop(len(self._lines) - self._max_samples, "full")
        self.has_new.set()

    def next_batch(self, now: datetime) -> SpoolBatch | None:
        """Drop samples that are too old, and return the oldest of the others."""
        with self._lock:
            expired = takewhile(
                lambda line: _parse(line).observed_at < now - self._max_age,
                self._lines,
            )
            self._drop(len(list(expired)), "old")
            self.has_new.clear()
            lines, first = [*islice(self._lines, BATCH_SIZE)], self._first
        samples = [_parse(line) for line in lines]
        batch = [*takewhile(lambda sample: sample.source == samples[0].source, samples)]
        return SpoolBatch(batch, first + len(batch)) if batch else None

    def remove(self, batch: SpoolBatch) -> None:
        """Remove a delivered batch, part of which may have been dropped meanwhile."""
        with self._lock:
            self._remove_oldest(batch.end - self._first)

    def set_aside(self, samples: Iterable[Sample]) -> None:
        """Move samples that the API will never accept to a file for inspection."""
        path = self._path.with_name(self._path.name + ".refused")
        try:
            with path.open("ab") as file:
                file.writelines(sample.line for sample in samples)
                size = file.tell()
            if size > REJECTED_FILE_BYTES:
                path.replace(path.with_name(path.name + ".old"))
        except OSError as error:
            log.error(LogLine(event="set-aside-failed", path=path, why=error.strerror))

    def _append(self, line: bytes) -> None:
        if not self._is_complete:
            self._try_rewrite()
            return
        self._is_complete = False
        try:
            _write(self._file, line)
            self._is_complete = True
        except OSError as error:
            self._log_failure(error)

    def _drop(self, count: int, reason: str) -> None:
        if count > 0:
            self.dropped += count
            self._remove_oldest(count)
            log.warning(LogLine(event="dropped", samples=count, why=f"spool-{reason}"))

    def _remove_oldest(self, count: int) -> None:
        """Remove the oldest lines; rewrite the file when most of it is stale."""
        for _ in range(count):
            self._lines.popleft()
            self._first += 1
            self._stale += 1
        if self._stale > len(self._lines) + (BATCH_SIZE if self._lines else 0):
            self._try_rewrite()

    def _try_rewrite(self) -> None:
        try:
            self._rewrite()
        except OSError as error:
            self._log_failure(error)

    def _log_failure(self, error: OSError) -> None:
        """Log a disk error; the next sample tries again to write all of them."""
        log.error(LogLine(event="spool-failed", path=self._path, why=error.strerror))

    def _rewrite(self) -> None:
        """Write exactly the lines in memory to the file, atomically."""
        self._is_complete = False
        if self._lines:
            self._replace_file()
        else:
            os.ftruncate(self._file, 0)
        self._stale, self._is_complete = 0, True

    def _replace_file(self) -> None:
        draft = self._path.with_name(self._path.name + ".draft")
        file = _open_for_append(draft, os.O_TRUNC)
        try:
            _write(file, b"".join(self._lines))
            draft.replace(self._path)
            _sync_folder(self._path.parent)
        except OSError:
            os.close(file)
            raise
        os.close(self._file)
        self._file = file


def _open_for_append(path: Path, extra_flags: int = 0) -> int:
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | extra_flags
    return os.open(path, flags, 0o600)


def _write(file: int, data: bytes) -> None:
    while data:
        data = data[os.write(file, data) :]
    os.fsync(file)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _is_sample(line: bytes) -> bool:
    """Return whether a line is valid; a probe that was killed may leave part of one."""
    try:
        return line.endswith(b"\n") and bool(_parse(line))
    except ValidationError:
        return False


def _parse(line: bytes) -> Sample:
    return Sample.model_validate_json(line)
