"""Create and find subscriptions."""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from models.base import new_id
from models.notifications.event_types import Channel
from models.notifications.rows import SubscriptionRow
from models.notifications.secrets import seal_secret


def create_subscription(
    channel: Channel,
    address: str,
    *,
    folded_address: str,
    events: Sequence[str],
    services: Sequence[str],
    source: Literal["self", "operator"],
    now: datetime,
    language: str | None = None,
    secret: str | None = None,
) -> SubscriptionRow:
    """
    Store a new subscription: active if an operator adds it, otherwise pending.

    `secret` is that of a webhook. The caller makes sure that no live subscription has
    the channel and the folded address.
    """
    id, is_active = new_id(now), source == "operator"
    row: SubscriptionRow = SubscriptionRow.create(
        id=id,
        channel=channel,
        address=address,
        live_key=live_key(channel, folded_address),
        state="active" if is_active else "pending",
        events=events,
        services=services,
        language=language,
        source=source,
        sealed_secret=seal_secret(id, secret) if secret else None,
        created_at=now,
        updated_at=now,
        confirmed_at=now if is_active else None,
    )
    return row


def live_subscription(channel: Channel, folded_address: str) -> SubscriptionRow | None:
    """Return the subscription that has not ended, None if there is none."""
    row: SubscriptionRow | None = SubscriptionRow.get_or_none(
        SubscriptionRow.live_key == live_key(channel, folded_address)
    )
    return row


def live_key(channel: Channel, folded_address: str) -> str:
    return f"{channel} {folded_address}"
