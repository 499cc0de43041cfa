"""Queue and list the deliveries to subscriptions, and what became of them."""

from datetime import datetime
from typing import Annotated, Any, Literal, get_args

from peewee import ModelSelect, fn
from pydantic import Field

from models.base import Schema, new_id
from models.errors import DeliveryNotFound, ValidationFailed
from models.fields import EXAMPLE_ID, ID, CreatedAt, Id, Moment
from models.notifications.event_types import EventType, MessageType
from models.notifications.rows import DeliveryRow, SubscriptionRow
from models.pagination import CursorQuery, Page, cursor_page, descending

DeliveryStatus = Literal["waiting", "sending", "delivered", "failed", "given-up"]
# What is delivered: events, and messages of the subscription itself.
DeliveryType = EventType | MessageType

# What several fields mean.
SubscriptionId = Annotated[
    Id, Field(description="The ID of the subscription.", examples=[EXAMPLE_ID])
]
EVENT = Field(
    description="The type of the event, or of a message of the subscription itself."
)


class Delivery(Schema):
    id: Id = Field(
        description="The ID; webhooks have it in the header webhook-id.",
        examples=[EXAMPLE_ID],
    )
    subscription_id: SubscriptionId
    event: Annotated[DeliveryType, EVENT]
    subject_id: str = Field(
        description="The ID of the incident, maintenance window, service, document or"
        " subscription.",
        examples=[EXAMPLE_ID],
    )
    status: DeliveryStatus = Field(
        description="What became of the delivery.", examples=["delivered"]
    )
    attempts: int = Field(description="How often the delivery was attempted.")
    status_code: int | None = Field(
        description="The HTTP or SMTP code of the last attempt.", examples=[200]
    )
    duration_ms: int | None = Field(
        description="The duration of the last attempt in milliseconds.", examples=[87]
    )
    answer: str | None = Field(
        description="The first 1,024 characters of the answer, or the error.",
        examples=["ok"],
    )
    possibly_repeated: bool = Field(
        description="Whether the receiver may get it twice, with the same ID."
    )
    due_at: Moment = Field(description="When the delivery became due.")
    created_at: CreatedAt
    delivered_at: Moment | None = Field(
        description="When the receiver took the delivery."
    )
    next_attempt_at: Moment | None = Field(
        description="When the delivery is attempted next.", examples=[None]
    )


class GetDelivery(Schema):
    id: Annotated[Id, ID]


class ListDeliveries(CursorQuery, example=("status",)):
    subscription_id: SubscriptionId | None = None
    status: DeliveryStatus | None = Field(
        default=None, description="Deliveries with this status.", examples=["given-up"]
    )
    event: Annotated[DeliveryType | None, EVENT] = None
    from_: Annotated[Moment | None, Field(alias="from")] = Field(
        default=None, description="The start of the range in which it was created."
    )
    to: Moment | None = Field(
        default=None, description="The end of the range in which it was created."
    )


def queue_message(
    subscription: SubscriptionRow, type: MessageType, now: datetime
) -> DeliveryRow:
    """Have a message delivered, inside the transaction of what it is about."""
    row: DeliveryRow = DeliveryRow.create(
        id=new_id(now),
        subscription=subscription.id,
        type=type,
        subject_id=subscription.id,
        status="waiting",
        due_at=now,
        created_at=now,
        next_attempt_at=now,
    )
    return row


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
