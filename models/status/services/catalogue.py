"""Add, update, remove and look up the services of the status page."""

from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema

from models.base import Change, Schema, new_id
from models.changes import mark
from models.errors import ReferenceNotFound, ServiceNotFound, SlugTaken
from models.fields import (
    ID,
    TRIMMED,
    CreatedAt,
    MayOmit,
    SingleLine,
    StatusSlug,
    UpdatedAt,
    WholeNumber,
    null_if_empty,
    parse_boolean,
)
from models.status import descriptions
from models.status.importers.imported_rows import ImportedRow
from models.status.services.rows import AffectedRow, ServiceRow
from models.storage.database import database

ServiceName = Annotated[str, TRIMMED, Field(min_length=1, max_length=120), SingleLine]
Description = Annotated[str, Field(max_length=280)]
Hostname = Annotated[str, TRIMMED, Field(max_length=253), SingleLine]
Group = Annotated[str, TRIMMED, Field(max_length=64), SingleLine]
DisplayOrder = Annotated[WholeNumber, Field(ge=0, le=10_000)]
Blank = AfterValidator(null_if_empty)

# What several fields mean.
Enabled = Annotated[
    bool,
    Field(
        description="Whether the service is shown on the status page.", examples=[True]
    ),
]


class StatusAdminService(Schema):
    id: Annotated[str, ID]
    slug: Annotated[str, descriptions.SERVICE_SLUG]
    name: Annotated[str, descriptions.SERVICE_NAME]
    description: Annotated[str | None, descriptions.SERVICE_DESCRIPTION]
    hostname: Annotated[str | None, descriptions.HOSTNAME]
    group: Annotated[str | None, descriptions.GROUP]
    display_order: Annotated[int, descriptions.DISPLAY_ORDER]
    enabled: Enabled
    created_at: CreatedAt
    updated_at: UpdatedAt


class StatusAddService(Schema, example=("description", "group")):
    slug: StatusSlug = Field(
        description="The slug in URLs. It cannot be changed later.", examples=["api"]
    )
    name: Annotated[ServiceName, descriptions.SERVICE_NAME]
    description: Annotated[
        Description | None, Blank, descriptions.SERVICE_DESCRIPTION
    ] = None
    hostname: Annotated[Hostname | None, Blank, descriptions.HOSTNAME] = None
    group: Annotated[Group | None, Blank, descriptions.GROUP] = None
    display_order: Annotated[DisplayOrder, descriptions.DISPLAY_ORDER] = 0
    enabled: Enabled = True


class StatusUpdateService(Schema, example=("name", "displayOrder")):
    slug: Annotated[StatusSlug, descriptions.SERVICE_SLUG]
    name: Annotated[MayOmit[ServiceName], descriptions.SERVICE_NAME] = None
    description: Annotated[
        Description | None, Blank, descriptions.SERVICE_DESCRIPTION
    ] = None
    hostname: Annotated[Hostname | None, Blank, descriptions.HOSTNAME] = None
    group: Annotated[Group | None, Blank, descriptions.GROUP] = None
    display_order: Annotated[MayOmit[DisplayOrder], descriptions.DISPLAY_ORDER] = None
    enabled: MayOmit[Enabled] = None


class StatusRemoveService(Schema, example=("purge",)):
    slug: Annotated[StatusSlug, descriptions.SERVICE_SLUG]
    purge: bool = Field(
        default=False,
        description="Whether to delete the service's measurements and history too.",
    )


class RemovedService(Schema):
    slug: Annotated[str, descriptions.SERVICE_SLUG]
    purged: bool = Field(description="Whether the service's history was deleted too.")


def _flag_or_default(value: Any) -> Any:
    return True if value in ("", "null") else parse_boolean(value)


class ListAdminServices(Schema):
    """`null` and an empty value mean the default: spec.md says "boolean or null"."""

    include_disabled: Annotated[
        bool,
        BeforeValidator(_flag_or_default),
        WithJsonSchema(
            {"anyOf": [{"type": "boolean"}, {"type": "string", "enum": ["null", ""]}]}
        ),
    ] = Field(
        default=True,
        description="Whether to include services that the page does not show.",
    )


