"""Send the measurements of the spool to the API until it accepts them."""

import json
import logging
from collections import Counter
from collections.abc import Callable
from datetime import datetime
from random import SystemRandom
from threading import Event
from typing import NamedTuple

from pydantic import ValidationError

from api.client.deadline import Deadline
from api.client.http_request import (
    REQUEST_ERRORS,
    HttpRequest,
    HttpResponse,
    retry_after_seconds,
    send_request,
)
from api.client.probe_config import ProbeConfig
from api.client.spool import Sample, Spool, SpoolBatch
from models.logs import LogLine
from models.status.measurements.measurements import RecordedMeasurements

RECORD_PATH = "/status/v1/admin/measurements/record"
REQUEST_SECONDS = 20
# Measurements taken within this time are sent in one request.
BATCH_SECONDS = 1.0
# After more than five minutes without measurements, every service would be unknown.
MAX_BACKOFF_SECONDS, MAX_RETRY_AFTER_SECONDS = 60.0, 300.0
# The statuses of problems of the API, and not of a proxy, that no retry would change.
PERMANENT_STATUSES = (400, 413, 422)
PROBLEM_TYPE = "application/problem+json"
UNKNOWN_SERVICE = "the API knows no such service"

log = logging.getLogger("masthead.probe")
_random = SystemRandom()


class NotSent(Exception):
    """The API did not accept a batch, but may accept it later."""

    def __init__(self, reason: str, retry_after_seconds: float = 0) -> None:
        super().__init__(reason)
        self.retry_after_seconds = retry_after_seconds


class Rejection(NamedTuple):
    """Samples that the API will never accept, and the reason that it gave."""

    samples: list[Sample]
    reason: str


