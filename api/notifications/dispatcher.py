"""Deliver events from threads of the builder's process, as soon as they are due."""

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from queue import Empty, SimpleQueue
from threading import Event, Thread
from time import monotonic
from typing import NamedTuple

from models.errors import StorageBusy
from models.logs import LogLine
from models.notifications.deliveries.attempts import (
    Attempt,
    claim,
    due_channels,
    record_outcomes,
    recover,
    release,
)
from models.notifications.deliveries.fan_out import fan_out
from models.notifications.deliveries.outcomes import Outcome
from models.notifications.deliveries.replay import retry_unanswered_mails
from models.notifications.events import has_subscriptions
from models.runtime.faults import Fault
from models.storage.database import database, reading

log = logging.getLogger("masthead.notifications")

# How often the dispatcher looks for what is due without being woken.
TICK_SECONDS = 1.0
# A receiver that hangs keeps a thread until its time is over; the others go on. All
# channels without threads of their own share these.
MAX_THREADS = 64
# A relay that accepts no mail for so long is reported as a fault.
MAX_MAIL_FAILURE = timedelta(minutes=1)
# How long a stopping server waits for attempts that have begun.
STOP_SECONDS = 2.0

# Makes the attempts of a batch one after the other.
Send = Callable[[Sequence[Attempt]], Iterable[tuple[Attempt, Outcome]]]


class Sender(NamedTuple):
    """
    How one channel delivers: `batch_size` attempts over one connection.

    With `max_batches` it has so many threads of its own, which receivers of other
    channels that hang cannot occupy.
    """

    send: Send
    batch_size: int = 1
    max_batches: int | None = None


