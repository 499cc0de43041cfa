"""Messages to Slack, in Block Kit and mrkdwn."""

from datetime import datetime
from typing import Any

from models.locales import Locale
from sitegen.messages.chat import (
    ChatChannel,
    facts_of,
    heading_of,
    period_of,
    summary_of,
)
from sitegen.messages.message_text import Message
from sitegen.messages.notice import Notice
from sitegen.messages.text_limits import at_most, fitted_line, utf16_length

MAX_HEADER, MAX_SECTION = 150, 3000


class Slack(ChatChannel):
    strong = "*"
    emphasis = "_"
    strike = "~"
    code_mark = "`"
    fence = "```"
    bullet = "• "

    def literal(self, text: str) -> str:
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")

    def code(self, text: str) -> str:
        return self.literal(text)

    def link(self, label: str, url: str) -> str:
        text = "" if label == url else f"|{self.literal(label)}"
        url = url.replace("<", "%3C").replace(">", "%3E").replace("|", "%7C")
        return f"<{self.literal(url)}{text}>"

    def data(self, notice: Notice, message: Message, locale: Locale) -> dict[str, Any]:
        def show(moment: datetime) -> str:
            # Slack shows it in the zone and the language of the reader.
            form = "{date_short_pretty}, {time}"
            fallback = self.literal(locale.date_time(moment.isoformat()))
            return f"<!date^{int(moment.timestamp())}^{form}|{fallback}>"

        start = f"*{self.literal(heading_of(notice, locale))}*\n"
        text = message.fitted(self, at_most(MAX_SECTION - utf16_length(start)))
        return {
            "summary": self.literal(summary_of(notice, locale)),
            "title": fitted_line(notice.title, at_most(MAX_HEADER)),
            "text": (start + text).strip(),
            "facts": [
                locale.text("notice.fact", name=f"*{self.literal(name)}*", value=value)
                for name, value in facts_of(notice, locale, self.literal)
            ],
            "details": [
                self.literal(self._settings.site_name),
                period_of(notice, locale, show),
                self.link(locale.text("chat.view"), notice.url),
            ],
        }
