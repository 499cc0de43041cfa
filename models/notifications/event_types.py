"""
Name the events, and which of them subscriptions of each channel take.

The module is pure: it reads no rows, no clock and no settings.
"""

from typing import Literal, get_args

EventType = Literal[
    "incident.opened",
    "incident.updated",
    "incident.resolved",
    "incident.reopened",
    "maintenance.scheduled",
    "maintenance.changed",
    "maintenance.started",
    "maintenance.completed",
    "maintenance.cancelled",
    "service.state-changed",
    "document.published",
    "document.unpublished",
    "incident.reminder",
    "maintenance.reminder",
]
# Messages about a subscription itself, such as that which confirms it.
MessageType = Literal[
    "subscription.confirm", "subscription.manage", "subscription.test"
]
# How each of them writes is in sitegen/messages/.
Channel = Literal["email", "webhook", "slack", "discord", "teams"]

EVENT_TYPES: tuple[EventType, ...] = get_args(EventType)
CHANNELS: tuple[Channel, ...] = get_args(Channel)

# For tools: people get incidents and maintenance.
WEBHOOKS_ONLY: frozenset[EventType] = frozenset(
    {"service.state-changed", "document.published", "document.unpublished"}
)
# For operators, who ask for them by name: nobody gets them by default.
REMINDERS: frozenset[EventType] = frozenset(
    {"incident.reminder", "maintenance.reminder"}
)
# Of one subject, these get the newest event alone if earlier ones are unsent.
COLLAPSING_CHANNELS: frozenset[Channel] = frozenset(CHANNELS) - {"webhook"}


def events_of_channel(channel: Channel) -> tuple[EventType, ...]:
    """Return the events that the channel takes, in their usual order."""
    if channel == "webhook":
        return EVENT_TYPES
    return tuple(event for event in EVENT_TYPES if event not in WEBHOOKS_ONLY)


def default_events(channel: Channel) -> tuple[EventType, ...]:
    """Return the events of a subscription that names none."""
    return tuple(
        event for event in events_of_channel(channel) if event not in REMINDERS
    )
