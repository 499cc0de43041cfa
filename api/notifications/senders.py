"""Send rendered messages: over HTTP to tools and chat rooms, by mail to readers."""

import base64
import hmac
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from api.notifications.dispatcher import Dispatcher, Sender
from api.notifications.http_sender import HttpSender
from api.notifications.mail_sender import MailSender
from models.changes import built_generations, published_generations
from models.logs import LogLine
from models.notifications.addresses.mail_relay import parse_mail_relay, parse_mailbox
from models.notifications.deliveries.attempts import Attempt
from models.notifications.deliveries.outcomes import Outcome
from models.notifications.event_types import CHANNELS
from models.notifications.subscriptions.secrets import SECRET_PREFIX
from models.settings import Settings

log = logging.getLogger("masthead.notifications")

# Relays close a connection after some mails, and limit how many are open.
BATCH_SIZE = 50
MAX_BATCHES = 4

# Returns the message of an attempt that is made now, as its channel transmits it.
RenderMessage = Callable[[Attempt, datetime], bytes]


def create_dispatcher(
    settings: Settings,
    clock: Callable[[], datetime],
    render_message: RenderMessage,
    is_leader: Callable[[], bool],
) -> Dispatcher:
    """Return what notifies subscribers, once readers see what it is about."""

    def find_live() -> Mapping[str, int]:
        if settings.publish:
            return published_generations(settings.publish_location)
        return built_generations()

    return Dispatcher(
        clock,
        create_senders(settings, clock, render_message),
        find_live=find_live,
        is_leader=is_leader,
    )


def create_senders(
    settings: Settings, clock: Callable[[], datetime], render_message: RenderMessage
) -> dict[str, Sender]:
    """Return a sender for each channel: for e-mail only if there is a relay."""
    http = HttpSender(settings.notify_networks, clock)
    webhooks = Sender(WebhookSender(http, clock, render_message).send)
    senders: dict[str, Sender] = {
        name: webhooks for name in CHANNELS if name != "email"
    }
    if settings.smtp:
        mails = EmailSender(settings, clock, render_message)
        senders["email"] = Sender(mails.send, BATCH_SIZE, MAX_BATCHES)
    return senders


@dataclass(frozen=True)
class WebhookSender:
    """Posts messages to webhooks of tools, which are signed, and of chat rooms."""

    http: HttpSender
    clock: Callable[[], datetime]
    render_message: RenderMessage

    def send(self, batch: Sequence[Attempt]) -> Iterator[tuple[Attempt, Outcome]]:
        for attempt in batch:
            now = self.clock()
            body = self.render_message(attempt, now)
            headers = {"Content-Type": "application/json"}
            if attempt.channel == "webhook":
                id, secrets = attempt.delivery_id, attempt.secrets
                headers |= signature_headers(id, now, body, secrets)
            yield attempt, self.http.send(attempt.address, headers, body)


def signature_headers(
    message_id: str, sent_at: datetime, body: bytes, secrets: Sequence[str]
) -> dict[str, str]:
    """
    Return the headers of Standard Webhooks 1.0.0, with a signature for each secret.

    The id is the same for all attempts; the time is that of this attempt.
    """
    timestamp = str(int(sent_at.timestamp()))
    content = f"{message_id}.{timestamp}.".encode() + body
    signatures = []
    for secret in secrets:
        key = base64.b64decode(secret.removeprefix(SECRET_PREFIX), validate=True)
        digest = hmac.digest(key, content, "sha256")
        signatures.append(f"v1,{base64.b64encode(digest).decode()}")
    return {
        "webhook-id": message_id,
        "webhook-timestamp": timestamp,
        "webhook-signature": " ".join(signatures),
    }


@dataclass(frozen=True)
class EmailSender:
    """Sends the mails of a batch over one connection; MASTHEAD_SMTP must be set."""

    settings: Settings
    clock: Callable[[], datetime]
    render_message: RenderMessage

    def send(self, batch: Sequence[Attempt]) -> Iterator[tuple[Attempt, Outcome]]:
        settings = self.settings
        with MailSender(
            parse_mail_relay(settings.smtp),
            parse_mailbox(settings.mail_from),
            password_file=settings.smtp_password_file,
            networks=settings.notify_networks,
        ) as relay:
            for attempt in batch:
                yield attempt, self._send(attempt, relay)

    def _send(self, attempt: Attempt, relay: MailSender) -> Outcome:
        try:
            mail = self.render_message(attempt, self.clock())
        except Exception:
            # A bug, which must not fail the other mails of the batch.
            log.exception(LogLine(notifications="failed", channel="email"))
            detail = "The e-mail could not be assembled."
            return Outcome(is_delivered=False, answer=detail, is_internal=True)
        return relay.send(mail, attempt.address)
