"""Telling the API what was measured, until it has taken it."""

import json
import logging
from collections import Counter
from collections.abc import Callable
from datetime import datetime
from email.utils import parsedate_to_datetime
from random import SystemRandom
from threading import Event
from typing import NamedTuple

from pydantic import ValidationError

from api.client.deadline import Deadline
from api.client.http_request import FAILURES, Question, Response, ask
from api.client.probe_config import Plan
from api.client.spool import Batch, Sample, Spool
from models.logs import LogLine
from models.status.measurements.measurements import RecordedMeasurements

RECORD = "/status/v1/admin/measurements/record"
SECONDS = 20
# What is measured within a second goes in one request.
GATHER = 1.0
# Whoever asks for more than five minutes would have every service unknown for it.
LONGEST_PAUSE, LONGEST_RETRY_AFTER = 60.0, 300.0
# What no repeat changes, where it is the API that says it and not a proxy.
REFUSALS = (400, 413, 422)
PROBLEM = "application/problem+json"
UNKNOWN = "the API knows no such service"

log = logging.getLogger("masthead.probe")
_random = SystemRandom()


class Unsent(Exception):
    """The API has not taken a batch, and may take it later."""

    def __init__(self, why: str, retry_after: float = 0) -> None:
        super().__init__(why)
        self.retry_after = retry_after


class Refused(NamedTuple):
    """Samples that the API will not take, and what it says of them."""

    samples: list[Sample]
    why: str


class Sender:
    """Empties a spool into the API, the oldest first."""

    def __init__(self, plan: Plan, spool: Spool, clock: Callable[[], datetime]) -> None:
        self._address, self._key, self._ca_file = (
            plan.api + RECORD,
            plan.key,
            plan.ca_file,
        )
        self._spool, self._clock = spool, clock
        # What names no service there, as far as was last heard.
        self.unknown_services: set[str] = set()
        # How many samples of each of them were lost by that.
        self._lost: Counter[str] = Counter()
        self.sent = self.unknown = self.refused = self.failures = 0
        # Failures since the last success; pauses grow with it.
        self.in_a_row = 0

    def run(self, over: Event) -> None:
        """Send what comes, until it is over and the spool was woken once more."""
        while not over.is_set():
            self._spool.fresh.wait()
            over.wait(GATHER)
            while self._spool.waiting and not over.is_set():
                over.wait(self.send())

    def send(self) -> float:
        """Send what is waiting; return for how many seconds to leave the API alone."""
        try:
            while batch := self._spool.batch(self._clock()):
                self._send(batch)
        except Unsent as error:
            self.failures += 1
            self.in_a_row += 1
            pause = max(_pause(self.in_a_row), error.retry_after)
            waiting = self._spool.waiting
            line = LogLine(event="not-sent", why=error, waiting=waiting, again_in=pause)
            log.warning(line)
            return pause
        return 0

    def _send(self, batch: Batch) -> None:
        """Have a batch taken, but for the samples that the API refuses by name."""
        samples = batch.samples
        while samples:
            refused = self._post(samples)
            if not refused:
                break
            self._set_aside(refused)
            samples = [each for each in samples if each not in refused.samples]
        self.in_a_row = 0
        self._spool.done(batch)

    def _set_aside(self, refused: Refused) -> None:
        self._spool.set_aside(refused.samples)
        self.refused += len(refused.samples)
        count = len(refused.samples)
        log.error(LogLine(event="set-aside", samples=count, why=refused.why))

    def _post(self, samples: list[Sample]) -> Refused | None:
        told = [each.to_json() for each in samples]
        for each in told:
            del each["source"]
        body = {"source": samples[0].source, "measurements": told}
        headers = {
            "Authorization": f"Bearer {self._key}",
            "Content-Type": "application/json",
        }
        text = json.dumps(body).encode()
        question = Question(self._address, "POST", headers, text, ca_file=self._ca_file)
        deadline = Deadline(SECONDS)
        try:
            with deadline:
                answer = ask(question, deadline)
        except FAILURES as error:
            raise Unsent(deadline.told(error)) from error
        if answer.status != 200:
            return self._refused(samples, answer)
        self._taken(samples, answer)
        return None

    def _taken(self, samples: list[Sample], answer: Response) -> None:
        """Read what became of it: a front page of somebody's is no answer."""
        try:
            told = json.loads(answer.body)["data"]
            recorded = RecordedMeasurements.model_validate(told)
        except (ValueError, KeyError, TypeError, ValidationError) as error:
            raise Unsent("answered 200, but not as the API does") from error
        slugs = Counter(each.slug for each in samples)
        unknown = {*slugs} & {*recorded.unknown}
        self._tell(unknown, {*slugs} - unknown)
        lost = Counter({slug: slugs[slug] for slug in unknown})
        self._lost += lost
        self.unknown += lost.total()
        self.sent += slugs.total() - lost.total()

    def _tell(self, unknown: set[str], known: set[str]) -> None:
        """Say once of each service that nobody there knows it, and once that it is."""
        why = f"{UNKNOWN}: its samples are lost until it is added there"
        for slug in sorted(unknown - self.unknown_services):
            log.warning(LogLine(event="unknown-service", service=slug, why=why))
        for slug in sorted(known & self.unknown_services):
            lost = self._lost.pop(slug, 0)
            log.info(LogLine(event="known-service", service=slug, lost=lost))
        self.unknown_services = self.unknown_services - known | unknown

    def _refused(self, samples: list[Sample], answer: Response) -> Refused:
        """Return which samples are refused, and why; raise when it may pass later."""
        kind = answer.headers.get("Content-Type", "").partition(";")[0]
        problem = _object(answer.body) if kind == PROBLEM else {}
        why = (
            f"answered {answer.status}: {problem.get('detail', answer.location or '')}"
        )
        if kind != PROBLEM or answer.status not in REFUSALS:
            told = answer.headers.get("Retry-After", "")
            raise Unsent(why[:300], _retry_after(told, self._clock()))
        named = _named(problem)
        found = [each for at, each in enumerate(samples) if at in named]
        return Refused(found or samples, why[:300])


def _object(body: bytes) -> dict[str, object]:
    try:
        found = json.loads(body)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _named(problem: dict[str, object]) -> set[int]:
    """Return the places of the items at which the errors of a problem point."""
    errors = problem.get("errors")
    found = set()
    for each in errors if isinstance(errors, list) else []:
        pointer = str(each.get("pointer")) if isinstance(each, dict) else ""
        _, *parts = pointer.split("/")
        if len(parts) > 1 and parts[0] == "measurements" and parts[1].isdigit():
            found.add(int(parts[1]))
    return found


def _pause(failures: int) -> float:
    """
    Return a pause that grows with each failure.

    Anything up to twice the one before is as likely: of many probes that lost the
    API at one moment no two come back at one moment.
    """
    return _random.uniform(0, min(LONGEST_PAUSE, 2.0 ** min(failures - 1, 10)))


def _retry_after(told: str, now: datetime) -> float:
    """Read seconds or a date; what is neither asks for nothing."""
    if told.isascii() and told.isdigit():
        return min(float(told), LONGEST_RETRY_AFTER)
    try:
        seconds = (parsedate_to_datetime(told) - now).total_seconds()
    except (ValueError, TypeError):
        return 0
    return min(max(seconds, 0), LONGEST_RETRY_AFTER)
