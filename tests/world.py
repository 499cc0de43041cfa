"""The sample world: the fixed content of the tests and of `app.py demo`."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from models import audit, changes
from models.platform.keys import CreateKey, issue_key
from models.projects.projects.activity import ActivityRow
from models.settings import PUBLIC_READS
from models.status.incidents.incidents import (
    StatusAddIncident,
    StatusAddIncidentUpdate,
    add_incident_update,
    open_incident,
)
from models.status.maintenance.windows import StatusAddMaintenance, schedule_maintenance
from models.status.measurements.measurements import StatusRecordMeasurements
from models.status.services.catalogue import add_service
from models.status.services.rows import ServiceRow
from models.storage.database import writing
from tests.factories.history import SEED, current_measurements, history
from tests.factories.platform import announcements
from tests.factories.story import Outage, PlannedWork, events

__all__ = [
    "SEED",
    "People",
    "current_measurements",
    "history",
    "people",
    "platform",
    "populate",
    "sample_measurements",
]

OPERATOR = "operator@example.com"
# The issuer of the keys of the demo.
DEMO_EMAIL = "demo@masthead.example"
DEVELOPER_ACCOUNT = "5d2f0c7e-8a41-4b6d-9f3e-1c70a2b4d685"

# The catalogue is older than the oldest measurement.
FOUNDED = timedelta(days=120)


@dataclass(frozen=True)
class People:
    """The secret of each person's key."""

    operator: str
    developer: str
    probe: str
    stranger: str


def people(now: datetime) -> People:
    """Issue a key to each person of the cast; each call issues new ones."""
    with writing():
        return People(
            operator=_key("Operator", ["*"], now),
            developer=_key(
                "Developer",
                ["platform:developer:*", *PUBLIC_READS],
                now,
                account_id=DEVELOPER_ACCOUNT,
            ),
            probe=_key("Probe", ["status:admin:measurements:record"], now),
            stranger=_key("Stranger", ["elsewhere"], now),
        )


def populate(now: datetime, days: int = 90) -> bool:
    """
    Fill an empty status page completely; return whether anything was added.

    A test that does not depend on long measurements passes fewer days, because nearly
    all of the quarter of a million rows are measurements.
    """
    with writing():
        if ServiceRow.select().exists():
            return False
        platform(now)
        history(now, days)
        _replay(now)
        changes.mark("status")
    return True


def has_sample_services() -> bool:
    """Return whether a service is one that `populate` added."""
    added = audit.AuditRow.select(audit.AuditRow.target_id).where(
        audit.AuditRow.actor == OPERATOR, audit.AuditRow.action == "service.added"
    )
    return bool(ServiceRow.select().where(ServiceRow.id.in_(added)).exists())


def sample_measurements(now: datetime) -> list[StatusRecordMeasurements]:
    """
    Return measurements of the sample services, or an empty list without sample
    services.

    Other services may have the same slugs.
    """
    return current_measurements(now) if has_sample_services() else []


def is_demo() -> bool:
    """Return whether all content was added by the demo, or later."""
    first = [audit.first_record(area) for area in ("platform", "status")]
    actors = {record.actor for record in first if record is not None}
    if actors:
        return actors <= {DEMO_EMAIL, OPERATOR}
    # The docs project is there from the start.
    return ActivityRow.select().count() <= 1


def platform(now: datetime) -> None:
    """Add the services."""
    with writing():
        for each in announcements():
            service = add_service(each, now - FOUNDED)
            _audit("service.added", service.audited, now - FOUNDED)


def _replay(now: datetime) -> None:
    """Add incidents and windows in the order in which they were announced."""
    for each in events(now):
        if isinstance(each, PlannedWork):
            _schedule(each)
        else:
            _add_incident(each)


def _schedule(planned: PlannedWork) -> None:
    request = StatusAddMaintenance(
        title=planned.title,
        description=planned.description,
        starts_at=planned.starts_at,
        ends_at=planned.ends_at,
        services=list(planned.services),
    )
    window = schedule_maintenance(request, planned.announced_at)
    _audit("maintenance.scheduled", window.audited, planned.announced_at)


def _add_incident(outage: Outage) -> None:
    """Open an incident and add the later entries, each at its own time."""
    first, *later = outage.entries
    request = StatusAddIncident(
        title=outage.title,
        severity=outage.severity,
        status=first.status,
        started_at=outage.started_at,
        services=list(outage.services),
        body=first.body,
    )
    incident = open_incident(request, outage.at(first))
    _audit("incident.opened", incident.audited, outage.at(first))
    for entry in later:
        update = StatusAddIncidentUpdate(
            incident_id=incident.id, status=entry.status, body=entry.body
        )
        added = add_incident_update(update, outage.at(entry))
        detail = f"status: {added.status}"
        _audit("incident.update-posted", added.audited, outage.at(entry), detail)


def _key(
    name: str, scopes: list[str], now: datetime, *, account_id: str | None = None
) -> str:
    request = CreateKey(name=name, scopes=scopes)
    key, secret = issue_key(request, now, issuer=OPERATOR, account_id=account_id)
    _audit("add", key.audited, now, area="platform")
    return secret.text


def _audit(
    action: str,
    target: audit.AuditTarget,
    now: datetime,
    detail: str | None = None,
    *,
    area: str = "status",
) -> None:
    audit.append(
        area, actor=OPERATOR, action=action, target=target, now=now, detail=detail
    )
