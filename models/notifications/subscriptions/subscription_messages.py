"""Queue the messages of a subscription itself, such as that which confirms it."""

from datetime import datetime
from typing import Literal

from models.base import new_id
from models.notifications.rows import DeliveryRow, SubscriptionRow

MessageType = Literal[
    "subscription.confirm", "subscription.manage", "subscription.test"
]


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
