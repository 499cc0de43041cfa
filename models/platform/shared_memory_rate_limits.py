"""Limit the rates of keys over all processes of a server."""

import hashlib
import mmap
import struct
import time
from threading import Lock

from models.platform.rate_limits import Rate, RateDecision, take_token
from models.runtime.byte_locks import ByteLocks

# A bucket: the digest of its name, and the time at which it is full again.
_BUCKET = struct.Struct("<Qq")
# A name may be in any bucket of its group, which one lock protects.
GROUP_BUCKETS = 8
GROUPS = 2048
_GROUP_BYTES = GROUP_BUCKETS * _BUCKET.size


class SharedMemoryRateLimiter:
    """
    Token buckets in memory that all processes of a server have mapped.

    It is created before the processes are forked. A process that is killed while it
    holds the lock of a bucket blocks nobody.
    """

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, GROUPS * _GROUP_BYTES)
        self._locks = ByteLocks()
        # Threads of one process do not exclude each other with these.
        self._thread_lock = Lock()

    def take_token(self, name: str, now: int, rate: Rate) -> RateDecision:  # noqa: ARG002
        """
        Take a token by the clock that runs steadily, ignoring `now`.

        It is the same in all processes, and is never set back.
        """
        digest = int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest())
        group = digest % GROUPS
        with self._thread_lock:
            self._locks.acquire(group)
            try:
                return self._take(digest, group, time.monotonic_ns(), rate)
            finally:
                self._locks.release(group)

    def _take(self, digest: int, group: int, now: int, rate: Rate) -> RateDecision:
        """Take a token from the bucket of the name, or from a full one in its place."""
        start = group * _GROUP_BYTES
        buckets = _BUCKET.iter_unpack(self._memory[start : start + _GROUP_BYTES])
        fullest_at, place, fullest = None, 0, 0
        for position, (name, full_at) in enumerate(buckets):
            if name == digest:
                fullest_at, place = full_at, position
                break
            # A bucket that is full, or was never used, is the same as none.
            if position == 0 or full_at < fullest:
                place, fullest = position, full_at
        decision = take_token(fullest_at, now, rate)
        at = start + place * _BUCKET.size
        _BUCKET.pack_into(self._memory, at, digest, decision.full_at)
        return decision
