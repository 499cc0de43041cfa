"""Convert webhooks of Prometheus Alertmanager (version 4) to measurements."""

from collections.abc import Iterable
from datetime import datetime
from typing import Literal

from models.errors import ValidationFailed
from models.external_formats import ExternalCamelModel, parse_json
from models.status.converters.mapping import ServiceNames, build_measurement
from models.status.measurements.measurements import StatusMeasurement
from models.status.state import MeasurementStatus

# The status of a service by the label `severity` of a firing alert.
STATUSES: dict[str, MeasurementStatus] = {
    "critical": "down",
    "disaster": "down",
    "emergency": "down",
    "fatal": "down",
    "page": "down",
    "info": "operational",
    "none": "operational",
}
# For other severities, and for alerts without one.
DEFAULT_STATUS: MeasurementStatus = "degraded"
_FROM_BEST: tuple[MeasurementStatus, ...] = ("operational", "degraded", "down")


class Alert(ExternalCamelModel):
    status: Literal["firing", "resolved"]
    labels: dict[str, str]

    @property
    def service_status(self) -> MeasurementStatus:
        if self.status == "resolved":
            return "operational"
        severity = self.labels.get("severity", "").lower()
        return STATUSES.get(severity, DEFAULT_STATUS)


class Webhook(ExternalCamelModel):
    version: Literal["4"]
    truncated_alerts: int = 0
    alerts: list[Alert]


def measurements(
    text: str | bytes, names: ServiceNames, now: datetime, *, label: str = "service"
) -> list[StatusMeasurement]:
    """
    Return a measurement, observed now, for each service that the alerts name.

    The worst alert of a service decides. Alerts without the label are ignored.
    """
    webhook = parse_json(Webhook, text, "The webhook of Alertmanager")
    if webhook.truncated_alerts:
        raise ValidationFailed(
            f"{webhook.truncated_alerts} alerts were left out of the webhook, and one"
            " of them may be the worst. Leave max_alerts at 0."
        )
    statuses = _worst_statuses(webhook.alerts, names, label)
    if webhook.alerts and not statuses:
        raise ValidationFailed(
            f"No alert has the label '{label}'. Set another one with --label."
        )
    return [build_measurement(slug, statuses[slug], now) for slug in statuses]


def _worst_statuses(
    alerts: Iterable[Alert], names: ServiceNames, label: str
) -> dict[str, MeasurementStatus]:
    """Return the worst status of each service, by slug."""
    statuses: dict[str, MeasurementStatus] = {}
    for alert in alerts:
        if alert.labels.get(label):
            slug = names.slug(alert.labels[label])
            candidates = (statuses.get(slug, "operational"), alert.service_status)
            statuses[slug] = max(candidates, key=_FROM_BEST.index)
    return statuses
