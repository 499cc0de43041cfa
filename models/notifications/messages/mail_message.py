"""
Write the mails to subscribers: notices, confirmations and links to a subscription.

The module is pure: it reads no rows, no clock and no settings.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import format_datetime
from html import escape

from models.display_text import plain_line
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
    message_html,
    paragraphs,
    quiet_link,
)
from models.notifications.messages.notice import Notice
from models.notifications.messages.plain_text import plain_text

Fact = tuple[str, str]
# How many affected services a mail names.
MAX_NAMES = 20
# Renders the Markdown of a message as HTML.
Renderer = Callable[[str], str]
_WHY = "You receive this e-mail because you subscribed to {site_name}."


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
    *,
    site: MailSite,
    to: str,
    delivery_id: str,
    now: datetime,
    manage_url: str,
    end_url: str,
    in_reply_to: str | None = None,
    render: Renderer | None = None,
) -> bytes:
    """
    Return the mail of a notice.

    `in_reply_to` is the id of the first delivery to this subscription about the same
    incident or window. `manage_url` is a page on which people change or end the
    subscription, and a POST to `end_url` ends it.
    """
    facts = _facts(notice)
    button = _button(notice)
    headline = f"{notice.headline}: {plain_line(notice.title)}"
    page = MailPage(
        site_name=site.name,
        headline=notice.headline,
        title=notice.title,
        body=message_html(notice.text, render),
        facts=facts,
        button=button,
        footer=_html_footer(site, manage_url),
        state_colour=STATE_COLOURS[notice.state],
        accent=site.accent,
    )
    text = _text(headline, plain_text(notice.text), facts, button)
    return assemble_mail(
        Mail(
            to=to,
            subject=f"[{plain_line(site.name)}] {headline}",
            text=text + _text_footer(site, manage_url),
            html=html_of(page),
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
    *, site: MailSite, to: str, id: str, now: datetime, confirm_url: str, days: int
) -> bytes:
    """Return the mail that asks whether the owner of the address subscribed."""
    request = (
        f"Somebody, probably you, subscribed this address to notifications of"
        f" {plain_line(site.name)}. They begin when you confirm it."
    )
    ignore = (
        f"If it was not you, ignore this e-mail. Without a confirmation within {days}"
        " days, the address is forgotten, and you receive nothing more."
    )
    button = Button("Confirm the subscription", confirm_url)
    return _letter(
        site, to, id, now, "Confirm your subscription", request, button, ignore
    )


def management_mail(
    *, site: MailSite, to: str, id: str, now: datetime, manage_url: str
) -> bytes:
    """Return the mail with the link to a subscription that exists already."""
    request = (
        "Somebody, probably you, entered this address to subscribe to"
        f" {plain_line(site.name)}. It is subscribed already. You can choose what you"
        " are told of, or end the subscription."
    )
    ignore = (
        "If it was not you, ignore this e-mail: nothing changed. Keep the link to"
        " yourself, because whoever has it can end the subscription."
    )
    button = Button("Manage the subscription", manage_url)
    return _letter(site, to, id, now, "Your subscription", request, button, ignore)


def trial_mail(*, site: MailSite, to: str, id: str, now: datetime) -> bytes:
    """Return a mail by which an operator sees whether mails arrive."""
    text = (
        f"This is a test of the notifications of {plain_line(site.name)}. If you read"
        " it, they arrive."
    )
    footer = "An operator sent it to this address. You are not subscribed to anything."
    button = Button("View the status page", f"{site.url}/status/")
    return _letter(site, to, id, now, "Test of notifications", text, button, footer)


def _letter(
    site: MailSite,
    to: str,
    id: str,
    now: datetime,
    heading: str,
    text: str,
    button: Button,
    footer: str,
) -> bytes:
    """Return a mail to one person who asked for something."""
    page = MailPage(
        site_name=site.name,
        headline=heading,
        body=paragraphs(text),
        button=button,
        footer=[escape(footer)],
        accent=site.accent,
    )
    body = _text(heading, text, (), button) + f"\n{footer}\n"
    subject = f"[{plain_line(site.name)}] {heading}"
    mail = Mail(to=to, subject=subject, text=body, html=html_of(page))
    return assemble_mail(mail, id=id, sender=site.sender, now=now)


def _text(heading: str, text: str, facts: Sequence[Fact], button: Button) -> str:
    lines = "\n".join(f"{name}: {plain_line(value)}" for name, value in facts)
    parts = [heading, text, lines, f"{button.text}:\n{button.url}"]
    return "\n\n".join(part for part in parts if part) + "\n"


def _text_footer(site: MailSite, manage_url: str) -> str:
    why = _WHY.format(site_name=plain_line(site.name))
    # Mail programs hide what follows such a line in an answer.
    return f"\n-- \n{why}\nChange or end the subscription:\n{manage_url}\n"


def _html_footer(site: MailSite, manage_url: str) -> list[str]:
    return [
        escape(_WHY.format(site_name=plain_line(site.name))),
        quiet_link("Change or end the subscription", manage_url),
    ]


def _thread_fields(in_reply_to: str | None, sender: Mailbox) -> list[tuple[str, str]]:
    if in_reply_to is None:
        return []
    first = message_id(in_reply_to, sender)
    return [("In-Reply-To", first), ("References", first)]


def _button(notice: Notice) -> Button:
    is_incident = notice.type.startswith("incident.")
    text = "View the incident" if is_incident else "View the maintenance window"
    return Button(text, notice.url)


def _facts(notice: Notice) -> list[Fact]:
    is_incident = notice.type.startswith("incident.")
    is_over = notice.state == "operational"
    facts = []
    if notice.status:
        facts.append(("Status", notice.status.capitalize()))
    if is_incident and not is_over:
        facts.append(("Severity", notice.state.replace("-", " ").capitalize()))
    if notice.services:
        facts.append(("Affects", _names(notice.services)))
    start, end = ("Started", "Resolved") if is_incident else ("From", "Until")
    facts.append((start, _date_time(notice.starts_at)))
    if notice.ends_at:
        facts.append((end, _date_time(notice.ends_at)))
    return facts


def _names(services: Sequence[str]) -> str:
    others = len(services) - MAX_NAMES
    names = ", ".join(services[:MAX_NAMES])
    return f"{names} and {others} more" if others > 0 else names


def _date_time(moment: datetime) -> str:
    """Return such as "Sun, 01 Mar 2026, 12:00 UTC", in any locale."""
    text = format_datetime(moment.astimezone(UTC))
    return f"{text[:16]}, {text[17:22]} UTC"
