"""Which incidents there are: in pages, since a time, all of them."""

from datetime import datetime
from typing import Annotated, Literal

from peewee import ModelSelect
from pydantic import Field

from models.errors import ValidationFailed
from models.pagination import CursorQuery, Page, descending, page_of
from models.status.affected import subjects_affecting, subjects_named
from models.status.incidents import IncidentRow, with_services
from models.status.services import ServiceRow
from models.words import Moment


class ListIncidents(CursorQuery):
    status: Literal["active", "resolved"] | None = None
    slug: str | None = None
    from_: Annotated[Moment | None, Field(alias="from")] = None
    to: Moment | None = None


def incidents_listed(asked: ListIncidents, now: datetime) -> Page[IncidentRow]:
    """Return a page, newest first; from and to select by overlap."""
    require_range(asked.from_, asked.to)
    query = IncidentRow.select()
    if asked.status is not None:
        is_resolved = IncidentRow.status == "resolved"
        query = query.where(is_resolved if asked.status == "resolved" else ~is_resolved)
    if asked.slug is not None:
        query = query.where(IncidentRow.id.in_(subjects_named(asked.slug)))
    if asked.to is not None:
        query = query.where(IncidentRow.started_at < asked.to)
    if asked.from_ is not None:
        ended = IncidentRow.resolved_at > asked.from_
        if now > asked.from_:
            ended |= IncidentRow.resolved_at.is_null()
        query = query.where(ended)
    page = page_of(
        query, asked, descending(IncidentRow.started_at), descending(IncidentRow.id)
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
