"""Which incidents there are: in pages, since a time, all of them."""

from datetime import datetime
from typing import Annotated, Literal

from peewee import ModelSelect
from pydantic import Field

from models.errors import ValidationFailed
from models.fields import Moment
from models.pagination import CursorQuery, Page, cursor_page, descending
from models.status.incidents.incidents import IncidentRow, with_services
from models.status.services.affected import subjects_affecting, subjects_named
from models.status.services.catalogue import ServiceRow


class ListIncidents(CursorQuery):
    status: Literal["active", "resolved"] | None = None
    slug: str | None = None
    from_: Annotated[Moment | None, Field(alias="from")] = None
    to: Moment | None = None


def incidents_listed(query: ListIncidents, now: datetime) -> Page[IncidentRow]:
    """Return a page, newest first; from and to select by overlap."""
    require_range(query.from_, query.to)
    rows = IncidentRow.select()
    if query.status is not None:
        is_resolved = IncidentRow.status == "resolved"
        rows = rows.where(is_resolved if query.status == "resolved" else ~is_resolved)
    if query.slug is not None:
        rows = rows.where(IncidentRow.id.in_(subjects_named(query.slug)))
    if query.to is not None:
        rows = rows.where(IncidentRow.started_at < query.to)
    if query.from_ is not None:
        ended = IncidentRow.resolved_at > query.from_
        if now > query.from_:
            ended |= IncidentRow.resolved_at.is_null()
        rows = rows.where(ended)
    page = cursor_page(
        rows, query, descending(IncidentRow.started_at), descending(IncidentRow.id)
    )
    return Page(with_services(page.items), page.meta)


def incidents_since(
    since: datetime, service: ServiceRow | None = None
) -> list[IncidentRow]:
    """Return what is unresolved or was resolved since, newest first."""
    query = IncidentRow.select().where(
        IncidentRow.resolved_at.is_null() | (IncidentRow.resolved_at > since)
    )
    if service is not None:
        query = query.where(IncidentRow.id.in_(subjects_affecting(service)))
    return in_order(query)


def all_incidents() -> list[IncidentRow]:
    return in_order(IncidentRow.select())


def in_order(query: "ModelSelect[IncidentRow]") -> list[IncidentRow]:
    newest = query.order_by(IncidentRow.started_at.desc(), IncidentRow.id.desc())
    return with_services(list(newest))


def require_range(start: datetime | None, end: datetime | None) -> None:
    if start and end and end < start:
        error = {
            "parameter": "to",
            "code": "range",
            "detail": "Must not be before from.",
        }
        raise ValidationFailed("The parameter to is before from.", error)
