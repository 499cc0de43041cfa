"""
The claim at a target: who publishes there now, and what that may have touched.

It is said before anything is touched and let go when the note of what is published
tells all. So whoever finds it after a death knows which files to ask for.
"""

import json
import time
from collections.abc import Callable, Mapping
from threading import Lock
from typing import Any

from sitegen.output.publishing.targets import Busy, Target

CLAIM = ".masthead.publishing"
# Before it touches anything a publisher shows that it lives, if it has not for so long.
# Who has not when nothing of it can be on its way any more is over; see bucket.py.
RENEW_SECONDS, SILENT_SECONDS = 10.0, 120.0
LOOK_SECONDS = 2.0

# The files that may have been touched, each with the marks that it may have.
Touched = Mapping[str, list[str]]


class Claim:
    """The claim as it was read; then ours, or somebody else's."""

    def __init__(self, target: Target, owner: str) -> None:
        self._target = target
        self._us = owner
        self._said = target.said(CLAIM)
        found = _read(self._said.content) if self._said else {}
        self._owner = str(found.get("owner", ""))
        self._turn = int(found.get("turn", 0))
        self.touched: Touched = found.get("files", {})
        self._renewed = 0.0
        self._lock = Lock()

    @property
    def is_open(self) -> bool:
        """Tell whether it may be taken: nobody's, or that of ours which has died."""
        return self._owner in ("", self._us) or self._target.is_locked

    def take(self, touched: Touched) -> None:
        """Say what will be touched; raise Busy when another was quicker."""
        self.touched = touched
        self._say(self._us)

    def keep(self) -> None:
        """Show that we live; raise Busy when another has taken us for dead."""
        with self._lock:
            if time.monotonic() - self._renewed > RENEW_SECONDS:
                self._say(self._us)

    def release(self, touched: Touched) -> None:
        """Let it go; what is said to be touched is looked at next time."""
        self.touched = touched
        self._say("")

    def _say(self, owner: str) -> None:
        self._turn += 1
        told = {"owner": owner, "turn": self._turn, "files": self.touched}
        content = json.dumps(told, ensure_ascii=False).encode()
        asked = time.monotonic()
        self._said = self._target.say(CLAIM, content, self._said)
        self._renewed = asked

    def differs(self, other: "Claim") -> bool:
        return self._said != other._said


def open_claim(target: Target, owner: str, pause: Callable[[float], object]) -> Claim:
    """Return a claim that may be taken; that of another, once it is long silent."""
    claim = Claim(target, owner)
    until = time.monotonic() + SILENT_SECONDS
    while not claim.is_open and time.monotonic() < until:
        pause(LOOK_SECONDS)
        again = Claim(target, owner)
        if again.is_open:
            return again
        if again.differs(claim):
            raise Busy(f"Another publishes to {target.name}.")
    return claim


def _read(content: bytes) -> dict[str, Any]:
    """Return what is claimed; what nobody can read claims nothing."""
    try:
        found = json.loads(content)
        int(found["turn"])
        return {**found, "files": {p: list(m) for p, m in found["files"].items()}}
    except (ValueError, KeyError, TypeError, AttributeError):
        return {}
