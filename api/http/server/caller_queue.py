"""
Let no caller occupy all threads while others have requests too.

A request that has to wait holds no thread: it stays in a queue of its caller.
"""

from collections import Counter, OrderedDict, deque
from math import inf
from threading import Lock
from time import monotonic
from typing import Any, NamedTuple

from api.http.clients import client_networks
from api.http.server import limits


class _Waiting(NamedTuple):
    channel: Any
    since: float


class CallerQueue:
    """
    The requests of each caller that are being processed, and those that wait.

    A caller is an API key, or a person who acts by it in the console; as long as it is
    not known, each secret is one. Whoever has none shares the threads with a network.
    While others have sent requests recently, a caller of costly requests may occupy a
    quarter of the threads; otherwise all but one.
    """

    def __init__(self, threads: int) -> None:
        self._share = max(1, threads // limits.CALLER_SHARE)
        self._all_but_one = max(1, threads - 1)
        self._lock = Lock()
        self._running: Counter[object] = Counter()
        self._waiting: dict[object, deque[_Waiting]] = {}
        # The callers of credentials that the application has accepted, by their hash.
        self._known: OrderedDict[int, str] = OrderedDict()
        # Until when each caller of a costly request is limited.
        self._costly_until: dict[object, float] = {}
        # The last caller and the last other one, with the times of their requests.
        self._latest: tuple[object, float] = (None, -inf)
        self._other: tuple[object, float] = (None, -inf)

    def caller_of(self, credential: str) -> object:
        """Return whom the credential identifies."""
        return self._known.get(hash(credential), hash(credential))

    def learn(self, credential: str, caller: str) -> None:
        """Remember whom a valid credential identifies, who may have several."""
        number = hash(credential)
        if self._known.get(number) == caller:
            return
        with self._lock:
            self._known[number] = caller
            if self._latest[0] == number:
                # Until now this caller had another name, which is not company.
                self._latest = (caller, self._latest[1])
            if self._other[0] == number:
                self._other = (None, -inf)
            if len(self._known) > limits.MAX_KNOWN_CALLERS:
                self._known.popitem(last=False)

    def admit(self, caller: object, channel: Any) -> bool:
        """Return whether the request may be processed now; otherwise it waits."""
        now = monotonic()
        with self._lock:
            self._note(caller, now)
            if caller is None:
                return True
            if self._running[caller] < self._limit(caller, now):
                self._running[caller] += 1
                return True
            waiting = self._waiting.setdefault(caller, deque())
            waiting.append(_Waiting(channel, now))
            return False

    def finish(self, caller: object, *, is_costly: bool) -> list[Any]:
        """Return the waiting requests that may be processed after this one."""
        if caller is None:
            return []
        with self._lock:
            if is_costly:
                self._costly_until[caller] = monotonic() + limits.COSTLY_SECONDS
            self._running[caller] -= 1
            channels = []
            waiting = self._waiting.get(caller)
            limit = self._limit(caller, monotonic())
            while waiting and self._running[caller] < limit:
                self._running[caller] += 1
                channels.append(waiting.popleft().channel)
            self._forget_idle(caller)
            return channels

    def overdue(self) -> list[Any]:
        """Remove the requests that have waited too long, and return them."""
        start = monotonic() - limits.QUEUE_SECONDS
        channels = []
        with self._lock:
            for caller, waiting in list(self._waiting.items()):
                while waiting and waiting[0].since < start:
                    channels.append(waiting.popleft().channel)
                self._forget_idle(caller)
            self._costly_until = {
                caller: end for caller, end in self._costly_until.items() if end > start
            }
        return channels

    def _limit(self, caller: object, now: float) -> int:
        _, at = self._latest if self._latest[0] != caller else self._other
        is_alone = now > at + limits.COMPANY_SECONDS
        if is_alone or now > self._costly_until.get(caller, -inf):
            return self._all_but_one
        return self._share

    def _note(self, caller: object, now: float) -> None:
        if self._latest[0] != caller:
            self._other = self._latest
        self._latest = (caller, now)

    def _forget_idle(self, caller: object) -> None:
        if not self._running[caller]:
            del self._running[caller]
        if not self._waiting.get(caller, True):
            del self._waiting[caller]


def network_of(address: str) -> str:
    """Return the caller that clients without a key are: a /24, or a /56 of IPv6."""
    return str(client_networks(address)[1])
