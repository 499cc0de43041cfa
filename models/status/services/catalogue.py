"""The catalogue of services: added, updated, taken off the page, purged."""

from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Any

from peewee import (
    AutoField,
    BooleanField,
    IntegerField,
    TextField,
)
from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema

from models.audit import AuditTarget
from models.base import Change, MomentField, Row, Schema, new_id
from models.errors import ReferenceNotFound, ServiceNotFound, SlugTaken
from models.fields import (
    TRIMMED,
    MayOmit,
    Moment,
    SingleLine,
    StatusSlug,
    WholeNumber,
    null_if_empty,
    parse_boolean,
)
from models.status.uptime.uptime import Period
from models.storage.database import database

ServiceName = Annotated[str, TRIMMED, Field(min_length=1, max_length=120), SingleLine]
Description = Annotated[str, Field(max_length=280)]
Hostname = Annotated[str, TRIMMED, Field(max_length=253), SingleLine]
Group = Annotated[str, TRIMMED, Field(max_length=64), SingleLine]
DisplayOrder = Annotated[WholeNumber, Field(ge=0, le=10_000)]
Blank = AfterValidator(null_if_empty)
Services = Annotated[list[StatusSlug], Field(min_length=1, max_length=1000)]


class StatusAdminService(Schema):
    id: str
    slug: str
    name: str
    description: str | None
    hostname: str | None
    group: str | None
    display_order: int
    enabled: bool
    created_at: Moment
    updated_at: Moment


class StatusAddService(Schema):
    slug: StatusSlug
    name: ServiceName
    description: Annotated[Description | None, Blank] = None
    hostname: Annotated[Hostname | None, Blank] = None
    group: Annotated[Group | None, Blank] = None
    display_order: DisplayOrder = 0
    enabled: bool = True


class StatusUpdateService(Schema):
    slug: StatusSlug
    name: MayOmit[ServiceName] = None
    description: Annotated[Description | None, Blank] = None
    hostname: Annotated[Hostname | None, Blank] = None
    group: Annotated[Group | None, Blank] = None
    display_order: MayOmit[DisplayOrder] = None
    enabled: MayOmit[bool] = None


def _flag_or_default(value: Any) -> Any:
    return True if value in ("", "null") else parse_boolean(value)


class ListAdminServices(Schema):
    """`null` and nothing at all are the default, as spec.md's "or null" says."""

    include_disabled: Annotated[
        bool,
        BeforeValidator(_flag_or_default),
        WithJsonSchema(
            {"anyOf": [{"type": "boolean"}, {"type": "string", "enum": ["null", ""]}]}
        ),
    ] = True


class GetUptime(Schema):
    slug: str
    period: Period = "24h"


class ServiceRow(Row):
    # Measurements point at the short number, everyone else at the id.
    number = AutoField()
    id = TextField(unique=True)
    slug = TextField(unique=True)
    name = TextField()
    description = TextField(null=True)
    hostname = TextField(null=True)
    group = TextField(null=True)
    display_order = IntegerField()
    enabled = BooleanField()
    created_at = MomentField()
    updated_at = MomentField()

    @property
    def audited(self) -> AuditTarget:
        return AuditTarget("service", self.id, self.slug)


def add_service(request: StatusAddService, now: datetime) -> ServiceRow:
    if ServiceRow.select().where(ServiceRow.slug == request.slug).exists():
        raise SlugTaken(f"A service with the slug '{request.slug}' exists already.")
    return ServiceRow.create(
        id=new_id(now), created_at=now, updated_at=now, **request.all_fields()
    )


def update_service(
    request: StatusUpdateService, now: datetime
) -> tuple[ServiceRow, dict[str, Change]]:
    """Change what was sent and differs; return the service and what changed."""
    service = service_named(request.slug)
    return service, service.change(request.sent_fields(), now)


def services_in_order(*, include_disabled: bool = False) -> list[ServiceRow]:
    """Return the catalogue in display order: by number, then name, then slug."""
    query = ServiceRow.select()
    if not include_disabled:
        query = query.where(ServiceRow.enabled)
    return list(
        query.order_by(ServiceRow.display_order, ServiceRow.name, ServiceRow.slug)
    )


def service_named(slug: str) -> ServiceRow:
    """Return the service, on the page or off it."""
    service = ServiceRow.get_or_none(ServiceRow.slug == slug)
    if service is None:
        raise ServiceNotFound(f"No service has the slug '{slug}'.")
    return service


def shown_service(slug: str) -> ServiceRow:
    """Return a service that is on the page; one taken off is not found."""
    service = ServiceRow.get_or_none(ServiceRow.slug == slug, ServiceRow.enabled)
    if service is None:
        raise ServiceNotFound(f"No service has the slug '{slug}'.")
    return service


def services_named(slugs: Iterable[str]) -> list[ServiceRow]:
    """Return the services in the order named, each once, or refuse by name."""
    wanted = list(dict.fromkeys(slugs))
    found = {
        row.slug: row for row in ServiceRow.select().where(ServiceRow.slug.in_(wanted))
    }
    missing = [slug for slug in wanted if slug not in found]
    if missing:
        names = ", ".join(f"'{slug}'" for slug in missing)
        raise ReferenceNotFound(f"No service has the slug {names}.")
    return [found[slug] for slug in wanted]


def numbers_by_slug() -> dict[str, int]:
    """Return every service's number; a probe's batch asks for nothing else."""
    return dict(database.execute_sql("SELECT slug, number FROM service"))