class Sender:
    """Sends the samples of a spool to the API, the oldest first."""

    def __init__(
        self, config: ProbeConfig, spool: Spool, clock: Callable[[], datetime]
    ) -> None:
        self._url, self._key = config.api + RECORD_PATH, config.key
        self._ca_file = config.ca_file
        self._spool, self._clock = spool, clock
        # The services that the API did not know when it was last asked, and the
        # number of samples of each that were lost.
        self.unknown_services: set[str] = set()
        self._lost: Counter[str] = Counter()
        self.sent = self.unknown = self.refused = self.failures = 0
        self.consecutive_failures = 0

    def run(self, stop: Event) -> None:
        """Send new samples until `stop` is set and the spool's event once more."""
        while not stop.is_set():
            self._spool.has_new.wait()
            stop.wait(BATCH_SECONDS)
            while self._spool.waiting and not stop.is_set():
                stop.wait(self.send())

    def send(self) -> float:
        """Send all waiting samples; return the seconds to wait before a retry, or 0."""
        try:
            while batch := self._spool.next_batch(self._clock()):
                self._send_batch(batch)
        except NotSent as error:
            self.failures += 1
            self.consecutive_failures += 1
            backoff = _backoff_seconds(self.consecutive_failures)
            pause = max(backoff, error.retry_after_seconds)
            waiting = self._spool.waiting
            line = LogLine(event="not-sent", why=error, waiting=waiting, again_in=pause)
            log.warning(line)
            return pause
        return 0

    def _send_batch(self, batch: SpoolBatch) -> None:
        """Send a batch, without the samples that the API has rejected by name."""
        samples = batch.samples
        while samples:
            rejection = self._post(samples)
            if not rejection:
                break
            self._set_aside(rejection)
            samples = [sample for sample in samples if sample not in rejection.samples]
        self.consecutive_failures = 0
        self._spool.remove(batch)

    def _set_aside(self, rejection: Rejection) -> None:
        self._spool.set_aside(rejection.samples)
        count = len(rejection.samples)
        self.refused += count
        log.error(LogLine(event="set-aside", samples=count, why=rejection.reason))

    def _post(self, samples: list[Sample]) -> Rejection | None:
        measurements = [sample.to_json() for sample in samples]
        for measurement in measurements:
            del measurement["source"]
        body = {"source": samples[0].source, "measurements": measurements}
        request = HttpRequest(
            self._url,
            method="POST",
            headers={
                "Authorization": f"Bearer {self._key}",
                "Content-Type": "application/json",
            },
            body=json.dumps(body).encode(),
            ca_file=self._ca_file,
        )
        deadline = Deadline(REQUEST_SECONDS)
        try:
            with deadline:
                response = send_request(request, deadline)
        except REQUEST_ERRORS as error:
            raise NotSent(deadline.describe(error)) from error
        if response.status != 200:
            return self._rejection(samples, response)
        self._count_accepted(samples, response)
        return None

    def _count_accepted(self, samples: list[Sample], response: HttpResponse) -> None:
        """Count the samples; raise NotSent if the response is not that of the API."""
        try:
            data = json.loads(response.body)["data"]
            recorded = RecordedMeasurements.model_validate(data)
        except (ValueError, KeyError, TypeError, ValidationError) as error:
            raise NotSent("answered 200, but not as the API does") from error
        counts = Counter(sample.slug for sample in samples)
        unknown = {*counts} & {*recorded.unknown}
        self._log_unknown_services(unknown, {*counts} - unknown)
        lost = Counter({slug: counts[slug] for slug in unknown})
        self._lost += lost
        self.unknown += lost.total()
        self.sent += counts.total() - lost.total()

    def _log_unknown_services(self, unknown: set[str], known: set[str]) -> None:
        """Log each service once that has become unknown, or known again."""
        reason = f"{UNKNOWN_SERVICE}: its samples are lost until it is added there"
        for slug in sorted(unknown - self.unknown_services):
            log.warning(LogLine(event="unknown-service", service=slug, why=reason))
        for slug in sorted(known & self.unknown_services):
            lost = self._lost.pop(slug, 0)
            log.info(LogLine(event="known-service", service=slug, lost=lost))
        self.unknown_services = self.unknown_services - known | unknown

    def _rejection(self, samples: list[Sample], response: HttpResponse) -> Rejection:
        """Return which samples are rejected; raise NotSent if a retry may succeed."""
        media_type = response.headers.get("Content-Type", "").partition(";")[0]
        is_problem = media_type == PROBLEM_TYPE
        problem = _json_object(response.body) if is_problem else {}
        detail = problem.get("detail", response.location or "")
        reason = f"answered {response.status}: {detail}"[:300]
        if not is_problem or response.status not in PERMANENT_STATUSES:
            header = response.headers.get("Retry-After", "")
            pause = retry_after_seconds(header, self._clock(), MAX_RETRY_AFTER_SECONDS)
            raise NotSent(reason, pause)
        rejected = _rejected_indexes(problem)
        rejected_samples = [
            sample for index, sample in enumerate(samples) if index in rejected
        ]
        return Rejection(rejected_samples or samples, reason)


def _json_object(body: bytes) -> dict[str, object]:
    try:
        value = json.loads(body)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _rejected_indexes(problem: dict[str, object]) -> set[int]:
    """Return the indexes of the measurements at which a problem's errors point."""
    errors = problem.get("errors")
    indexes = set()
    for error in errors if isinstance(errors, list) else []:
        pointer = str(error.get("pointer")) if isinstance(error, dict) else ""
        _, *parts = pointer.split("/")
        if len(parts) > 1 and parts[0] == "measurements" and parts[1].isdigit():
            indexes.add(int(parts[1]))
    return indexes


def _backoff_seconds(failures: int) -> float:
    """
    Return a random pause from a range that doubles with each failure.

    With full jitter, probes that lost the API at the same moment do not all return at
    the same moment.
    """
    return _random.uniform(0, min(MAX_BACKOFF_SECONDS, 2.0 ** min(failures - 1, 10)))
