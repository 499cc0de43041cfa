"""Messages to Discord: one embed, which mentions nobody."""

import re
from datetime import UTC, datetime
from typing import Any

from models.locales import Locale
from sitegen.messages.chat import MarkdownChannel, facts_of, heading_of, period_of
from sitegen.messages.message_text import Message
from sitegen.messages.notice import Notice
from sitegen.messages.text_limits import at_most, fitted_line, utf16_length

MAX_TITLE, MAX_DESCRIPTION = 256, 4096
# Mentions, emojis and times begin with <; || hides text.
_MARKS = re.compile(r"<|(?<=\|)\||\|(?=\|)")


class Discord(MarkdownChannel):
    code_mark = "`"
    fence = "```"

    def literal(self, text: str) -> str:
        return _MARKS.sub(r"\\\g<0>", super().literal(text))

    def link(self, label: str, url: str) -> str:
        return f"<{url}>" if label == url else super().link(label, url)

    def data(self, notice: Notice, message: Message, locale: Locale) -> dict[str, Any]:
        def show(moment: datetime) -> str:
            # Discord shows it in the zone of the reader.
            return f"<t:{int(moment.timestamp())}:f>"

        start = f"**{self.literal(heading_of(notice, locale))}**\n"
        text = message.fitted(self, at_most(MAX_DESCRIPTION - utf16_length(start)))
        period = period_of(notice, locale, show)
        return {
            "title": fitted_line(self.literal(notice.title), at_most(MAX_TITLE)),
            "text": (start + text).strip(),
            "facts": [
                *facts_of(notice, locale, self.literal),
                (locale.text("chat.time"), period),
            ],
            "timestamp": notice.at.astimezone(UTC).isoformat(timespec="seconds"),
        }