class Dispatcher:
    """
    Delivers while this is entered, on the server that is the leader.

    `senders` has one for each channel that is available. `find_live` returns the
    generation of each area that readers see.
    """

    def __init__(
        self,
        clock: Callable[[], datetime],
        senders: Mapping[str, Sender],
        *,
        find_live: Callable[[], Mapping[str, int]],
        is_leader: Callable[[], bool] = lambda: True,
        tick_seconds: float = TICK_SECONDS,
    ) -> None:
        self._clock = clock
        self._senders = senders
        self._find_live = find_live
        self._is_leader = is_leader
        self._tick_seconds = tick_seconds
        self._woken = Event()
        self._stopping = Event()
        self._has_recovered = False
        # Of subscriptions and of channels: the attempts, and the batches, under way.
        self._in_flight: Counter[str] = Counter()
        self._batches: Counter[str] = Counter()
        self._finished: SimpleQueue[tuple[str, list[tuple[Attempt, Outcome | None]]]]
        self._finished = SimpleQueue()
        # The first failure of the relay since a mail was accepted, and the last one.
        self._mail_failing_since: datetime | None = None
        self._mail_failure = ""
        self._is_mail_failing = False
        self._unrecorded: list[tuple[Attempt, Outcome | None]] = []
        self._thread = Thread(target=self._run, name="dispatcher", daemon=True)

    def __enter__(self) -> "Dispatcher":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop; what has not begun is released, what has begun may be repeated."""
        self._stopping.set()
        self._woken.set()
        self._thread.join(2 * STOP_SECONDS)

    def wake(self) -> None:
        """Look for what is due at once, because something was built or written."""
        self._woken.set()

    def faults(self) -> list[Fault]:
        """Return the fault of the mail relay, if it has one."""
        # Another thread may end the failure meanwhile.
        since, failure = self._mail_failing_since, self._mail_failure
        if since is None or self._clock() - since < MAX_MAIL_FAILURE:
            return []
        detail = f"The mail relay has accepted no mail since {since:%H:%M:%S} UTC."
        return [Fault("mail-failing", f"{detail} {failure}")]

    def _run(self) -> None:
        while not self._stopping.is_set():
            self._woken.wait(self._tick_seconds)
            self._woken.clear()
            if not self._is_leader():
                self._has_recovered = False
                continue
            try:
                self._step()
                self._log_relay()
            except StorageBusy as error:
                log.warning(LogLine(notifications="wait", reason=error))
            except Exception:
                log.exception(LogLine(notifications="failed"))
        self._finish()
        database.close()

    def _step(self) -> None:
        """Do once what is due: deliveries, attempts, outcomes."""
        now = self._clock()
        with reading():
            if not has_subscriptions():
                return
        if not self._has_recovered:
            if count := recover(now):
                log.info(LogLine(notifications="repeat", count=count))
            self._has_recovered = True
        fan_out(now, self._find_live())
        self._record_finished()
        for channel in due_channels(now) & self._senders.keys():
            self._start_batches(channel)

    def _start_batches(self, channel: str) -> None:
        """Claim what is due over the channel, as much as threads are free for."""
        sender = self._senders[channel]
        free = self._free_threads(channel)
        if free <= 0 or self._stopping.is_set():
            return
        limit = free * sender.batch_size
        attempts = claim(self._clock(), [channel], limit, self._in_flight)
        if attempts:
            # There may be more, of subscriptions that were not claimed this time.
            self._woken.set()
        for batch in _split(attempts, sender.batch_size):
            self._in_flight.update(attempt.subscription_id for attempt in batch)
            self._batches[channel] += 1
            # A daemon, because a receiver that hangs must not keep the process.
            Thread(
                target=self._deliver,
                args=(channel, sender.send, batch),
                name=f"delivery-{channel}",
                daemon=True,
            ).start()

    def _free_threads(self, channel: str) -> int:
        own = self._senders[channel].max_batches
        if own is not None:
            return own - self._batches[channel]
        shared = (
            count
            for name, count in self._batches.items()
            if self._senders[name].max_batches is None
        )
        return MAX_THREADS - sum(shared)

    def _deliver(self, channel: str, send: Send, batch: list[Attempt]) -> None:
        """Make the attempts of a batch; runs in a thread of its own."""
        unfinished = {attempt.number: attempt for attempt in batch}
        results: list[tuple[Attempt, Outcome | None]] = []
        try:
            if not self._stopping.is_set():
                for attempt, outcome in send(batch):
                    del unfinished[attempt.number]
                    results.append((attempt, outcome))
        except Exception:
            # A sender has outcomes for all that receivers do, so this is a bug.
            log.exception(LogLine(notifications="failed", channel=channel))
            detail = "An internal error occurred."
            error = Outcome(is_delivered=False, answer=detail, is_internal=True)
            results += [(attempt, error) for attempt in unfinished.values()]
            unfinished.clear()
        results += [(attempt, None) for attempt in unfinished.values()]
        self._finished.put((channel, results))
        self._woken.set()

    def _record_finished(self) -> None:
        """Record the outcomes; those that the storage refuses are kept for later."""
        try:
            while True:
                channel, results = self._finished.get_nowait()
                self._batches[channel] -= 1
                self._in_flight -= Counter(a.subscription_id for a, _ in results)
                self._unrecorded += results
                if channel == "email":
                    self._note_relay(results)
        except Empty:
            pass
        if not self._unrecorded:
            return
        made = [(a, outcome) for a, outcome in self._unrecorded if outcome]
        not_made = [a for a, outcome in self._unrecorded if outcome is None]
        record_outcomes(made, self._clock())
        release(not_made)
        self._unrecorded = []

    def _note_relay(self, results: Iterable[tuple[Attempt, Outcome | None]]) -> None:
        """Note whether the relay works; what it says of an address is no fault."""
        for _, outcome in results:
            if outcome is None or outcome.is_internal:
                continue
            if outcome.is_delivered or outcome.is_permanent:
                self._mail_failing_since = None
            else:
                self._mail_failure = outcome.reason
                self._mail_failing_since = self._mail_failing_since or self._clock()

    def _log_relay(self) -> None:
        """Log when the fault of the relay begins and ends, and send what waited."""
        faults = self.faults()
        if bool(faults) == self._is_mail_failing:
            return
        if not faults:
            retry_unanswered_mails(self._clock())
        self._is_mail_failing = bool(faults)
        error = faults[0].detail if faults else None
        log.warning(LogLine(state="mail-failing", is_over=not faults, error=error))

    def _finish(self) -> None:
        """Record what ends in time; the rest is found without an outcome later."""
        deadline = monotonic() + STOP_SECONDS
        try:
            while self._batches.total() and monotonic() < deadline:
                self._woken.wait(deadline - monotonic())
                self._woken.clear()
                self._record_finished()
        except Exception as error:
            log.warning(LogLine(notifications="stopped", reason=error))


def _split(attempts: list[Attempt], size: int) -> Iterator[list[Attempt]]:
    for start in range(0, len(attempts), size):
        yield attempts[start : start + size]
