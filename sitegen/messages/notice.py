"""Describe an event for people, who get it as a mail or in a chat room."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from models.locales import Locale
from models.notifications.deliveries.attempts import Attempt
from models.settings import Settings
from models.status.incidents.incidents import StatusIncidentDetail, StatusIncidentUpdate
from models.status.maintenance.windows import StatusMaintenance
from models.status.state import Severity
from sitegen.messages.text_limits import most


@dataclass(frozen=True)
class Notice:
    """
    What mails and chat rooms say of an incident or a maintenance window.

    It is the same in every language, except for that of a test.
    """

    type: str
    # The title that the operator gave the incident or the window; one line.
    title: str
    # The status of an incident, such as "identified"; None for a window.
    status: str | None
    # The newest message in Markdown; "" if there is none that is new.
    text: str
    # The state of a service that decides the colour.
    state: Severity | Literal["operational", "maintenance"]
    # The names of the affected services, in their order.
    services: tuple[str, ...]
    # When the incident or the window starts, and when it ends, if that is known.
    starts_at: datetime
    ends_at: datetime | None
    # The public page of the incident or the window.
    url: str
    # When the event happened.
    at: datetime

    def headline(self, locale: Locale) -> str:
        """Return what happened: "Incident update"."""
        return locale.text(f"notice.{self.type}")

    def severity(self, locale: Locale) -> str:
        """Return the severity of an open incident; "" for anything else."""
        is_open = self.status is not None and self.state != "operational"
        return locale.text(f"state.{self.state}") if is_open else ""

    def list_services(
        self,
        locale: Locale,
        fits: Callable[[Sequence[str]], bool],
        literal: Callable[[str], str] = str,
    ) -> str:
        """Return the first services, as many as fit, and how many more there are."""
        names = [literal(name) for name in self.services]
        shown = names[: max(1, most(len(names), lambda n: fits(names[:n])))]
        if more := len(names) - len(shown):
            shown.append(literal(locale.text("status.more-services", count=more)))
        return locale.join_list(shown)


def notice_of(attempt: Attempt, settings: Settings, locale: Locale) -> Notice:
    """Return the notice of an event, or of a test by which an operator sees one."""
    url = settings.site_url + attempt.path
    if attempt.type.startswith("incident."):
        detail = StatusIncidentDetail.model_validate(attempt.data["incident"])
        incident = detail.incident
        is_over = incident.status == "resolved"
        return Notice(
            type=attempt.type,
            title=incident.title,
            status=incident.status,
            text=_new_text(attempt, detail.updates),
            state="operational" if is_over else incident.severity,
            services=tuple(service.name for service in incident.services),
            starts_at=incident.started_at,
            ends_at=incident.resolved_at if is_over else None,
            url=url,
            at=attempt.at,
        )
    if attempt.type.startswith("maintenance."):
        window = StatusMaintenance.model_validate(attempt.data["maintenance"])
        is_over = window.status in ("completed", "cancelled")
        return Notice(
            type=attempt.type,
            title=window.title,
            status=None,
            text=window.description or "",
            state="operational" if is_over else "maintenance",
            services=tuple(service.name for service in window.services),
            starts_at=window.starts_at,
            ends_at=window.ends_at,
            url=url,
            at=attempt.at,
        )
    return Notice(
        type="subscription.test",
        title=locale.text("notice.test-title", site=settings.site_name),
        status=None,
        text=locale.text("notice.test-text"),
        state="operational",
        services=(),
        starts_at=attempt.at,
        ends_at=None,
        url=f"{settings.site_url}/status/",
        at=attempt.at,
    )


def _new_text(attempt: Attempt, updates: Sequence[StatusIncidentUpdate]) -> str:
    """Return the newest update if the receiver lacks it; a reminder repeats it."""
    if not updates:
        return ""
    newest, delivered_up_to = updates[-1], attempt.delivered_up_to
    is_known = delivered_up_to is not None and newest.created_at <= delivered_up_to
    return "" if is_known and attempt.type != "incident.reminder" else newest.body
