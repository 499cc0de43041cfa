"""Choose the channels over which an instance delivers, by its settings."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import get_args

from api.notifications.chat_channel import ChatSender
from api.notifications.dispatcher import Sender
from api.notifications.email_channel import BATCH_SIZE, MAX_BATCHES, EmailSender
from api.notifications.http_sender import HttpSender
from api.notifications.webhook_channel import WebhookSender
from models.locales import Locale
from models.notifications.messages.chat_messages import ChatChannel
from models.settings import Settings


def create_senders(
    settings: Settings,
    clock: Callable[[], datetime],
    render: Callable[[str, Locale], str],
) -> Mapping[str, Sender]:
    """
    Return a sender for each channel that the settings make available.

    `render` turns the Markdown of a message into HTML, with our words in a language.
    """
    http = HttpSender(settings.notify_networks, clock)
    chat = Sender(ChatSender(settings, http).send)
    senders = dict.fromkeys(get_args(ChatChannel), chat)
    senders["webhook"] = Sender(WebhookSender(settings, http, clock).send)
    if settings.smtp:
        email = EmailSender(settings, clock, render)
        senders["email"] = Sender(email.send, BATCH_SIZE, MAX_BATCHES)
    return senders
