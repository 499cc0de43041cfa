"""Run the probe: measure every target at its interval, and send the results."""

import logging
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from math import ceil
from random import SystemRandom
from threading import Event, Thread
from time import monotonic

from api.client.check import CheckResult, check_with_retries
from api.client.probe_config import ProbeConfig
from api.client.sender import REQUEST_SECONDS, Sender
from api.client.spool import Sample, Spool
from api.client.targets import ProbeTarget
from models.fields import format_moment
from models.logs import LogLine

SUMMARY_SECONDS = 60
# The first checks are spread over this time, so that they do not run all at once.
STARTUP_SPREAD_SECONDS = 10.0
# Each check is delayed by up to this part of its interval.
JITTER = 0.1

log = logging.getLogger("masthead.probe")
_random = SystemRandom()


class Probe:
    """
    Measures the targets of one configuration.

    Each target has a thread of its own, so that a slow one does not delay the others;
    there are 200 targets at most.
    """

    def __init__(
        self, config: ProbeConfig, clock: Callable[[], datetime], stop: Event
    ) -> None:
        self._config, self._clock, self._stop = config, clock, stop
        self.spool = Spool(
            config.spool, max_samples=config.max_samples, max_age=config.max_age
        )
        self.sender = Sender(config, self.spool, clock)

    def run(self) -> None:
        """Measure until `stop` is set; then finish running checks and send the rest."""
        targets, stop_sending = self._config.targets, Event()
        log.info(
            LogLine(event="started", targets=len(targets), waiting=self.spool.waiting)
        )
        sending = Thread(target=self._send, args=(stop_sending,), daemon=True)
        # Name resolution may outlast every timeout, so no thread keeps the process.
        measuring = [
            Thread(target=self._measure_repeatedly, args=(target,), daemon=True)
            for target in targets
        ]
        for thread in (sending, *measuring):
            thread.start()
        while not self._stop.wait(SUMMARY_SECONDS):
            self._log_summary("progress")
        ends_at = monotonic() + max(target.timeout_seconds for target in targets) + 1
        for thread in measuring:
            thread.join(max(0, ends_at - monotonic()))
        stop_sending.set()
        self.spool.has_new.set()
        sending.join(REQUEST_SECONDS + 1)
        self._finish(can_send=not sending.is_alive())

    def run_once(self) -> list[CheckResult]:
        """Measure every target once, all at the same time, and send the results."""
        targets = self._config.targets
        with ThreadPoolExecutor(max_workers=len(targets)) as pool:
            results = [*pool.map(self._measure, targets)]
        self._finish(can_send=True)
        return [result for result in results if result]

    def _finish(self, can_send: bool) -> None:
        """Send the rest, unless the last attempt failed, and close the spool."""
        if can_send and not self.sender.consecutive_failures:
            self.sender.send()
        self.spool.close()
        self._log_summary("stopped")

    def _log_summary(self, event: str) -> None:
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

    def _send(self, stop: Event) -> None:
        while not stop.is_set():
            with _log_errors("sending"):
                self.sender.run(stop)
            stop.wait(1)

    def _measure_repeatedly(self, target: ProbeTarget) -> None:
        interval, status = target.interval_seconds, None
        due = monotonic() + _random.uniform(0, min(interval, STARTUP_SPREAD_SECONDS))
        # Jitter separates targets of the same interval.
        jitter = partial(_random.uniform, 0, interval * JITTER)
        while not self._stop.wait(max(0, due + jitter() - monotonic())):
            with _log_errors(target.service):
                if result := self._measure(target):
                    _log_change(result, status)
                    status = result.measurement.status
            due = next_due(due, interval, monotonic())

    def _measure(self, target: ProbeTarget) -> CheckResult | None:
        """Check a target, and store the measurement in the spool."""
        result = check_with_retries(target, self._clock, self._stop.wait)
        if result:
            measurement = result.measurement.all_fields()
            self.spool.add(Sample(source=target.source, **measurement))
            observed_at = format_moment(measurement["observed_at"])
            log.debug(_result_line("measured", result, at=observed_at))
        return result


def next_due(due: float, interval: float, now: float) -> float:
    """Return the next multiple of the interval after now; a long check skips some."""
    return due + interval * max(1, ceil((now - due) / interval))


def _log_change(result: CheckResult, previous_status: str | None) -> None:
    status = result.measurement.status
    if status != previous_status:
        level = logging.INFO if status == "operational" else logging.WARNING
        log.log(level, _result_line("changed", result, was=previous_status))


def _result_line(event: str, result: CheckResult, **facts: object) -> LogLine:
    measurement = result.measurement
    return LogLine(
        event=event,
        service=measurement.slug,
        status=measurement.status,
        **facts,
        ms=measurement.response_time_ms,
        why=result.reason,
    )


@contextmanager
def _log_errors(what: str) -> Iterator[None]:
    """Log an unexpected error and continue, so that one target cannot stop others."""
    try:
        yield
    except Exception:
        log.exception(LogLine(event="failed", what=what))
