"""Send deliveries again, with the ids that they have."""

from datetime import datetime
from typing import Annotated

from peewee import Expression
from pydantic import Field

from models.base import Schema
from models.errors import LimitExceeded, SubscriptionNotActive, ValidationFailed
from models.fields import EXAMPLE_ID, Id, MayOmit, Moment, format_moment
from models.notifications.deliveries.deliveries import (
    SubscriptionId,
    delivery_with_id,
    require_valid_range,
)
from models.notifications.rows import DeliveryRow, EventRow, SubscriptionRow
from models.notifications.subscriptions.subscriptions import subscription_with_id
from models.storage.database import reading, writing
from models.storage.write_locks import WriteLock

# How many deliveries one request replays.
MAX_REPLAYED = 1000
ENDS_QUARANTINE = " A test that is delivered ends the quarantine: subscriptions/test."


class ReplayDeliveries(Schema, example=("id",)):
    """Either one delivery, or those of a subscription that a time span has."""

    id: MayOmit[Id] = Field(
        default=None,
        description="The ID of the delivery to replay.",
        examples=[EXAMPLE_ID],
    )
    subscription_id: MayOmit[SubscriptionId] = None
    from_: Annotated[MayOmit[Moment], Field(alias="from")] = Field(
        default=None, description="The start of the range of deliveries to replay."
    )
    to: MayOmit[Moment] = Field(
        default=None, description="The end of the range of deliveries to replay."
    )

    @property
    def description(self) -> str:
        """Which deliveries it names, for the audit log."""
        if self.from_ is None or self.to is None:
            return f"delivery: {self.id}"
        return f"created: {format_moment(self.from_)} to {format_moment(self.to)}"


class ReplayedDeliveries(Schema):
    subscription_id: SubscriptionId
    replayed: int = Field(description="How many deliveries are due again.")


def replay_deliveries(
    request: ReplayDeliveries, clock_at: datetime
) -> tuple[SubscriptionRow, int]:
    """
    Make deliveries of events due again; return their subscription, and how many.

    They begin anew, with all attempts. Those that wait or are being sent are left
    alone, and so are those that tell of something that was removed. `clock_at` is the
    time on the clock, at which they are due.
    """
    subscription, chosen = _chosen(request)
    if subscription.state != "active":
        raise SubscriptionNotActive(
            f"The subscription is {subscription.state}, so nothing is delivered to it."
            + (ENDS_QUARANTINE if subscription.state == "quarantined" else "")
        )
    is_finished = DeliveryRow.status.in_(("delivered", "failed", "given-up"))
    withdrawn = EventRow.select(EventRow.number).where(
        EventRow.withdrawn_at.is_null(False)
    )
    condition = chosen & is_finished & DeliveryRow.event.not_in(withdrawn)
    count: int = DeliveryRow.select().where(condition).count()
    if count > MAX_REPLAYED:
        raise LimitExceeded(
            f"The time span has {count} deliveries to replay. A request replays at most"
            f" {MAX_REPLAYED}: send from and to that are closer together."
        )
    DeliveryRow.update(
        status="waiting",
        attempts=0,
        next_attempt_at=clock_at,
        delivered_at=None,
        # A delivery that the receiver has already is the same message again, so a
        # newer event does not replace its text.
        possibly_repeated=DeliveryRow.possibly_repeated
        | (DeliveryRow.status == "delivered"),
    ).where(condition).execute()
    return subscription, count


def retry_unanswered_mails(clock_at: datetime) -> None:
    """
    Make the mails due again that failed because no relay answered.

    Those that the relay put off keep their pause: it may have asked for it.
    """
    mails = SubscriptionRow.select(SubscriptionRow.id).where(
        SubscriptionRow.channel == "email"
    )
    condition = (
        (DeliveryRow.status == "failed")
        & DeliveryRow.status_code.is_null()
        & (DeliveryRow.next_attempt_at > clock_at)
        & DeliveryRow.subscription.in_(mails)
    )
    # In slices, which hold no other write up.
    while numbers := _numbers_of_some(condition):
        with writing(WriteLock.NOTIFICATIONS):
            DeliveryRow.update(next_attempt_at=clock_at).where(
                condition, DeliveryRow.number.in_(numbers)
            ).execute()


def _numbers_of_some(condition: Expression) -> list[int]:
    with reading():
        rows = DeliveryRow.select(DeliveryRow.number).where(condition)
        return [row.number for row in rows.limit(MAX_REPLAYED)]


def _chosen(request: ReplayDeliveries) -> tuple[SubscriptionRow, Expression]:
    """Return the subscription of the deliveries, and the condition for them."""
    span = (request.subscription_id, request.from_, request.to)
    if request.id is not None and span == (None, None, None):
        delivery = delivery_with_id(request.id)
        if delivery.event_id is None:
            detail = (
                "The delivery is a message of the subscription itself."
                " Send a new one with subscriptions/test."
            )
            error = {"pointer": "/id", "code": "event", "detail": detail}
            raise ValidationFailed(detail, error)
        return delivery.subscription, DeliveryRow.number == delivery.number
    if request.id is not None or None in span:
        detail = "Send either id, or subscriptionId with from and to."
        error = {"pointer": "", "code": "combination", "detail": detail}
        raise ValidationFailed(detail, error)
    require_valid_range(request.from_, request.to, place="pointer", name="/to")
    condition = (
        (DeliveryRow.subscription == request.subscription_id)
        & DeliveryRow.event.is_null(False)
        & (DeliveryRow.created_at >= request.from_)
        & (DeliveryRow.created_at < request.to)
    )
    return subscription_with_id(str(request.subscription_id)), condition
