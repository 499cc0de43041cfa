"""Send notices to the incoming webhooks of chat rooms."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from api.notifications.http_sender import HttpSender
from api.notifications.languages import locale_for
from models.locales import Locale
from models.notifications.deliveries.dispatch import Attempt
from models.notifications.deliveries.outcomes import Outcome
from models.notifications.event_types import EVENT_TYPES
from models.notifications.messages.chat_messages import ChatChannel, chat_body
from models.notifications.messages.message_text import ParseMessage
from models.notifications.messages.notice import Notice, notice_of, trial_notice
from models.settings import Settings

HEADERS = {"Content-Type": "application/json"}


@dataclass(frozen=True)
class ChatSender:
    """Posts notices in the form of each room's vendor."""

    settings: Settings
    http: HttpSender
    parse: ParseMessage

    def send(self, batch: Sequence[Attempt]) -> Iterator[tuple[Attempt, Outcome]]:
        for attempt in batch:
            channel = cast("ChatChannel", attempt.channel)
            locale = locale_for(self.settings, attempt.language)
            notice = self._notice(attempt, locale)
            message = self.parse(notice.text, locale, self.settings.site_url)
            body = chat_body(channel, notice, message, locale)
            yield attempt, self.http.send(attempt.address, HEADERS, body)

    def _notice(self, attempt: Attempt, locale: Locale) -> Notice:
        name, url = self.settings.site_name, self.settings.site_url
        if attempt.type not in EVENT_TYPES:
            return trial_notice(name, url, attempt.at, locale)
        data, told_at = attempt.data_at(url), attempt.told_at
        return notice_of(attempt.type, data, name, attempt.at, told_at)
