"""List the deliveries to subscriptions, and what became of them."""

from datetime import datetime
from typing import Annotated, Any, Literal, get_args

from peewee import ModelSelect, fn
from pydantic import Field

from models.base import Schema
from models.errors import DeliveryNotFound, ValidationFailed
from models.fields import Id, Moment
from models.notifications.event_types import EventType
from models.notifications.rows import DeliveryRow
from models.notifications.subscriptions.subscription_messages import MessageType
from models.pagination import CursorQuery, Page, cursor_page, descending

DeliveryStatus = Literal["waiting", "sending", "delivered", "failed", "given-up"]
# What is delivered: events, and messages of the subscription itself.
DeliveryType = EventType | MessageType


class Delivery(Schema):
    id: Id
    subscription_id: Id
    event: DeliveryType
    subject_id: str
    status: DeliveryStatus
    attempts: int
    status_code: int | None
    duration_ms: int | None
    answer: str | None
    possibly_repeated: bool
    due_at: Moment
    created_at: Moment
    delivered_at: Moment | None
    next_attempt_at: Moment | None


class GetDelivery(Schema):
    id: Id


class ListDeliveries(CursorQuery):
    subscription_id: Id | None = None
    status: DeliveryStatus | None = None
    event: DeliveryType | None = None
    from_: Annotated[Moment | None, Field(alias="from")] = None
    to: Moment | None = None


def delivery_of(row: DeliveryRow) -> Delivery:
    """Return a delivery as responses show it."""
    values = {name: getattr(row, name) for name in Delivery.model_fields}
    return Delivery(**values | {"event": row.type})


def delivery_with_id(id: str) -> DeliveryRow:
    """Return the delivery; raise DeliveryNotFound."""
    row: DeliveryRow | None = DeliveryRow.get_or_none(DeliveryRow.id == id)
    if row is None:
        raise DeliveryNotFound(f"No delivery has the id {id}.")
    return row


def list_deliveries(query: ListDeliveries) -> Page[Delivery]:
    """
    Return a page of deliveries, newest first.

    `from` and `to` select those that were created in that range.
    """
    require_valid_range(query.from_, query.to, place="parameter", name="to")
    rows: ModelSelect[DeliveryRow] = DeliveryRow.select()
    if query.subscription_id is not None:
        rows = rows.where(DeliveryRow.subscription == query.subscription_id)
    if query.status is not None:
        rows = rows.where(DeliveryRow.status == query.status)
    if query.event is not None:
        rows = rows.where(DeliveryRow.type == query.event)
    if query.from_ is not None:
        rows = rows.where(DeliveryRow.created_at >= query.from_)
    if query.to is not None:
        rows = rows.where(DeliveryRow.created_at < query.to)
    page = cursor_page(
        rows,
        query,
        descending(DeliveryRow.created_at),
        descending(DeliveryRow.number),
        weight=lambda row: len(row.answer or ""),
    )
    return Page([delivery_of(row) for row in page.items], page.meta)


def count_deliveries() -> dict[str, int]:
    """Return how many deliveries have each status, 0 for none."""
    rows: Any = (
        DeliveryRow.select(DeliveryRow.status, fn.COUNT(DeliveryRow.number))
        .group_by(DeliveryRow.status)
        .tuples()
    )
    return dict.fromkeys(get_args(DeliveryStatus), 0) | dict(rows)


def give_up_unfinished(subscription_id: str) -> None:
    """Give up what waits for a subscription; an attempt under way is completed."""
    DeliveryRow.update(status="given-up", next_attempt_at=None).where(
        DeliveryRow.subscription == subscription_id,
        DeliveryRow.status.in_(("waiting", "failed")),
    ).execute()


def require_valid_range(
    start: datetime | None, end: datetime | None, *, place: str, name: str
) -> None:
    """Raise ValidationFailed if `to` is before `from`."""
    if start and end and end < start:
        error = {place: name, "code": "range", "detail": "Must not be before from."}
        raise ValidationFailed("to is before from.", error)
