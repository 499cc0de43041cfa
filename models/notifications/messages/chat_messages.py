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
from models.notifications.messages.chat_markdown import (
    Dialect,
    convert,
    fitted,
    utf16_length,
)
from models.notifications.messages.notice import Notice, NoticeState

ChatChannel = Literal["slack", "discord", "teams"]
Message = dict[str, Any]

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
# Instead of backticks that would end the code.
QUOTE = "'"


def chat_body(channel: ChatChannel, notice: Notice, locale: Locale) -> bytes:
    """Return the JSON that the incoming webhook of the channel takes."""
    message = _MESSAGES[channel](notice, locale)
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()


def slack_message(notice: Notice, locale: Locale) -> Message:
    """Return a message of Block Kit; the colour is that of an attachment."""
    start = f"*{_slack_text(_heading(notice, locale))}*\n"
    blocks = [_slack_section(notice.text, start)]
    if notice.services:
        label = _slack_text(locale.text("notice.affected-services"))
        services = _services(notice, locale, _slack_text)
        fact = locale.text("notice.fact", name=f"*{label}*", value=services)
        blocks.append(_slack_section("", fact))
    details = [_slack_text(notice.site_name), _slack_period(notice, locale)]
    details.append(_slack_link(locale.text("chat.view"), notice.url))
    elements = [_slack_mrkdwn(detail) for detail in details]
    blocks.append({"type": "context", "elements": elements})
    title = fitted(notice.title, SLACK_HEADER)
    header = {"type": "plain_text", "text": title, "emoji": False}
    return {
        # For the notification of a phone: what the blocks say is shown instead.
        "text": _slack_text(_headline_and_title(notice, locale)),
        "unfurl_links": False,
        "unfurl_media": False,
        "blocks": [{"type": "header", "text": header}],
        "attachments": [{"color": COLOURS[notice.state], "blocks": blocks}],
    }


def _slack_section(markdown: str, start: str) -> Message:
    text = fitted(markdown, SLACK_SECTION, lambda text: start + convert(text, SLACK))
    return {"type": "section", "text": _slack_mrkdwn(text.strip())}


def _slack_mrkdwn(text: str) -> Message:
    # Verbatim: names of channels and people in the text are no mentions.
    return {"type": "mrkdwn", "text": text, "verbatim": True}


