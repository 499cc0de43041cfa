"""Convert the answer of Gatus to GET /api/v1/endpoints/statuses to measurements."""

import re

from models.errors import ValidationFailed
from models.external_formats import (
    ExternalCamelModel,
    ExternalModel,
    ExternalMoment,
    parse_json,
)
from models.status.converters.mapping import ServiceNames, build_measurement
from models.status.measurements.measurements import StatusMeasurement
from models.status.state import MeasurementStatus

NANOSECONDS_PER_MS = 1_000_000
# An endpoint is degraded, not down, if only conditions on these fail.
DEGRADED_PLACEHOLDERS = {
    "[RESPONSE_TIME]",
    "[CERTIFICATE_EXPIRATION]",
    "[DOMAIN_EXPIRATION]",
}
_PLACEHOLDER = re.compile(r"\[[A-Z_]+\]")


class Condition(ExternalModel):
    condition: str
    success: bool

    @property
    def is_degraded(self) -> bool:
        """Whether a failure of this condition only degrades the endpoint."""
        placeholders = set(_PLACEHOLDER.findall(self.condition))
        return bool(placeholders) and placeholders <= DEGRADED_PLACEHOLDERS


class Result(ExternalCamelModel):
    success: bool
    timestamp: ExternalMoment
    # In nanoseconds.
    duration: int = 0
    condition_results: list[Condition] | None = None
    # Errors of the request itself, which conditions may not show.
    errors: list[str] | None = None

    @property
    def status(self) -> MeasurementStatus:
        if self.success:
            return "operational"
        failed = [c for c in self.condition_results or [] if not c.success]
        is_degraded = failed and all(condition.is_degraded for condition in failed)
        return "degraded" if is_degraded and not self.errors else "down"


class Endpoint(ExternalModel):
    name: str
    group: str = ""
    key: str = ""
    # None before the first request.
    results: list[Result] | None = None

    def slug(self, names: ServiceNames) -> str:
        """Return its slug; --service may use its name, its key or group/name."""
        return names.slug(self.name, self.key, f"{self.group}/{self.name}")


def measurements(text: str | bytes, names: ServiceNames) -> list[StatusMeasurement]:
    """Return every result of every endpoint; refuse two endpoints with one slug."""
    endpoints: dict[str, Endpoint] = {}
    for endpoint in parse_json(list[Endpoint], text, "The answer of Gatus"):
        slug = endpoint.slug(names)
        other = endpoints.setdefault(slug, endpoint)
        if other is not endpoint:
            raise ValidationFailed(
                f"Two endpoints have the slug '{slug}':"
                f" {other.key or other.name} and {endpoint.key or endpoint.name}."
                " Set another slug for one of them with --service KEY=SLUG."
            )
    return [
        build_measurement(
            slug, result.status, result.timestamp, result.duration / NANOSECONDS_PER_MS
        )
        for slug, endpoint in endpoints.items()
        for result in endpoint.results or []
    ]
