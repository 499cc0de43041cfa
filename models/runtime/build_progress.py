"""Track the builds of this process: what is pending, and what was done."""

from collections.abc import Callable
from datetime import datetime
from threading import Lock
from typing import Any, Protocol


class Progress(Protocol):
    """What the metrics show of a worker such as the builder."""

    @property
    def done(self) -> int: ...

    @property
    def broken(self) -> int: ...

    @property
    def last_at(self) -> datetime | None: ...

    @property
    def last_seconds(self) -> float: ...

    def lag(self, now: datetime) -> float:
        """Return for how many seconds the oldest request has been pending."""


class BuildProgress:
    """
    The pending request of a worker such as the builder, and its finished runs.

    The oldest request is pending until a run completes it; requests that arrive during
    a run belong to the next one.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._requested_at: datetime | None = None
        self._started_at: datetime | None = None
        self.done = 0
        self.broken = 0
        self.last_at: datetime | None = None
        self.last_seconds = 0.0

    def request(self, now: datetime) -> None:
        with self._lock:
            self._requested_at = self._requested_at or now

    def withdraw(self) -> None:
        """Drop the pending request, which another server carries out."""
        with self._lock:
            self._requested_at = None

    def start(self, now: datetime) -> None:
        with self._lock:
            self._started_at, self._requested_at = self._requested_at or now, None

    def record(self, now: datetime, seconds: float) -> None:
        """Count a run that was finished; it started at `now`."""
        self.done += 1
        self.last_at, self.last_seconds = now, seconds

    def finish(self, *, is_complete: bool) -> None:
        """End the run; if it is not complete, its request is pending again."""
        with self._lock:
            if not is_complete:
                self._requested_at = self._started_at
            self._started_at = None

    def lag(self, now: datetime) -> float:
        """Return for how many seconds the oldest request has been pending."""
        with self._lock:
            since = self._started_at or self._requested_at
        return _seconds_since(since, now)

    def to_json(self) -> dict[str, Any]:
        """Return what ReportedProgress reads."""
        with self._lock:
            since = self._started_at or self._requested_at
        return {
            "pendingSince": since and since.isoformat(),
            "done": self.done,
            "broken": self.broken,
            "lastAt": self.last_at and self.last_at.isoformat(),
            "lastSeconds": self.last_seconds,
        }


class ReportedProgress:
    """The progress of workers in other processes together, as they last reported it."""

    def __init__(self, read: Callable[[], list[dict[str, Any]]]) -> None:
        """`read` returns the last `BuildProgress.to_json` of each worker."""
        self._read = read

    @property
    def done(self) -> int:
        return sum(int(each["done"]) for each in self._read())

    @property
    def broken(self) -> int:
        return sum(int(each["broken"]) for each in self._read())

    @property
    def last_at(self) -> datetime | None:
        return max(
            filter(None, (_parse(e["lastAt"]) for e in self._read())), default=None
        )

    @property
    def last_seconds(self) -> float:
        last = max(self._read(), key=lambda each: each["lastAt"] or "", default=None)
        return float(last["lastSeconds"]) if last else 0.0

    def lag(self, now: datetime) -> float:
        starts = (_parse(each["pendingSince"]) for each in self._read())
        return max((_seconds_since(start, now) for start in starts), default=0.0)


def _parse(time: str | None) -> datetime | None:
    return datetime.fromisoformat(time) if time else None


def _seconds_since(start: datetime | None, now: datetime) -> float:
    return max(0.0, (now - start).total_seconds()) if start else 0.0