def add_service(request: StatusAddService, now: datetime) -> ServiceRow:
    existing = ServiceRow.get_or_none(ServiceRow.slug == request.slug)
    if existing is not None:
        raise SlugTaken(_slug_taken_message(existing))
    _mark_redirects(request.slug)
    return ServiceRow.create(
        id=new_id(now), created_at=now, updated_at=now, **request.all_fields()
    )


def _slug_taken_message(existing: ServiceRow) -> str:
    if existing.enabled:
        return f"A service with the slug '{existing.slug}' already exists."
    return (
        f"A service with the slug '{existing.slug}' already exists, but is disabled or"
        " was removed from the page. To show it again, call services/update with"
        " enabled true; to delete it with its measurements and use the slug anew, call"
        " services/remove with purge true."
    )


def update_service(
    request: StatusUpdateService, now: datetime
) -> tuple[ServiceRow, dict[str, Change]]:
    """Update the fields that were sent; return the service and what changed."""
    service = service_with_slug(request.slug)
    _mark_redirects(request.slug)
    return service, service.change(request.sent_fields(), now)


def remove_service(
    request: StatusRemoveService, now: datetime
) -> tuple[ServiceRow, bool]:
    """
    Disable or purge a service; return it and whether anything changed.

    A purge also deletes its measurements and counters. Incidents and maintenance
    windows keep its slug and its last name.
    """
    service = service_with_slug(request.slug)
    _mark_redirects(request.slug)
    if not request.purge:
        return service, bool(service.change({"enabled": False}, now))
    affected = AffectedRow.update(kept_name=service.name)
    affected.where(AffectedRow.service == service.number).execute()
    service.delete_instance()
    return service, True


def _mark_redirects(slug: str) -> None:
    """
    Mark the docs if an old address leads to the service while it is on the site.

    The redirects from an imported status page are built with the docs.
    """
    row = ImportedRow
    is_redirected = (row.type == "service") & (row.subject == slug)
    if row.select().where(is_redirected & row.address.is_null(False)).exists():
        mark("docs")


def services_in_display_order(*, include_disabled: bool = False) -> list[ServiceRow]:
    """Return the services by display order, then name, then slug."""
    query = ServiceRow.select()
    if not include_disabled:
        query = query.where(ServiceRow.enabled)
    return list(
        query.order_by(ServiceRow.display_order, ServiceRow.name, ServiceRow.slug)
    )


def service_with_slug(slug: str) -> ServiceRow:
    """Return the service, enabled or not; raise ServiceNotFound."""
    service = ServiceRow.get_or_none(ServiceRow.slug == slug)
    if service is None:
        raise ServiceNotFound(f"No service has the slug '{slug}'.")
    return service


def enabled_service(slug: str) -> ServiceRow:
    """Return the service if it is enabled; raise ServiceNotFound."""
    service = ServiceRow.get_or_none(ServiceRow.slug == slug, ServiceRow.enabled)
    if service is None:
        raise ServiceNotFound(f"No service has the slug '{slug}'.")
    return service


def services_with_slugs(slugs: Iterable[str]) -> list[ServiceRow]:
    """Return the services in the order of their slugs; raise ReferenceNotFound."""
    unique_slugs = list(dict.fromkeys(slugs))
    rows = ServiceRow.select().where(ServiceRow.slug.in_(unique_slugs))
    services = {service.slug: service for service in rows}
    missing = [slug for slug in unique_slugs if slug not in services]
    if missing:
        names = ", ".join(f"'{slug}'" for slug in missing)
        raise ReferenceNotFound(f"No service has the slug {names}.")
    return [services[slug] for slug in unique_slugs]


def service_numbers_by_slug() -> dict[str, int]:
    # Fixed SQL: every batch of measurements needs this.
    return dict(database.execute_sql("SELECT slug, number FROM service"))
