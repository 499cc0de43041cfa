"""What the messages to chat rooms have in common: an incoming webhook takes JSON."""

import json
import re
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from models.locales import Locale
from models.notifications.deliveries.attempts import Attempt
from models.settings import Settings
from sitegen.messages.message_text import Dialect, Message, parse_message
from sitegen.messages.notice import Notice, notice_of
from sitegen.messages.text_limits import utf16_length
from sitegen.theme.theme import Theme

MAX_SERVICES_LENGTH = 900
# What Markdown could take for a mark, where it is none.
_MARKS = re.compile(
    r"\\(?=[!-/:-@\[-`{-~])|[`\[\]]|(?<!\w)_|_(?!\w)|(?<!\s)\*|\*(?!\s)|~(?=~)|(?<=~)~"
    r"|^[#>-]+(?=\s)"
)


class ChatChannel(Dialect):
    """
    A kind of chat room: how it marks texts, and what its template shows.

    The class Slack has the template `slack.json`.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._template = f"messages/{type(self).__name__.lower()}.json"

    def data(self, notice: Notice, message: Message, locale: Locale) -> dict[str, Any]:
        """Return what the template shows besides the notice, within the limits."""
        raise NotImplementedError

    def render(self, attempt: Attempt, now: datetime, theme: Theme) -> bytes:
        notice = notice_of(attempt, self._settings, theme.locale)
        message = parse_message(notice.text, theme.locale, self._settings.site_url)
        text = theme.render(
            self._template,
            notice=notice,
            site_name=self._settings.site_name,
            colour=theme.colours[notice.state][0],
            **self.data(notice, message, theme.locale),
        )
        # Without the spaces of the template, and never anything but JSON.
        content = json.loads(text)
        return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()


class MarkdownChannel(ChatChannel):
    """A kind of chat room that takes Markdown."""

    strong = "**"

    def literal(self, text: str) -> str:
        """Escape what would be a mark, unlike most underscores and asterisks."""
        return _MARKS.sub(r"\\\g<0>", text)

    def link(self, label: str, url: str) -> str:
        for char, code in (("(", "%28"), (")", "%29"), ("<", "%3C"), (">", "%3E")):
            url = url.replace(char, code)
        return f"[{self.literal(label)}]({url})"


def heading_of(notice: Notice, locale: Locale) -> str:
    """Return what happened, with the status of an incident if it adds something."""
    headline, status = notice.headline(locale), notice.status or "resolved"
    if status == "resolved":
        return headline
    label = locale.text(f"state.{status}")
    return locale.text("chat.with-status", headline=headline, status=label)


def summary_of(notice: Notice, locale: Locale) -> str:
    """Return what happened, and to what, for the notification of a phone."""
    headline = notice.headline(locale)
    return locale.text("notice.heading", headline=headline, title=notice.title)


def facts_of(
    notice: Notice, locale: Locale, literal: Callable[[str], str] = str
) -> list[tuple[str, str]]:
    """Return the names and values of what a message lists."""

    def fits(names: Sequence[str]) -> bool:
        return sum(utf16_length(name) + 2 for name in names) <= MAX_SERVICES_LENGTH

    facts = {
        "notice.severity": literal(notice.severity(locale)),
        "notice.affected-services": notice.list_services(locale, fits, literal),
    }
    return [(locale.text(name), value) for name, value in facts.items() if value]


def period_of(notice: Notice, locale: Locale, show: Callable[[datetime], str]) -> str:
    """Return since when, or from when to when."""
    start = show(notice.starts_at)
    if notice.ends_at is None:
        return locale.text("chat.since", start=start)
    return locale.text("chat.period", start=start, end=show(notice.ends_at))
