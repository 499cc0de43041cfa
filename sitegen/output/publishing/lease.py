"""
Let one publisher at a time change a target, and record what it may have changed.

A publisher takes the lease before it changes anything, and releases it when the state
file lists everything published. If it dies in between, the next publisher finds in
the lease which files it has to check.
"""

import json
import time
from collections.abc import Callable, Mapping
from threading import Lock
from typing import Any

from sitegen.output.publishing.targets import PublishTarget, TargetBusy

LEASE = ".masthead.publishing"
# A publisher renews its lease at this interval, before its next change.
RENEW_SECONDS = 10.0
# A lease that was not renewed for so long has expired: no request of its publisher
# can still be in transit; see bucket.py.
EXPIRY_SECONDS = 120.0
POLL_SECONDS = 2.0

# The files that may have been changed, each with the fingerprints that it may have.
TouchedFiles = Mapping[str, list[str]]


class PublishLease:
    """The lease of a target, held by this publisher, another one, or nobody."""

    def __init__(self, target: PublishTarget, owner: str) -> None:
        self._target = target
        self._own_name = owner
        self._state = target.read_state(LEASE)
        content = _parse(self._state.content) if self._state else {}
        self._owner = str(content.get("owner", ""))
        self._sequence = int(content.get("turn", 0))
        self.touched: TouchedFiles = content.get("files", {})
        self._renewed_at = 0.0
        self._lock = Lock()

    @property
    def is_available(self) -> bool:
        """Return whether it is nobody's, or was held by a process that has died."""
        return self._owner in ("", self._own_name) or self._target.is_locked

    def acquire(self, touched: TouchedFiles) -> None:
        """Take the lease to change the files; raise TargetBusy if another has it."""
        self.touched = touched
        self._write(self._own_name)

    def renew(self) -> None:
        """Renew the lease if it is due; raise TargetBusy if another has taken it."""
        with self._lock:
            if time.monotonic() - self._renewed_at > RENEW_SECONDS:
                self._write(self._own_name)

    def release(self, touched: TouchedFiles) -> None:
        """Release the lease; the next publisher checks the files in `touched`."""
        self.touched = touched
        self._write("")

    def _write(self, owner: str) -> None:
        self._sequence += 1
        state = {"owner": owner, "turn": self._sequence, "files": self.touched}
        content = json.dumps(state, ensure_ascii=False).encode()
        started = time.monotonic()
        self._state = self._target.write_state(LEASE, content, self._state)
        self._renewed_at = started

    def differs_from(self, other: "PublishLease") -> bool:
        return self._state != other._state


def available_lease(
    target: PublishTarget, owner: str, pause: Callable[[float], object]
) -> PublishLease:
    """Return a lease that is available, or another's that has expired meanwhile."""
    lease = PublishLease(target, owner)
    expires_at = time.monotonic() + EXPIRY_SECONDS
    while not lease.is_available and time.monotonic() < expires_at:
        pause(POLL_SECONDS)
        current = PublishLease(target, owner)
        if current.is_available:
            return current
        if current.differs_from(lease):
            raise TargetBusy(f"Another process is publishing to {target.name}.")
    return lease


def _parse(content: bytes) -> dict[str, Any]:
    """Return the content of a lease; one that cannot be read is nobody's."""
    try:
        lease = json.loads(content)
        int(lease["turn"])
        files = {path: list(prints) for path, prints in lease["files"].items()}
        return {**lease, "files": files}
    except (ValueError, KeyError, TypeError, AttributeError):
        return {}
