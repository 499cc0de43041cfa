"""A probe: every target looked at in its rhythm, everything told to the API."""

import logging
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import datetime
from math import ceil
from random import SystemRandom
from threading import Event, Thread
from time import monotonic

from api.client.check import Look, measure
from api.client.probe_config import Plan
from api.client.sender import SECONDS, Sender
from api.client.spool import Sample, Spool
from api.client.targets import AnyTarget
from models.fields import format_moment
from models.logs import LogLine

PROGRESS_SECONDS = 60
# The first looks are spread over this time, and each look over a part of its interval.
SPREAD, JITTER = 10.0, 0.1

log = logging.getLogger("masthead.probe")
_random = SystemRandom()


class Probe:
    """
    One plan being followed.

    Each target has a thread of its own, so a slow one has nobody waiting behind it;
    a plan has 200 targets at most.
    """

    def __init__(self, plan: Plan, clock: Callable[[], datetime], stop: Event) -> None:
        self._plan, self._clock, self._stop = plan, clock, stop
        self.spool = Spool(plan.spool, most=plan.most, age=plan.age)
        self.sender = Sender(plan, self.spool, clock)

    def run(self) -> None:
        """Follow the plan until told to stop; then end what runs and keep the rest."""
        targets, over = self._plan.targets, Event()
        log.info(
            LogLine(event="started", targets=len(targets), waiting=self.spool.waiting)
        )
        sending = Thread(target=self._send, args=(over,), daemon=True)
        # A look-up of a name may outlast every limit: no thread keeps the process.
        following = [
            Thread(target=self._follow, args=(each,), daemon=True) for each in targets
        ]
        for thread in (sending, *following):
            thread.start()
        while not self._stop.wait(PROGRESS_SECONDS):
            self._tell("progress")
        until = monotonic() + max(each.timeout_seconds for each in targets) + 1
        for thread in following:
            thread.join(max(0, until - monotonic()))
        over.set()
        self.spool.fresh.set()
        sending.join(SECONDS + 1)
        self._end(has_time=not sending.is_alive())

    def once(self) -> list[Look]:
        """Look at every target once, all at the same time, and tell it."""
        targets = self._plan.targets
        with ThreadPoolExecutor(max_workers=len(targets)) as pool:
            found = [*pool.map(self._measure, targets)]
        self._end(has_time=True)
        return [each for each in found if each]

    def _end(self, has_time: bool) -> None:
        """Send what is left, unless the API was away just now."""
        if has_time and not self.sender.in_a_row:
            self.sender.send()
        self.spool.close()
        self._tell("stopped")

    def _tell(self, event: str) -> None:
        sender, spool = self.sender, self.spool
        log.info(
            LogLine(
                event=event,
                measured=spool.measured,
                sent=sender.sent,
                waiting=spool.waiting,
                failures=sender.failures,
                unknown=sender.unknown,
                refused=sender.refused,
                dropped=spool.dropped,
            )
        )

    def _send(self, over: Event) -> None:
        while not over.is_set():
            with _going_on("sending"):
                self.sender.run(over)
            over.wait(1)

    def _follow(self, target: AnyTarget) -> None:
        """Look at a target in its rhythm; how long one look takes moves no other."""
        interval, status = target.interval_seconds, None
        beat = monotonic() + _random.uniform(0, min(interval, SPREAD))
        while not self._stop.wait(_until(beat, interval)):
            with _going_on(target.service):
                if found := self._measure(target):
                    status = _compared(found, status)
            beat = next_beat(beat, interval, monotonic())

    def _measure(self, target: AnyTarget) -> Look | None:
        """Look at a target and keep what was found, before anything is made of it."""
        found = measure(target, self._clock, self._stop.wait)
        if found:
            said = found.measurement.all_fields()
            self.spool.add(Sample(source=target.source, **said))
            log.debug(_line("measured", found, at=format_moment(said["observed_at"])))
        return found


def next_beat(beat: float, interval: float, now: float) -> float:
    """Return the beat after now; those that a long look has missed are left out."""
    return beat + interval * max(1, ceil((now - beat) / interval))


def _until(beat: float, interval: float) -> float:
    """Return how long to wait: looks of one rhythm do not stay at one moment."""
    return max(0, beat + _random.uniform(0, interval * JITTER) - monotonic())


def _compared(found: Look, before: str | None) -> str:
    """Tell of a target that is not as it was, and return how it is."""
    status = found.measurement.status
    if status != before:
        level = logging.INFO if status == "operational" else logging.WARNING
        log.log(level, _line("changed", found, was=before))
    return status


def _line(event: str, found: Look, **more: object) -> LogLine:
    said = found.measurement
    facts = {"service": said.slug, "status": said.status, **more}
    return LogLine(event=event, **facts, ms=said.response_time_ms, why=found.why)


@contextmanager
def _going_on(what: str) -> Iterator[None]:
    """A fault of ours at one target must not silence the others: tell it, go on."""
    try:
        yield
    except Exception:
        log.exception(LogLine(event="failed", what=what))
