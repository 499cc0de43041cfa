"""How the builder does since this process started, as the builder notes it."""

from datetime import datetime
from threading import Lock


class Progress:
    """
    What the builder was called for and has not done yet, and what it has done.

    The oldest call counts until a build that makes every page true; calls that come
    while one is at work are the next one's.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._called: datetime | None = None
        self._at_work: datetime | None = None
        self.done = 0
        self.broken = 0
        self.last_at: datetime | None = None
        self.last_seconds = 0.0

    def called(self, now: datetime) -> None:
        with self._lock:
            self._called = self._called or now

    def relieved(self) -> None:
        """Forget what was called for: another server does it."""
        with self._lock:
            self._called = None

    def begun(self, now: datetime) -> None:
        with self._lock:
            self._at_work, self._called = self._called or now, None

    def built(self, now: datetime, seconds: float) -> None:
        """Note a build, begun at this instant, that came to its end."""
        self.done += 1
        self.last_at, self.last_seconds = now, seconds

    def ended(self, *, is_whole: bool) -> None:
        """What was not made true is still waited for, since it was called for."""
        with self._lock:
            if not is_whole:
                self._called = self._at_work
            self._at_work = None

    def lag(self, now: datetime) -> float:
        """Return for how many seconds the oldest call has been waiting."""
        with self._lock:
            since = self._at_work or self._called
        return max(0.0, (now - since).total_seconds()) if since else 0.0
