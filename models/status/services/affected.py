"""Which services an incident or a maintenance window affects."""

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from peewee import JOIN, AutoField, ForeignKeyField, TextField

from models.base import Change, Row, Schema
from models.fields import StatusSlug
from models.status.services.catalogue import ServiceRow, services_named


class StatusAffectedService(Schema):
    slug: StatusSlug
    name: str


class AffectedRow(Row):
    """
    A service that an incident or a window names, by the id of that subject.

    It keeps slug and name of its own for the day the service is purged; until
    then the service's own name is the one to show.
    """

    service_id: int | None

    number = AutoField()
    subject = TextField(index=True)
    service = ForeignKeyField(ServiceRow, null=True, on_delete="SET NULL")
    slug = TextField()
    kept_name = TextField()

    class Meta:
        indexes = ((("slug", "subject"), False),)

    @property
    def name(self) -> str:
        return self.service.name if self.service else self.kept_name


def set_affected(subject: str, slugs: Iterable[str]) -> None:
    """Let the subject affect these services and no others."""
    services = services_named(slugs)
    AffectedRow.delete().where(AffectedRow.subject == subject).execute()
    for each in services:
        AffectedRow.create(
            subject=subject, service=each.number, slug=each.slug, kept_name=each.name
        )


def keep_name(service: ServiceRow) -> None:
    """Keep the name of a service that is about to be purged."""
    rows = AffectedRow.update(kept_name=service.name)
    rows.where(AffectedRow.service == service.number).execute()


def change_subject(
    subject: Any, wanted: dict[str, Any], slugs: list[str] | None, now: datetime
) -> dict[str, Change]:
    """Change an incident or a window, and which services it affects, at one time."""
    changes: dict[str, Change] = subject.change(wanted, now)
    if slugs is None:
        return changes
    before = [each.slug for each in subject.services]
    tied = [each.service_id for each in subject.services]
    named = list(dict.fromkeys(slugs))
    # A purged service that was added again has the slug and is another service:
    # naming it ties the subject to the one that is there now.
    if named == before and tied == [each.number for each in services_named(named)]:
        return changes
    set_affected(subject.id, named)
    if not changes:
        subject.touch(now)
    return changes | {"services": (before, named)}


def subjects_named(slug: str) -> Any:
    """Return, for a query, the ids of what names the slug, purged ones included."""
    return AffectedRow.select(AffectedRow.subject).where(AffectedRow.slug == slug)


def subjects_affecting(service: ServiceRow) -> Any:
    """
    Return, for a query, the ids of what affects the service.

    What affected a purged service of the same slug is not its own.
    """
    rows = AffectedRow.select(AffectedRow.subject)
    return rows.where(AffectedRow.service == service.number)


def affected_by(subjects: Iterable[str]) -> dict[str, list[AffectedRow]]:
    """Return the services of each subject, in the order in which they were named."""
    found: dict[str, list[AffectedRow]] = defaultdict(list)
    query = (
        AffectedRow.select(AffectedRow, ServiceRow.number, ServiceRow.name)
        .join(ServiceRow, JOIN.LEFT_OUTER)
        .where(AffectedRow.subject.in_(list(subjects)))
        .order_by(AffectedRow.number)
    )
    for row in query:
        found[row.subject].append(row)
    return found
