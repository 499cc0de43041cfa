"""Track the builds of this process: what is pending, and what was done."""

from datetime import datetime
from threading import Lock


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
        return max(0.0, (now - since).total_seconds()) if since else 0.0
