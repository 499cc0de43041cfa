"""
Name the events that subscribers are told of, and which of them each channel takes.

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
Channel = Literal["email", "webhook", "slack", "discord", "teams"]

EVENT_TYPES: tuple[EventType, ...] = get_args(EventType)
CHANNELS: tuple[Channel, ...] = get_args(Channel)

# For tools: people are told of incidents and maintenance.
WEBHOOKS_ONLY: frozenset[EventType] = frozenset(
    {"service.state-changed", "document.published", "document.unpublished"}
)
# For operators, who ask for them by name: nobody gets them by default.
REMINDERS: frozenset[EventType] = frozenset(
    {"incident.reminder", "maintenance.reminder"}
)
# These are told of the newest event alone, if earlier ones of it are unsent.
COLLAPSING_CHANNELS: frozenset[Channel] = frozenset(
    {"email", "slack", "discord", "teams"}
)


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
