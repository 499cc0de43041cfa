"""Convert notifications and status pages of Uptime Kuma to measurements."""

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

# The statuses of Uptime Kuma: down, up and pending, which means that it retries.
# Heartbeats during maintenance, which is 3, are ignored.
STATUSES: dict[int, MeasurementStatus] = {0: "down", 1: "operational", 2: "degraded"}


class Heartbeat(ExternalModel):
    status: int
    time: ExternalMoment
    # In milliseconds.
    ping: float | None = None


class Monitor(ExternalModel):
    name: str


class Payload(ExternalCamelModel):
    """A notification, or the heartbeats of a status page by the monitors' numbers."""

    heartbeat: Heartbeat | None = None
    monitor: Monitor | None = None
    msg: str | None = None
    heartbeat_list: dict[str, list[Heartbeat]] | None = None

    def heartbeats(self) -> list[tuple[str, Heartbeat]]:
        """Return the heartbeats with their monitors; a test notification has none."""
        if self.heartbeat_list is not None:
            lists = self.heartbeat_list.items()
            return [(number, beat) for number, beats in lists for beat in beats]
        if self.heartbeat and self.monitor:
            return [(self.monitor.name, self.heartbeat)]
        if self.msg is None:
            raise ValidationFailed(
                "The data of Uptime Kuma is neither a notification (heartbeat, monitor,"
                " msg) nor the heartbeats of a status page (heartbeatList)."
            )
        return []


def measurements(text: str | bytes, names: ServiceNames) -> list[StatusMeasurement]:
    """
    Return the measurements of the heartbeats.

    A status page has only the numbers of monitors. Those that are not mapped to a
    service are left out, so that a new monitor does not stop the others.
    """
    payload = parse_json(Payload, text, "The data of Uptime Kuma")
    heartbeats = payload.heartbeats()
    if payload.heartbeat_list is not None:
        heartbeats = _mapped_heartbeats(heartbeats, names)
    return [
        build_measurement(
            names.slug(monitor), STATUSES[beat.status], beat.time, beat.ping
        )
        for monitor, beat in heartbeats
        if beat.status in STATUSES
    ]


def _mapped_heartbeats(
    heartbeats: list[tuple[str, Heartbeat]], names: ServiceNames
) -> list[tuple[str, Heartbeat]]:
    """Return the heartbeats of mapped monitors; raise ValidationFailed if none is."""
    for monitor, _ in heartbeats:
        if not names.is_mapped(monitor):
            names.leave_out(monitor)
    mapped = [item for item in heartbeats if names.is_mapped(item[0])]
    if heartbeats and not mapped:
        numbers = ", ".join(names.left_out)
        raise ValidationFailed(
            f"The status page has the monitors {numbers}. Map them to services with"
            " --service NUMBER=SLUG."
        )
    return mapped
