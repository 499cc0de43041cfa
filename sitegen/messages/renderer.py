"""
Render the message of a delivery for its channel, in the language of its subscription.

The channel slack is the class Slack in `sitegen/messages/slack.py`, with the template
`templates/messages/slack.json`.
"""

from collections.abc import Callable
from datetime import datetime
from functools import cache
from importlib import import_module
from typing import Protocol

from models.notifications.deliveries.attempts import Attempt
from models.settings import Settings
from sitegen.theme.theme import Theme


class Channel(Protocol):
    """How one channel writes messages."""

    def render(self, attempt: Attempt, now: datetime, theme: Theme) -> bytes:
        """Return the message of an attempt that is made now, as it is transmitted."""


def message_renderer(settings: Settings) -> Callable[[Attempt, datetime], bytes]:
    """Return the function that renders the message of an attempt."""
    site_theme = Theme(settings)

    @cache
    def theme_in(language: str) -> Theme:
        return Theme(settings, language)

    @cache
    def channel_named(name: str) -> Channel:
        module = import_module(f"sitegen.messages.{name}")
        channel: Channel = getattr(module, name.capitalize())(settings)
        return channel

    def render_message(attempt: Attempt, now: datetime) -> bytes:
        theme = theme_in(site_theme.locale_for(attempt.language).tag)
        return channel_named(attempt.channel).render(attempt, now, theme)

    return render_message
