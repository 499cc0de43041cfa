"""Messages to Teams: an Adaptive Card, which a workflow posts to a channel."""

import json
from datetime import UTC, datetime
from typing import Any

from models.locales import Locale
from sitegen.messages.chat import (
    MarkdownChannel,
    facts_of,
    heading_of,
    period_of,
    summary_of,
)
from sitegen.messages.message_text import Message
from sitegen.messages.notice import Notice

# Teams refuses messages of 28 KB, and some installations those of more than 21 KB.
MAX_TEXT_BYTES = 15_000
# The colours that Teams has.
STYLES = {
    "operational": "good",
    "maintenance": "accent",
    "degraded": "warning",
    "partial-outage": "warning",
    "major-outage": "attention",
}


class Teams(MarkdownChannel):
    emphasis = "_"
    strike = ""
    quote = ""

    def code(self, text: str) -> str:
        return self.literal(text)

    def data(self, notice: Notice, message: Message, locale: Locale) -> dict[str, Any]:
        def fits(text: str) -> bool:
            written = json.dumps(text, ensure_ascii=False)
            return len(written.encode()) <= MAX_TEXT_BYTES

        def show(moment: datetime) -> str:
            # Teams shows it in the zone of the reader.
            text = moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
            return f"{{{{DATE({text}, SHORT)}}}}, {{{{TIME({text})}}}}"

        return {
            "heading": heading_of(notice, locale),
            "summary": summary_of(notice, locale),
            "style": STYLES[notice.state],
            "text": message.fitted(self, fits),
            "facts": [
                locale.text("notice.fact", name=name, value=value)
                for name, value in facts_of(notice, locale)
            ],
            "period": period_of(notice, locale, show),
            "link_text": locale.text("chat.view"),
        }
