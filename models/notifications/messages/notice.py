"""
Describe an event in words, for chat rooms and mails.

The module is pure: it reads no rows, no clock and no settings.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from models.locales import Locale

# What decides the colour of a notice: the states of a service.
NoticeState = Literal[
    "operational", "maintenance", "degraded", "partial-outage", "major-outage"
]


@dataclass(frozen=True)
class Notice:
    """
    What a person is told of an event of an incident or a maintenance window.

    It is the same in every language, except for that of a test.
    """

    type: str
    site_name: str
    # The title that the operator gave the incident or the window; one line.
    title: str
    # The status of an incident, such as "identified"; None for a window.
    status: str | None
    # The newest message in Markdown; "" if there is none that is new.
    text: str
    state: NoticeState
    # The names of the affected services, in their order.
    services: tuple[str, ...]
    # When the incident or the window starts, and when it ends, if that is known.
    starts_at: datetime
    ends_at: datetime | None
    # The public page of the incident or the window.
    url: str
    at: datetime

    def headline(self, locale: Locale) -> str:
        """Return what happened: "Incident update"."""
        return locale.text(f"notice.{self.type}")

    def severity(self, locale: Locale) -> str:
        """Return the severity of an open incident; "" for anything else."""
        is_open = self.status is not None and self.state != "operational"
        return locale.text(f"state.{self.state}") if is_open else ""


def notice_of(
    type: str,
    data: Mapping[str, Any],
    site_name: str,
    at: datetime,
    told_at: datetime | None = None,
) -> Notice:
    """
    Return the notice of an event with the `data` of its webhook.

    `told_at` is the time of the last event of the same subject that its receiver has:
    the words of an update which they have are not repeated.
    """
    if type.startswith("incident."):
        incident = data["incident"]["incident"]
        updates = data["incident"]["updates"]
        is_over = incident["status"] == "resolved"
        return Notice(
            type=type,
            site_name=site_name,
            title=incident["title"],
            status=incident["status"],
            text="" if _has_been_told(type, updates, told_at) else updates[-1]["body"],
            state="operational" if is_over else incident["severity"],
            services=_names(incident),
            starts_at=_moment(incident["startedAt"]),
            ends_at=_moment(incident["resolvedAt"]) if is_over else None,
            url=data["url"],
            at=at,
        )
    window = data["maintenance"]
    is_over = window["status"] in ("completed", "cancelled")
    return Notice(
        type=type,
        site_name=site_name,
        title=window["title"],
        status=None,
        text=window["description"] or "",
        state="operational" if is_over else "maintenance",
        services=_names(window),
        starts_at=_moment(window["startsAt"]),
        ends_at=_moment(window["endsAt"]),
        url=data["url"],
        at=at,
    )


def trial_notice(site_name: str, site_url: str, at: datetime, locale: Locale) -> Notice:
    """Return a notice by which an operator sees whether notices arrive."""
    return Notice(
        type="subscription.test",
        site_name=site_name,
        title=locale.text("notice.test-title", site=site_name),
        status=None,
        text=locale.text("notice.test-text"),
        state="operational",
        services=(),
        starts_at=at,
        ends_at=None,
        url=f"{site_url}/status/",
        at=at,
    )


def _has_been_told(
    type: str, updates: Sequence[Mapping[str, Any]], told_at: datetime | None
) -> bool:
    """Return whether the newest update is not news; a reminder reminds of it."""
    if not updates:
        return True
    is_reminder = type == "incident.reminder"
    is_old = told_at is not None and _moment(updates[-1]["createdAt"]) <= told_at
    return is_old and not is_reminder


def _names(subject: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(service["name"] for service in subject["services"])


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)
