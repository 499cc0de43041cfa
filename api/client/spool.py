"""What was measured and not yet told: a file that outlives the probe."""

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

BATCH = 200
# What the API refused is kept for a person to look at, twice so much at most.
REFUSED_BYTES = 10 << 20

log = logging.getLogger("masthead.probe")


class Sample(StatusMeasurement):
    """A measurement and who made it: one line of the file."""

    source: StatusSlug

    @property
    def line(self) -> bytes:
        return self.model_dump_json(by_alias=True).encode() + b"\n"


class Batch(NamedTuple):
    """The oldest samples, of one source; `upto` is for saying that they were told."""

    samples: list[Sample]
    upto: int


class Spool:
    """
    Lines in the order in which they were measured, each synced before it counts.

    What was told is forgotten in memory at once and in the file now and then: after
    a crash it is told again, which changes nothing there.
    """

    def __init__(self, path: Path, *, most: int, age: timedelta) -> None:
        self.fresh = Event()
        self.measured = self.dropped = 0
        self._path, self._most, self._age = path, most, age
        self._lines: deque[bytes] = deque()
        self._first = 0
        self._stale = 0
        self._is_whole = False
        self._lock = Lock()
        self._lease = FileLock(path.with_name(path.name + ".lock"))
        try:
            self._open()
        except OSError as error:
            reason = error.strerror
            raise SettingError(f"The spool {path} cannot be used: {reason}.") from error

    def _open(self) -> None:
        if not self._lease.acquire("probe"):
            raise SettingError(f"The spool {self._path} is held by another probe.")
        self._file = _opened(self._path)
        _sync_folder(self._path.parent)
        found = self._path.read_bytes().splitlines(keepends=True)
        self._lines.extend(line for line in found if _is_sample(line))
        lost = len(found) - len(self._lines)
        if lost:
            log.warning(LogLine(event="spool-damaged", path=self._path, lines=lost))
            self._write_anew()
        self._is_whole = True
        if self._lines:
            self.fresh.set()

    def close(self) -> None:
        with self._lock:
            os.close(self._file)
            self._file = -1
            self._lease.release()

    @property
    def waiting(self) -> int:
        return len(self._lines)

    def add(self, sample: Sample) -> None:
        """Keep a sample; a disk that takes none leaves it in memory, and is told."""
        line = sample.line
        with self._lock:
            # A look that outlasted the end of the probe: another may hold the file.
            if self._file < 0:
                return
            self.measured += 1
            self._lines.append(line)
            self._keep(line)
            self._drop(len(self._lines) - self._most, "full")
        self.fresh.set()

    def batch(self, now: datetime) -> Batch | None:
        """Return what is to be told next, if there is anything."""
        with self._lock:
            old = takewhile(
                lambda line: _read(line).observed_at < now - self._age, self._lines
            )
            self._drop(len(list(old)), "old")
            self.fresh.clear()
            head, first = [*islice(self._lines, BATCH)], self._first
        samples = [_read(line) for line in head]
        of_one = [*takewhile(lambda each: each.source == samples[0].source, samples)]
        return Batch(of_one, first + len(of_one)) if of_one else None

    def done(self, batch: Batch) -> None:
        """Forget a batch; part of it may have been dropped meanwhile."""
        with self._lock:
            self._forget(batch.upto - self._first)

    def set_aside(self, samples: Iterable[Sample]) -> None:
        """Keep samples that the API will never take, for a person to look at."""
        path = self._path.with_name(self._path.name + ".refused")
        try:
            with path.open("ab") as file:
                file.writelines(each.line for each in samples)
                size = file.tell()
            if size > REFUSED_BYTES:
                path.replace(path.with_name(path.name + ".old"))
        except OSError as error:
            log.error(LogLine(event="set-aside-failed", path=path, why=error.strerror))

    def _keep(self, line: bytes) -> None:
        if not self._is_whole:
            self._try_anew()
            return
        self._is_whole = False
        try:
            _write(self._file, line)
            self._is_whole = True
        except OSError as error:
            self._failed(error)

    def _drop(self, count: int, why: str) -> None:
        if count > 0:
            self.dropped += count
            self._forget(count)
            log.warning(LogLine(event="dropped", samples=count, why=f"spool-{why}"))

    def _forget(self, count: int) -> None:
        """Forget the oldest; the file is made anew when most of it is stale."""
        for _ in range(count):
            self._lines.popleft()
            self._first += 1
            self._stale += 1
        if self._stale > len(self._lines) + (BATCH if self._lines else 0):
            self._try_anew()

    def _try_anew(self) -> None:
        try:
            self._write_anew()
        except OSError as error:
            self._failed(error)

    def _failed(self, error: OSError) -> None:
        """Samples stay in memory, and the next one tries to bring all to the disk."""
        log.error(LogLine(event="spool-failed", path=self._path, why=error.strerror))

    def _write_anew(self) -> None:
        """Put what is waiting in the place of the file, whole or not at all."""
        self._is_whole = False
        if self._lines:
            self._replace()
        else:
            os.ftruncate(self._file, 0)
        self._stale, self._is_whole = 0, True

    def _replace(self) -> None:
        draft = self._path.with_name(self._path.name + ".draft")
        made = _opened(draft, os.O_TRUNC)
        try:
            _write(made, b"".join(self._lines))
            draft.replace(self._path)
            _sync_folder(self._path.parent)
        except OSError:
            os.close(made)
            raise
        os.close(self._file)
        self._file = made


def _opened(path: Path, more: int = 0) -> int:
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | more
    return os.open(path, flags, 0o600)


def _write(file: int, text: bytes) -> None:
    while text:
        text = text[os.write(file, text) :]
    os.fsync(file)


def _sync_folder(folder: Path) -> None:
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def _is_sample(line: bytes) -> bool:
    """Tell whether a line is whole: the last one of a killed probe may not be."""
    try:
        return line.endswith(b"\n") and bool(_read(line))
    except ValidationError:
        return False


def _read(line: bytes) -> Sample:
    return Sample.model_validate_json(line)
