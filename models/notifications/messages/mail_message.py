"""
Write the mails to subscribers: notices, confirmations and links to a subscription.

The module is pure: it reads no rows, no clock and no settings.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from html import escape

from models.display_text import plain_line
from models.locales import Locale
from models.notifications.addresses.mail_relay import Mailbox
from models.notifications.messages.mail_format import (
    Mail,
    assemble_mail,
    list_id,
    message_id,
    unsubscribe_fields,
)
from models.notifications.messages.mail_html import (
    ACCENT,
    STATE_COLOURS,
    Button,
    Colour,
    MailPage,
    html_of,
    paragraph,
    quiet_link,
)
from models.notifications.messages.message_text import Message
from models.notifications.messages.notice import Notice

Fact = tuple[str, str]
# How many affected services a mail names.
MAX_NAMES = 20


@dataclass(frozen=True)
class MailSite:
    """The site that mails are about, and who they are from."""

    name: str
    url: str
    sender: Mailbox
    # Legible on paper and on a dark background.
    accent: Colour = ACCENT


def mail_of(
    notice: Notice,
    message: Message,
    *,
    site: MailSite,
    locale: Locale,
    to: str,
    delivery_id: str,
    now: datetime,
    manage_url: str,
    end_url: str,
    in_reply_to: str | None = None,
) -> bytes:
    """
    Return the mail of a notice.

    `in_reply_to` is the id of the first delivery to this subscription about the same
    incident or window. `manage_url` is a page on which people change or end the
    subscription, and a POST to `end_url` ends it.
    """
    facts = _facts(notice, locale)
    button = _button(notice, locale)
    headline = notice.headline(locale)
    heading = locale.text(
        "notice.heading", headline=headline, title=plain_line(notice.title)
    )
    page = MailPage(
        locale=locale,
        site_name=site.name,
        headline=headline,
        title=notice.title,
        body=message.html,
        facts=facts,
        button=button,
        footer=_html_footer(site, locale, manage_url),
        state_colour=STATE_COLOURS[notice.state],
        accent=site.accent,
    )
    text = _text(locale, heading, message.plain, facts, button)
    return assemble_mail(
        Mail(
            to=to,
            subject=_subject(site, locale, heading),
            text=text + _text_footer(site, locale, manage_url),
            html=html_of(page),
            language=locale.tag,
        ),
        id=delivery_id,
        sender=site.sender,
        now=now,
        more_fields=[
            ("List-Id", list_id(site.url)),
            *_thread_fields(in_reply_to, site.sender),
            *unsubscribe_fields(end_url),
        ],
    )


def confirmation_mail(
    *,
    site: MailSite,
    locale: Locale,
    to: str,
    id: str,
    now: datetime,
    confirm_url: str,
    days: int,
) -> bytes:
    """Return the mail that asks whether the owner of the address subscribed."""
    words = _Words(
        heading=locale.text("mail.confirm-title"),
        text=locale.text("mail.confirm-request", site=plain_line(site.name)),
        button=Button(locale.text("subscribe.confirm"), confirm_url),
        footer=locale.text("mail.confirm-ignore", count=days),
    )
    return _letter(site, locale, to, id, now, words)


def management_mail(
    *,
    site: MailSite,
    locale: Locale,
    to: str,
    id: str,
    now: datetime,
    manage_url: str,
) -> bytes:
    """Return the mail with the link to a subscription that exists already."""
    words = _Words(
        heading=locale.text("subscribe.manage-title"),
        text=locale.text("mail.manage-request", site=plain_line(site.name)),
        button=Button(locale.text("mail.manage"), manage_url),
        footer=locale.text("mail.manage-ignore"),
    )
    return _letter(site, locale, to, id, now, words)


def trial_mail(
    *, site: MailSite, locale: Locale, to: str, id: str, now: datetime
) -> bytes:
    """Return a mail by which an operator sees whether mails arrive."""
    words = _Words(
        heading=locale.text("mail.test-title"),
        text=locale.text("mail.test-text", site=plain_line(site.name)),
        button=Button(locale.text("mail.view-status"), f"{site.url}/status/"),
        footer=locale.text("mail.test-note"),
    )
    return _letter(site, locale, to, id, now, words)


@dataclass(frozen=True)
class _Words:
    """What a mail says to one person who asked for something."""

    heading: str
    text: str
    button: Button
    footer: str


def _letter(
    site: MailSite, locale: Locale, to: str, id: str, now: datetime, words: _Words
) -> bytes:
    page = MailPage(
        locale=locale,
        site_name=site.name,
        headline=words.heading,
        body=paragraph(words.text),
        button=words.button,
        footer=[escape(words.footer)],
        accent=site.accent,
    )
    body = _text(locale, words.heading, words.text, (), words.button)
    mail = Mail(
        to=to,
        subject=_subject(site, locale, words.heading),
        text=body + f"\n{words.footer}\n",
        html=html_of(page),
        language=locale.tag,
    )
    return assemble_mail(mail, id=id, sender=site.sender, now=now)


def _subject(site: MailSite, locale: Locale, heading: str) -> str:
    return locale.text("mail.subject", site=plain_line(site.name), subject=heading)


def _text(
    locale: Locale, heading: str, text: str, facts: Sequence[Fact], button: Button
) -> str:
    lines = "\n".join(
        locale.text("notice.fact", name=name, value=plain_line(value))
        for name, value in facts
    )
    link = locale.text("mail.link", text=button.text)
    parts = [heading, text, lines, f"{link}\n{button.url}"]
    return "\n\n".join(part for part in parts if part) + "\n"


def _text_footer(site: MailSite, locale: Locale, manage_url: str) -> str:
    why = locale.text("mail.why", site=plain_line(site.name))
    link = locale.text("mail.link", text=locale.text("subscribe.change"))
    # Mail programs hide what follows such a line in an answer.
    return f"\n-- \n{why}\n{link}\n{manage_url}\n"


def _html_footer(site: MailSite, locale: Locale, manage_url: str) -> list[str]:
    return [
        escape(locale.text("mail.why", site=plain_line(site.name))),
        quiet_link(locale.text("subscribe.change"), manage_url),
    ]


def _thread_fields(in_reply_to: str | None, sender: Mailbox) -> list[tuple[str, str]]:
    if in_reply_to is None:
        return []
    first = message_id(in_reply_to, sender)
    return [("In-Reply-To", first), ("References", first)]


def _button(notice: Notice, locale: Locale) -> Button:
    is_incident = notice.type.startswith("incident.")
    name = "mail.view-incident" if is_incident else "mail.view-maintenance"
    return Button(locale.text(name), notice.url)


def _facts(notice: Notice, locale: Locale) -> list[Fact]:
    is_incident = notice.type.startswith("incident.")
    start, end = (
        ("mail.started", "mail.resolved")
        if is_incident
        else ("mail.from", "mail.until")
    )
    values = {
        "mail.status": notice.status and locale.text(f"state.{notice.status}"),
        "notice.severity": notice.severity(locale),
        "notice.affected-services": notice.services and _names(notice.services, locale),
        start: locale.date_time(notice.starts_at.isoformat()),
        end: notice.ends_at and locale.date_time(notice.ends_at.isoformat()),
    }
    return [(locale.text(name), value) for name, value in values.items() if value]


def _names(services: Sequence[str], locale: Locale) -> str:
    names = list(services[:MAX_NAMES])
    if others := len(services) - len(names):
        names.append(locale.text("status.more-services", count=others))
    return locale.join_list(names)
