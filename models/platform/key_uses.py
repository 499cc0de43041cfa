"""When each key was last used: kept in memory, and written now and then."""

from datetime import datetime
from threading import Lock

from peewee import chunked

from models.platform.keys import KeyRow
from models.storage.database import writing

# So many keys are written in one transaction that no request waits long for it.
BATCH = 500


class Uses:
    """
    The last uses that are not written yet.

    A write for each request would cost more than the request. Whoever holds this
    calls `write` once a minute; a process that dies loses the last minute, which
    matters little to the question which keys are no longer needed.
    """

    def __init__(self) -> None:
        self._last: dict[str, datetime] = {}
        self._lock = Lock()

    def note(self, key_id: str, now: datetime) -> None:
        with self._lock:
            self._last[key_id] = now

    def write(self) -> None:
        """Write what has been noted; what cannot be written is kept for later."""
        with self._lock:
            noted = dict(self._last)
        for some in chunked(sorted(noted.items()), BATCH):
            with writing():
                for key_id, at in some:
                    _write(key_id, at)
            self._forget(some)

    def _forget(self, written: list[tuple[str, datetime]]) -> None:
        with self._lock:
            for key_id, at in written:
                if self._last[key_id] == at:
                    del self._last[key_id]


def _write(key_id: str, at: datetime) -> None:
    last = KeyRow.last_used_at
    newer = last.is_null() | (last < at)
    KeyRow.update(last_used_at=at).where(KeyRow.id == key_id, newer).execute()
