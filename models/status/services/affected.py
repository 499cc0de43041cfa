"""Find and set the services that an incident or a maintenance window affects."""

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Any, TypeVar

from peewee import JOIN, ModelSelect

from models.base import Change, Row, Schema
from models.fields import StatusSlug
from models.status import descriptions
from models.status.services.catalogue import services_with_slugs
from models.status.services.rows import AffectedRow, ServiceRow

# The row of incidents or of maintenance windows.
AnySubject = TypeVar("AnySubject", bound=Row)


class StatusAffectedService(Schema):
    slug: Annotated[StatusSlug, descriptions.SERVICE_SLUG]
    name: Annotated[str, descriptions.SERVICE_NAME]


def set_affected_services(subject: str, slugs: Iterable[str]) -> None:
    """Replace the services that the subject affects; raise ReferenceNotFound."""
    services = services_with_slugs(slugs)
    AffectedRow.delete().where(AffectedRow.subject == subject).execute()
    for service in services:
        AffectedRow.create(
            subject=subject,
            service=service.number,
            slug=service.slug,
            kept_name=service.name,
        )


def update_subject(
    subject: Any, values: dict[str, Any], slugs: list[str] | None, now: datetime
) -> dict[str, Change]:
    """
    Update an incident or a window and, unless `slugs` is None, its services.

    Return what changed.
    """
    changes: dict[str, Change] = subject.change(values, now)
    if slugs is None:
        return changes
    old_slugs = [affected.slug for affected in subject.services]
    old_numbers = [affected.service_id for affected in subject.services]
    new_slugs = list(dict.fromkeys(slugs))
    # A service that was purged and added again has the same slug and another number:
    # naming it makes the subject affect the new service.
    if new_slugs == old_slugs and old_numbers == [
        service.number for service in services_with_slugs(new_slugs)
    ]:
        return changes
    set_affected_services(subject.id, new_slugs)
    if not changes:
        subject.touch(now)
    return changes | {"services": (old_slugs, new_slugs)}


def not_removed(model: type[AnySubject]) -> "ModelSelect[AnySubject]":
    """Return a query for all incidents or windows that were not removed."""
    row: Any = model
    rows: ModelSelect[AnySubject] = row.select().where(row.removed_at.is_null())
    return rows


def removed_ids(model: Any) -> list[str]:
    """Return the ids of all removed incidents or windows, oldest first."""
    removed = model.select(model.id).where(model.removed_at.is_null(False))
    return [row.id for row in removed.order_by(model.id)]


def load_services(subjects: list[AnySubject]) -> list[AnySubject]:
    """Set the services of each incident or window; return them."""
    rows: list[Any] = subjects
    affected = affected_services(row.id for row in rows)
    for row in rows:
        row.services = affected[row.id]
    return subjects


def subjects_with_slug(slug: str) -> Any:
    """Return a query for the ids of subjects that name the slug, even if purged."""
    return AffectedRow.select(AffectedRow.subject).where(AffectedRow.slug == slug)


def subjects_affecting(service: ServiceRow) -> Any:
    """
    Return a query for the ids of subjects that affect the service.

    Subjects of a purged service with the same slug are not among them.
    """
    rows = AffectedRow.select(AffectedRow.subject)
    return rows.where(AffectedRow.service == service.number)


def affected_services(subjects: Iterable[str]) -> dict[str, list[AffectedRow]]:
    """Return the services of each subject, in the order in which they were named."""
    affected: dict[str, list[AffectedRow]] = defaultdict(list)
    query = (
        AffectedRow.select(AffectedRow, ServiceRow.number, ServiceRow.name)
        .join(ServiceRow, JOIN.LEFT_OUTER)
        .where(AffectedRow.subject.in_(list(subjects)))
        .order_by(AffectedRow.number)
    )
    for row in query:
        affected[row.subject].append(row)
    return affected
