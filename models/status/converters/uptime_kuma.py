"""Uptime Kuma: the webhook of a notification, and the beats of a status page."""

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

# Its numbers for down, up and pending, which is retrying; 3 is maintenance, which
# is planned here and measured by nobody.
STATUSES: dict[int, Measured] = {0: "down", 1: "operational", 2: "degraded"}


class Beat(ExternalModel):
    status: int
    time: ExternalMoment
    ping: float | None = None


class Monitor(ExternalModel):
    name: str


class Said(ExternalCamelModel):
    """A notification, or the beats of a status page by the monitors' numbers."""

    heartbeat: Beat | None = None
    monitor: Monitor | None = None
    msg: str | None = None
    heartbeat_list: dict[str, list[Beat]] | None = None

    def beats(self) -> list[tuple[str, Beat]]:
        """Return the beats with their monitors; a test notification has neither."""
        if self.heartbeat_list is not None:
            listed = self.heartbeat_list.items()
            return [(number, beat) for number, beats in listed for beat in beats]
        if self.heartbeat and self.monitor:
            return [(self.monitor.name, self.heartbeat)]
        if self.msg is None:
            raise ValidationFailed(
                "What Uptime Kuma says is neither a notification (heartbeat, monitor,"
                " msg) nor the beats of a status page (heartbeatList)."
            )
        return []


def samples(text: str | bytes, names: Names) -> list[StatusMeasurement]:
    """
    Return what was measured; maintenance says nothing of the service.

    Monitors of a page have a number alone, and one that is new there keeps none of
    the others from being told.
    """
    said = parse_json(Said, text, "What Uptime Kuma says")
    beats = said.beats()
    if said.heartbeat_list is not None:
        told = [each for each in beats if names.is_told(each[0])]
        if beats and not told:
            numbers = ", ".join(names.untold)
            raise ValidationFailed(
                f"The page has the monitors {numbers}: say which service each is"
                " with --service NUMBER=SLUG."
            )
        beats = told
    return [
        _sample(names.slug(name), beat)
        for name, beat in beats
        if beat.status in STATUSES
    ]


def _sample(slug: str, beat: Beat) -> StatusMeasurement:
    status = STATUSES[beat.status]
    took = None if status == "down" else beat.ping
    return sample(slug, status=status, observed_at=beat.time, response_time_ms=took)
