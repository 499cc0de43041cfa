"""Create what delivers: the channels that the settings make available."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import get_args

from api.notifications.chat_channel import ChatSender
from api.notifications.dispatcher import Dispatcher, Sender
from api.notifications.email_channel import BATCH_SIZE, MAX_BATCHES, EmailSender
from api.notifications.http_sender import HttpSender
from api.notifications.webhook_channel import WebhookSender
from models.changes import built_generations, published_generations
from models.notifications.messages.chat_messages import ChatChannel
from models.notifications.messages.message_text import ParseMessage
from models.settings import Settings


def create_senders(
    settings: Settings,
    clock: Callable[[], datetime],
    parse: ParseMessage,
) -> Mapping[str, Sender]:
    """Return a sender for each channel that the settings make available."""
    http = HttpSender(settings.notify_networks, clock)
    chat = Sender(ChatSender(settings, http, parse).send)
    senders = dict.fromkeys(get_args(ChatChannel), chat)
    senders["webhook"] = Sender(WebhookSender(settings, http, clock).send)
    if settings.smtp:
        email = EmailSender(settings, clock, parse)
        senders["email"] = Sender(email.send, BATCH_SIZE, MAX_BATCHES)
    return senders


def create_dispatcher(
    settings: Settings,
    clock: Callable[[], datetime],
    parse: ParseMessage,
    is_leader: Callable[[], bool],
) -> Dispatcher:
    """Return what notifies subscribers, once readers see what it is about."""

    def find_live() -> Mapping[str, int]:
        if settings.publish:
            return published_generations(settings.publish_location)
        return built_generations()

    return Dispatcher(
        clock,
        create_senders(settings, clock, parse),
        find_live=find_live,
        is_leader=is_leader,
    )
