"""Gatus: the results of its endpoints, as /api/v1/endpoints/statuses tells them."""

import re

from models.errors import ValidationFailed
from models.external_formats import (
    ExternalCamelModel,
    ExternalModel,
    ExternalMoment,
    parse_json,
)
from models.status.converters.samples import Names, sample
from models.status.measurements.measurements import StatusMeasurement
from models.status.state import Measured

NANOSECONDS = 1_000_000
# An endpoint that fails these alone answers, though not as it should.
MILD = {"[RESPONSE_TIME]", "[CERTIFICATE_EXPIRATION]", "[DOMAIN_EXPIRATION]"}
_ASKED = re.compile(r"\[[A-Z_]+\]")


class Condition(ExternalModel):
    condition: str
    success: bool

    @property
    def is_mild(self) -> bool:
        asked = set(_ASKED.findall(self.condition))
        return bool(asked) and asked <= MILD


class Result(ExternalCamelModel):
    success: bool
    timestamp: ExternalMoment
    duration: int = 0
    condition_results: list[Condition] | None = None
    # That nothing could be asked at all, whatever the conditions make of it.
    errors: list[str] | None = None

    @property
    def said(self) -> Measured:
        if self.success:
            return "operational"
        failed = [each for each in self.condition_results or [] if not each.success]
        is_mild = failed and all(each.is_mild for each in failed)
        return "degraded" if is_mild and not self.errors else "down"


class Endpoint(ExternalModel):
    name: str
    group: str = ""
    key: str = ""
    # None where it was never asked yet.
    results: list[Result] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """What --service may call it; without that its name alone is its slug."""
        return self.name, self.key, f"{self.group}/{self.name}"


def samples(text: str | bytes, names: Names) -> list[StatusMeasurement]:
    """Return every result of every endpoint; no two may be one service."""
    endpoints = parse_json(list[Endpoint], text, "The answer of Gatus")
    owners: dict[str, Endpoint] = {}
    for each in endpoints:
        other = owners.setdefault(names.slug(*each.names), each)
        if other is not each:
            raise ValidationFailed(
                f"Two endpoints would be the service '{names.slug(*each.names)}':"
                f" {other.key or other.name} and {each.key or each.name}."
                " Name one otherwise with --service KEY=SLUG."
            )
    return [
        _sample(slug, result)
        for slug, endpoint in owners.items()
        for result in endpoint.results or []
    ]


def _sample(slug: str, result: Result) -> StatusMeasurement:
    status = result.said
    took = None if status == "down" else result.duration / NANOSECONDS
    return sample(
        slug, status=status, observed_at=result.timestamp, response_time_ms=took
    )
