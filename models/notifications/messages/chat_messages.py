"""
Build the messages for the incoming webhooks of Slack, Discord and Teams.

The module is pure: it reads no rows, no clock and no settings.
"""

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Literal

from models.locales import Locale
from models.notifications.messages.message_text import Dialect, Message
from models.notifications.messages.notice import Notice, NoticeState
from models.notifications.messages.text_limits import fitted_line, utf16_length

ChatChannel = Literal["slack", "discord", "teams"]
Json = dict[str, Any]

# The colours of the states on the status page.
COLOURS: dict[NoticeState, str] = {
    "operational": "#1a774d",
    "maintenance": "#3a66c4",
    "degraded": "#8d6200",
    "partial-outage": "#b04c08",
    "major-outage": "#bd2333",
}
# Teams has its own.
TEAMS_STYLES: dict[NoticeState, str] = {
    "operational": "good",
    "maintenance": "accent",
    "degraded": "warning",
    "partial-outage": "warning",
    "major-outage": "attention",
}

# The limits of the channels, in characters.
SLACK_HEADER, SLACK_SECTION = 150, 3000
DISCORD_TITLE, DISCORD_DESCRIPTION, DISCORD_FIELD = 256, 4096, 1024
# Teams refuses messages of 28 KB, and some installations those of more than 21 KB.
TEAMS_BYTES = 20_000
TEAMS_TEXT_BYTES = 15_000
MAX_SERVICES_LENGTH = 900
# What Markdown could take for a mark, where it is none.
_MARKS = re.compile(
    r"\\(?=[!-/:-@\[-`{-~])|[`\[\]]|(?<!\w)_|_(?!\w)|(?<!\s)\*|\*(?!\s)|~(?=~)|(?<=~)~"
    r"|^[#>-]+(?=\s)"
)


def chat_body(
    channel: ChatChannel, notice: Notice, message: Message, locale: Locale
) -> bytes:
    """Return the JSON that the incoming webhook of the channel takes."""
    body = _BODIES[channel](notice, message, locale)
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()


def slack_body(notice: Notice, message: Message, locale: Locale) -> Json:
    """Return a message of Block Kit; the colour is that of an attachment."""
    start = f"*{_slack_text(_heading(notice, locale))}*\n"
    text = message.fitted(SLACK, _fits(SLACK_SECTION - utf16_length(start)))
    blocks = [_slack_section((start + text).strip())]
    facts = [
        locale.text("notice.fact", name=f"*{_slack_text(name)}*", value=value)
        for name, value in _facts(notice, locale, _slack_text)
    ]
    if facts:
        blocks.append(_slack_section("\n".join(facts)))
    details = [_slack_text(notice.site_name), _slack_period(notice, locale)]
    details.append(_slack_link(locale.text("chat.view"), notice.url))
    elements = [_slack_mrkdwn(detail) for detail in details]
    blocks.append({"type": "context", "elements": elements})
    title = fitted_line(notice.title, _fits(SLACK_HEADER))
    header = {"type": "plain_text", "text": title, "emoji": False}
    return {
        # For the notification of a phone: what the blocks say is shown instead.
        "text": _slack_text(_headline_and_title(notice, locale)),
        "unfurl_links": False,
        "unfurl_media": False,
        "blocks": [{"type": "header", "text": header}],
        "attachments": [{"color": COLOURS[notice.state], "blocks": blocks}],
    }


def _slack_section(text: str) -> Json:
    return {"type": "section", "text": _slack_mrkdwn(text)}


def _slack_mrkdwn(text: str) -> Json:
    # Verbatim: names of channels and people in the text are no mentions.
    return {"type": "mrkdwn", "text": text, "verbatim": True}


