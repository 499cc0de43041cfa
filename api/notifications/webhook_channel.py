"""Send webhooks: signed messages to tools."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from api.notifications.http_sender import HttpSender
from models.notifications.deliveries.dispatch import Attempt
from models.notifications.deliveries.outcomes import Outcome
from models.notifications.messages.webhook_message import webhook_body, webhook_headers
from models.settings import Settings


@dataclass(frozen=True)
class WebhookSender:
    """Posts events as JSON, signed with the secrets of the webhook."""

    settings: Settings
    http: HttpSender
    clock: Callable[[], datetime]

    def send(self, batch: Sequence[Attempt]) -> Iterator[tuple[Attempt, Outcome]]:
        for attempt in batch:
            data = attempt.data_at(self.settings.site_url)
            body = webhook_body(attempt.type, attempt.at, data)
            headers = webhook_headers(
                attempt.delivery_id, self.clock(), body, attempt.secrets
            )
            yield attempt, self.http.send(attempt.address, headers, body)
