"""The events of the sample world: its incidents and maintenance windows."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from models.status.state import IncidentStatus, Severity


@dataclass(frozen=True)
class Entry:
    """An entry of a timeline, so many minutes after the incident started."""

    minutes: int
    status: IncidentStatus
    body: str


@dataclass(frozen=True)
class Outage:
    """An incident; with a fix in place (monitoring) its services answer again."""

    title: str
    severity: Severity
    services: tuple[str, ...]
    started_at: datetime
    entries: tuple[Entry, ...]

    @property
    def announced_at(self) -> datetime:
        return self.at(self.entries[0])

    def at(self, entry: Entry) -> datetime:
        return self.started_at + timedelta(minutes=entry.minutes)

    def fixed_at(self, now: datetime) -> datetime:
        """Return when the fix was in place, or `now` if there is none."""
        fixed = [self.at(each) for each in self.entries if each.status == "monitoring"]
        return min(fixed, default=now)


@dataclass(frozen=True)
class PlannedWork:
    """A maintenance window."""

    title: str
    description: str
    services: tuple[str, ...]
    announced_at: datetime
    starts_at: datetime
    lasting: timedelta

    @property
    def ends_at(self) -> datetime:
        return self.starts_at + self.lasting


Event = Outage | PlannedWork


def events(now: datetime) -> list[Event]:
    """Return all events, in the order of their announcement."""
    return sorted(
        [*outages(now), *planned_works(now)], key=lambda each: each.announced_at
    )


def outages(now: datetime) -> tuple[Outage, ...]:
    """Return the incidents, oldest first; the last is still running."""
    return (
        Outage(
            "Sign-in unavailable",
            "major-outage",
            ("accounts", "dashboard"),
            _time_of_day(now, -21, 9, 12),
            SIGN_IN,
        ),
        Outage(
            "Slow search results",
            "degraded",
            ("search",),
            _time_of_day(now, -10, 13, 40),
            SLOW_SEARCH,
        ),
        Outage(
            "Slow uploads to object storage",
            "degraded",
            ("object-storage",),
            now.replace(second=0, microsecond=0) - timedelta(minutes=40),
            SLOW_UPLOADS,
        ),
    )


def planned_works(now: datetime) -> tuple[PlannedWork, ...]:
    """Return the windows: one that is over, and one in two days."""
    return (
        PlannedWork(
            "PostgreSQL minor version upgrade",
            "We are upgrading all databases to the newest minor version."
            " Databases cannot be reached during the window."
            " Applications that connect again afterwards need no change.",
            ("managed-postgresql",),
            _time_of_day(now, -19, 10, 0),
            _time_of_day(now, -14, 22, 0),
            timedelta(minutes=90),
        ),
        PlannedWork(
            "Git hosting storage migration",
            "We are moving repositories to new storage."
            " During the window repositories can be read but not written to:"
            " pushes and merges are refused, and CI runs start again afterwards.",
            ("git-hosting", "ci-runners"),
            _time_of_day(now, -5, 10, 0),
            _time_of_day(now, 2, 5, 0),
            timedelta(hours=2),
        ),
    )


def _time_of_day(now: datetime, days: int, hour: int, minute: int) -> datetime:
    """Return a time of day, so many days from today, in UTC."""
    today = now.astimezone(UTC).replace(hour=hour, minute=minute, second=0)
    return today.replace(microsecond=0) + timedelta(days=days)


SIGN_IN = (
    Entry(
        4,
        "investigating",
        "Sign-in fails for all customers, and the dashboard cannot be opened."
        " Running services and API keys are not affected."
        " We are looking for the cause.",
    ),
    Entry(
        19,
        "identified",
        "The session store refuses connections because its certificate has expired."
        " A new certificate is being issued.",
    ),
    Entry(
        47,
        "identified",
        "The new certificate is in place on the first of three nodes."
        " We are replacing it on the others one at a time, so that existing"
        " sessions are kept.",
    ),
    Entry(
        74,
        "monitoring",
        "All nodes have the new certificate and sign-in works again."
        " We are watching error rates before we close this incident.",
    ),
    Entry(
        128,
        "resolved",
        "Sign-in has been stable for almost an hour."
        " The certificate was missing from automatic renewal. It has been added,"
        " and we now raise an alarm 14 days before any certificate expires.",
    ),
)

SLOW_SEARCH = (
    Entry(
        9,
        "investigating",
        "Search queries take several seconds for some customers."
        " Results are complete and correct.",
    ),
    Entry(
        31,
        "identified",
        "A large index is being rebuilt on the same machines that answer queries."
        " We have paused the rebuild and are moving it elsewhere.",
    ),
    Entry(
        83,
        "monitoring",
        "Response times are back to normal. The rebuild continues on its own machines.",
    ),
    Entry(
        140,
        "resolved",
        "The rebuild has finished and response times have stayed normal.",
    ),
)

SLOW_UPLOADS = (
    Entry(
        5,
        "investigating",
        "Uploads to object storage are slower than usual."
        " Downloads work normally and no data is at risk.",
    ),
    Entry(
        22,
        "identified",
        "One data centre has lost part of its network capacity."
        " We are sending new uploads to the other two while it is repaired.",
    ),
)
