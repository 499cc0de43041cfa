"""Webhooks of Prometheus Alertmanager (version 4): alerts become states of services."""

from collections.abc import Iterable
from datetime import datetime
from typing import Literal

from models.errors import ValidationFailed
from models.external_formats import ExternalCamelModel, parse_json
from models.status.converters.samples import Names, sample
from models.status.measurements.measurements import StatusMeasurement
from models.status.state import Measured

# What a firing alert says of its service by its label `severity`; any other word, or
# none, says that something is wrong.
SEVERITIES: dict[str, Measured] = {
    "critical": "down",
    "disaster": "down",
    "emergency": "down",
    "fatal": "down",
    "page": "down",
    "info": "operational",
    "none": "operational",
}
OTHERWISE: Measured = "degraded"
_FROM_BEST = ("operational", "degraded", "down")


class Alert(ExternalCamelModel):
    status: Literal["firing", "resolved"]
    labels: dict[str, str]

    @property
    def said(self) -> Measured:
        if self.status == "resolved":
            return "operational"
        return SEVERITIES.get(self.labels.get("severity", "").lower(), OTHERWISE)


class Webhook(ExternalCamelModel):
    version: Literal["4"]
    truncated_alerts: int = 0
    alerts: list[Alert]


def samples(
    text: str | bytes, names: Names, now: datetime, *, label: str = "service"
) -> list[StatusMeasurement]:
    """
    Return what the alerts say now, a sample for each service that they name.

    The worst alert that fires decides. An alert without the label says nothing of
    any service.
    """
    webhook = parse_json(Webhook, text, "The webhook of Alertmanager")
    if webhook.truncated_alerts:
        raise ValidationFailed(
            f"{webhook.truncated_alerts} alerts were left out of the webhook, and one"
            " of them may be the worst: leave max_alerts at 0."
        )
    found = _worst(webhook.alerts, names, label)
    if webhook.alerts and not found:
        raise ValidationFailed(f"No alert has the label '{label}': name another one.")
    return [
        sample(slug, status=status, observed_at=now) for slug, status in found.items()
    ]


def _worst(alerts: Iterable[Alert], names: Names, label: str) -> dict[str, Measured]:
    found: dict[str, Measured] = {}
    for alert in alerts:
        if alert.labels.get(label):
            slug = names.slug(alert.labels[label])
            said = (found.get(slug, "operational"), alert.said)
            found[slug] = max(said, key=_FROM_BEST.index)
    return found