def _slack_text(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _slack_link(label: str, url: str) -> str:
    text = "" if label == url else f"|{_slack_text(label)}"
    url = url.replace("<", "%3C").replace(">", "%3E").replace("|", "%7C")
    return f"<{_slack_text(url)}{text}>"


def _slack_period(notice: Notice, locale: Locale) -> str:
    def show(moment: datetime) -> str:
        # Slack shows it in the zone and the language of the reader.
        form = "{date_short_pretty}, {time}"
        fallback = _slack_text(locale.date_time(moment.isoformat()))
        return f"<!date^{int(moment.timestamp())}^{form}|{fallback}>"

    return _period(notice, locale, show)


SLACK = Dialect(
    literal=_slack_text,
    code=_slack_text,
    link=_slack_link,
    strong="*",
    emphasis="_",
    strike="~",
    code_mark="`",
    fence="```",
    bullet="• ",
    quote="> ",
)


def discord_body(notice: Notice, message: Message, locale: Locale) -> Json:
    """Return a message with one embed, which mentions nobody."""
    start = f"**{_discord_literal(_heading(notice, locale))}**\n"
    period = _period(notice, locale, _discord_moment)
    facts = _facts(notice, locale, _discord_literal)
    facts.append((locale.text("chat.time"), period))
    fields = [{"name": name, "value": value} for name, value in facts]
    limit = DISCORD_DESCRIPTION - utf16_length(start)
    text = message.fitted(DISCORD, _fits(limit))
    embed = {
        "title": fitted_line(_discord_literal(notice.title), _fits(DISCORD_TITLE)),
        "url": notice.url,
        "description": (start + text).strip(),
        "color": int(COLOURS[notice.state].removeprefix("#"), 16),
        "fields": fields,
        "footer": {"text": notice.site_name},
        "timestamp": notice.at.astimezone(UTC).isoformat(timespec="seconds"),
    }
    return {"embeds": [embed], "allowed_mentions": {"parse": []}}


def _discord_moment(moment: datetime) -> str:
    # Discord shows it in the zone of the reader.
    return f"<t:{int(moment.timestamp())}:f>"


def _markdown_literal(text: str) -> str:
    """Escape what would be a mark, unlike most underscores and asterisks."""
    return _MARKS.sub(r"\\\g<0>", text)


def _discord_literal(text: str) -> str:
    # Mentions, emojis and times begin with <; || hides text.
    return re.sub(r"<|(?<=\|)\||\|(?=\|)", r"\\\g<0>", _markdown_literal(text))


def _discord_link(label: str, url: str) -> str:
    return f"<{url}>" if label == url else _markdown_link(label, url, _discord_literal)


def _markdown_link(
    label: str, url: str, literal: Callable[[str], str] = _markdown_literal
) -> str:
    for char, code in (("(", "%28"), (")", "%29"), ("<", "%3C"), (">", "%3E")):
        url = url.replace(char, code)
    return f"[{literal(label)}]({url})"


DISCORD = Dialect(
    literal=_discord_literal,
    code=str,
    link=_discord_link,
    strong="**",
    emphasis="*",
    strike="~~",
    code_mark="`",
    fence="```",
    bullet="- ",
    quote="> ",
)


def teams_body(notice: Notice, message: Message, locale: Locale) -> Json:
    """Return an Adaptive Card in a message, which a workflow posts to a channel."""
    body = [
        _teams_line(notice.title, size="large", weight="bolder"),
        _teams_line(_heading(notice, locale), weight="bolder"),
    ]
    if text := message.fitted(TEAMS, _fits_teams):
        body.append(_teams_block(text))
    for name, value in _facts(notice, locale, str):
        body.append(_teams_line(locale.text("notice.fact", name=name, value=value)))
    period = _period(notice, locale, _teams_moment)
    body.append(_teams_block(period, isSubtle=True))
    body.append(_teams_line(notice.site_name, isSubtle=True))
    container = {
        "type": "Container",
        "style": TEAMS_STYLES[notice.state],
        "bleed": True,
        "items": body[:2],
    }
    card = {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.5",
        # Teams formats times in the card's language, of which it takes two letters.
        "lang": locale.tag.partition("-")[0],
        "rtl": locale.direction == "rtl",
        "fallbackText": f"{_headline_and_title(notice, locale)} {notice.url}",
        "msteams": {"width": "Full"},
        "body": [container, *body[2:]],
        "actions": [
            {
                "type": "Action.OpenUrl",
                "title": locale.text("chat.view"),
                "url": notice.url,
            }
        ],
    }
    attachment = {
        "contentType": "application/vnd.microsoft.card.adaptive",
        "contentUrl": None,
        "content": card,
    }
    return {"type": "message", "attachments": [attachment]}


def _teams_line(text: str, **style: Any) -> Json:
    """Return a block without Markdown, for names and titles."""
    run = {"type": "TextRun", "text": text, **style}
    return {"type": "RichTextBlock", "inlines": [run]}


def _fits_teams(text: str) -> bool:
    return len(json.dumps(text, ensure_ascii=False).encode()) <= TEAMS_TEXT_BYTES


def _teams_block(text: str, **style: Any) -> Json:
    return {"type": "TextBlock", "text": text, "wrap": True, **style}


def _teams_moment(moment: datetime) -> str:
    # Teams shows it in the zone of the reader.
    text = moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return f"{{{{DATE({text}, SHORT)}}}}, {{{{TIME({text})}}}}"


TEAMS = Dialect(
    literal=_markdown_literal,
    code=_markdown_literal,
    link=_markdown_link,
    strong="**",
    emphasis="_",
    strike="",
    code_mark="",
    fence="",
    bullet="- ",
    quote="",
)

_BODIES: dict[ChatChannel, Callable[[Notice, Message, Locale], Json]] = {
    "slack": slack_body,
    "discord": discord_body,
    "teams": teams_body,
}


def _fits(limit: int) -> Callable[[str], bool]:
    return lambda text: utf16_length(text) <= limit


def _heading(notice: Notice, locale: Locale) -> str:
    """Return what happened, with the status of an incident if it adds something."""
    headline, status = notice.headline(locale), notice.status or "resolved"
    if status == "resolved":
        return headline
    label = locale.text(f"state.{status}")
    return locale.text("chat.with-status", headline=headline, status=label)


def _headline_and_title(notice: Notice, locale: Locale) -> str:
    headline = notice.headline(locale)
    return locale.text("notice.heading", headline=headline, title=notice.title)


def _facts(
    notice: Notice, locale: Locale, literal: Callable[[str], str]
) -> list[tuple[str, str]]:
    """Return the names and values of what a message lists."""
    facts = {
        "notice.severity": literal(notice.severity(locale)),
        "notice.affected-services": _services(notice, locale, literal),
    }
    return [(locale.text(name), value) for name, value in facts.items() if value]


def _services(notice: Notice, locale: Locale, literal: Callable[[str], str]) -> str:
    """Return the names as a list, as many of them as fit, and how many do not."""
    shown: list[str] = []
    length = 0
    for name in map(literal, notice.services):
        length += utf16_length(name) + 2
        if shown and length > MAX_SERVICES_LENGTH:
            break
        shown.append(name)
    if left_out := len(notice.services) - len(shown):
        shown.append(literal(locale.text("status.more-services", count=left_out)))
    return locale.join_list(shown)


def _period(notice: Notice, locale: Locale, show: Callable[[datetime], str]) -> str:
    start = show(notice.starts_at)
    if notice.ends_at is None:
        return locale.text("chat.since", start=start)
    return locale.text("chat.period", start=start, end=show(notice.ends_at))
