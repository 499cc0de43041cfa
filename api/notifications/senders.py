"""Send what one attempt tells, in the form that its channel takes."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime

from api.notifications.dispatcher import Sender
from api.notifications.email_channel import BATCH_SIZE, MAX_BATCHES, EmailSender
from api.notifications.http_sender import HttpSender
from models.notifications.dispatch import Attempt
from models.notifications.outcomes import Outcome
from models.notifications.webhook_message import webhook_body, webhook_headers
from models.settings import Settings

Result = tuple[Attempt, Outcome]


def create_senders(
    settings: Settings, clock: Callable[[], datetime], render: Callable[[str], str]
) -> Mapping[str, Sender]:
    """
    Return a sender for each channel that the settings make available.

    `render` turns the Markdown of a message into HTML.
    """
    http = HttpSender(settings.notify_networks, clock)
    senders = {"webhook": Sender(WebhookSender(settings.site_url, http, clock).send)}
    if settings.smtp:
        email = EmailSender(settings, clock, render)
        senders["email"] = Sender(email.send, BATCH_SIZE, MAX_BATCHES)
    return senders


class WebhookSender:
    """Posts signed messages to tools."""

    def __init__(
        self, site_url: str, http: HttpSender, clock: Callable[[], datetime]
    ) -> None:
        self._site_url, self._http, self._clock = site_url, http, clock

    def send(self, batch: Sequence[Attempt]) -> Iterator[Result]:
        for attempt in batch:
            data = {**attempt.data, "url": self._site_url + attempt.path}
            body = webhook_body(attempt.type, attempt.at, data)
            headers = webhook_headers(
                attempt.delivery_id, self._clock(), body, attempt.secrets
            )
            yield attempt, self._http.send(attempt.address, headers, body)
