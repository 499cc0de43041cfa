"""Record when each key was last used: in memory, and periodically in the database."""

from datetime import datetime
from threading import Lock

from peewee import chunked

from models.platform.keys import KeyRow
from models.storage.database import writing
from models.storage.write_locks import WriteLock

# Few enough that no request waits long for the transaction.
BATCH_SIZE = 500


class KeyUses:
    """
    The last uses that are not in the database yet.

    A write for each request would cost more than the request. The scheduler calls
    `write` once a minute; a process that dies loses the last minute, which hardly
    matters for finding the keys that are no longer needed.
    """

    def __init__(self) -> None:
        self._last: dict[str, datetime] = {}
        self._lock = Lock()

    def note(self, key_id: str, now: datetime) -> None:
        with self._lock:
            self._last[key_id] = now

    def write(self) -> None:
        """Write the recorded uses; those that cannot be written are kept for later."""
        with self._lock:
            uses = dict(self._last)
        last = KeyRow.last_used_at
        for batch in chunked(uses.items(), BATCH_SIZE):
            with writing(WriteLock.PLATFORM):
                for key_id, at in batch:
                    is_older = (KeyRow.id == key_id) & (last.is_null() | (last < at))
                    KeyRow.update(last_used_at=at).where(is_older).execute()
            with self._lock:
                for key_id, at in batch:
                    if self._last[key_id] == at:
                        del self._last[key_id]