def _slack_text(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _slack_link(label: str, url: str) -> str:
    text = "" if label == url else f"|{_slack_text(label)}"
    url = url.replace("<", "%3C").replace(">", "%3E").replace("|", "%7C")
    return f"<{_slack_text(url)}{text}>"


def _code(code: str) -> str:
    return f"`{code.replace('`', QUOTE)}`"


def _code_block(code: str) -> str:
    fence = "```"
    return f"{fence}\n{code.replace(fence, QUOTE * 3)}\n{fence}"


def _slack_period(notice: Notice, locale: Locale) -> str:
    def show(moment: datetime) -> str:
        # Slack shows it in the zone and the language of the reader.
        form = "{date_short_pretty}, {time}"
        fallback = _slack_text(locale.date_time(moment.isoformat()))
        return f"<!date^{int(moment.timestamp())}^{form}|{fallback}>"

    return _period(notice, locale, show)


SLACK = Dialect(
    text=_slack_text,
    literal=_slack_text,
    escaped=_slack_text,
    strong="*",
    emphasis="_",
    strike="~",
    code=lambda code: _code(_slack_text(code)),
    code_block=lambda code: _code_block(_slack_text(code)),
    link=_slack_link,
    bullet="• ",
    quote="> ",
)


def discord_message(notice: Notice, locale: Locale) -> Message:
    """Return a message with one embed, which mentions nobody."""
    start = f"**{_discord_literal(_heading(notice, locale))}**\n"
    period = _period(notice, locale, _discord_moment)
    fields = [{"name": locale.text("chat.time"), "value": period}]
    if notice.services:
        label = locale.text("notice.affected-services")
        services = _services(notice, locale, _discord_literal)
        fields.insert(0, {"name": label, "value": services})
    embed = {
        "title": fitted(notice.title, DISCORD_TITLE, _discord_literal),
        "url": notice.url,
        "description": fitted(
            notice.text,
            DISCORD_DESCRIPTION,
            lambda text: (start + convert(text, DISCORD)).strip(),
        ),
        "color": int(COLOURS[notice.state].removeprefix("#"), 16),
        "fields": fields,
        "footer": {"text": notice.site_name},
        "timestamp": notice.at.astimezone(UTC).isoformat(timespec="seconds"),
    }
    return {"embeds": [embed], "allowed_mentions": {"parse": []}}


def _discord_moment(moment: datetime) -> str:
    # Discord shows it in the zone of the reader.
    return f"<t:{int(moment.timestamp())}:f>"


def _discord_text(text: str) -> str:
    # Mentions, emojis and times begin with <; || hides text.
    return text.replace("<", "\\<").replace("||", "\\|\\|")


def _with_backslash(char: str) -> str:
    return f"\\{char}"


def _discord_literal(text: str) -> str:
    return re.sub(r"([\\`*_\[\]<>~|])", r"\\\1", text)


def _discord_link(label: str, url: str) -> str:
    return f"<{url}>" if label == url else _link(_discord_literal(label), url)


def _link(text: str, url: str) -> str:
    for char, code in (("(", "%28"), (")", "%29"), ("<", "%3C"), (">", "%3E")):
        url = url.replace(char, code)
    return f"[{text}]({url})"


DISCORD = Dialect(
    text=_discord_text,
    literal=_discord_literal,
    escaped=_with_backslash,
    strong="**",
    emphasis="*",
    strike="~~",
    code=_code,
    code_block=_code_block,
    link=_discord_link,
    bullet="- ",
    quote="> ",
)


def teams_message(notice: Notice, locale: Locale) -> Message:
    """Return an Adaptive Card in a message, which a workflow posts to a channel."""
    body = [
        _teams_line(notice.title, size="large", weight="bolder"),
        _teams_line(_heading(notice, locale), weight="bolder"),
    ]
    if text := _teams_message(notice):
        body.append(_teams_block(text))
    if notice.services:
        label = locale.text("notice.affected-services")
        services = _services(notice, locale, str)
        fact = locale.text("notice.fact", name=label, value=services)
        body.append(_teams_line(fact))
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


def _teams_line(text: str, **style: Any) -> Message:
    """Return a block without Markdown, for names and titles."""
    run = {"type": "TextRun", "text": text, **style}
    return {"type": "RichTextBlock", "inlines": [run]}


def _teams_message(notice: Notice) -> str:
    return fitted(
        notice.text,
        TEAMS_TEXT_BYTES,
        lambda text: _only_web_links(convert(text, TEAMS)),
        lambda text: len(json.dumps(text, ensure_ascii=False).encode()),
    )


def _only_web_links(text: str) -> str:
    """Break what would be a link to anywhere else, whatever it was made of."""
    return re.sub(r"\]\((?!https?://|mailto:)", r"]\\(", text)


def _teams_block(text: str, **style: Any) -> Message:
    return {"type": "TextBlock", "text": text, "wrap": True, **style}


def _teams_moment(moment: datetime) -> str:
    # Teams shows it in the zone of the reader.
    text = moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return f"{{{{DATE({text}, SHORT)}}}}, {{{{TIME({text})}}}}"


def _teams_literal(text: str) -> str:
    return re.sub(r"([\\`*_\[\]~])", r"\\\1", text)


TEAMS = Dialect(
    text=str,
    literal=_teams_literal,
    escaped=_with_backslash,
    strong="**",
    emphasis="_",
    strike="",
    code=_teams_literal,
    code_block=_teams_literal,
    link=lambda label, url: _link(_teams_literal(label), url),
    bullet="- ",
    quote="",
)

_MESSAGES: dict[ChatChannel, Callable[[Notice, Locale], Message]] = {
    "slack": slack_message,
    "discord": discord_message,
    "teams": teams_message,
}


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
