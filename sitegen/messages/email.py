"""
Mails: notices, and messages about a subscription itself.

Both bodies of each mail are templates over the same data: `email.txt` and `email.html`.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from email.header import Header
from email.message import EmailMessage
from email.policy import EmailPolicy
from email.utils import format_datetime
from typing import Any
from urllib.parse import urlsplit

from markupsafe import Markup

from models.display_text import plain_line
from models.locales import Locale
from models.notifications.addresses.mail_address import smtp_address
from models.notifications.addresses.mail_relay import Mailbox, parse_mailbox
from models.notifications.deliveries.attempts import Attempt
from models.notifications.event_types import EVENT_TYPES
from models.notifications.subscriptions.links import CONFIRM, END, MANAGE
from models.notifications.subscriptions.readers import CONFIRM_WITHIN
from models.settings import Settings
from sitegen.messages.message_text import parse_message
from sitegen.messages.notice import notice_of
from sitegen.theme.theme import Theme

# How many affected services a mail names.
MAX_NAMES = 20
# Of a header field: a line of a mail has at most 998 characters (RFC 5322).
MAX_VALUE = 950
# Of an encoded word, and of a line in quoted-printable (RFC 2047 and 2045).
MAX_ENCODED = 76
_ID = re.compile(r"[A-Za-z0-9._-]{1,200}")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")

Data = dict[str, Any]

# What only notices have.
DEFAULTS: Data = {
    "heading": "",
    "title": "",
    "state": "accent",
    "html": "",
    "facts": (),
    "manage_url": "",
}


class Email:
    """The channel of mails, for which MASTHEAD_SMTP and MASTHEAD_MAIL_FROM are set."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._site_name = plain_line(settings.site_name)
        self._sender = parse_mailbox(settings.mail_from)

    def render(self, attempt: Attempt, now: datetime, theme: Theme) -> bytes:
        """Return the mail as SMTP transmits it; the same for the same arguments."""
        describe = {
            "subscription.confirm": self._confirmation,
            "subscription.manage": self._management,
            "subscription.test": self._test,
        }.get(attempt.type, self._notice)
        data = DEFAULTS | describe(attempt, theme.locale)
        data |= {"site_name": self._settings.site_name, "colours": theme.colours}
        heading = data["heading"] or data["headline"]
        return assemble(
            self._fields(attempt, now, theme.locale, heading),
            text=theme.render("messages/email.txt", **data),
            html=theme.render("messages/email.html", **data),
            boundary=f"=_{attempt.delivery_id}",
        )

    def _confirmation(self, attempt: Attempt, locale: Locale) -> Data:
        """Return what asks whether the owner of the address subscribed."""
        return {
            "headline": locale.text("mail.confirm-title"),
            "text": locale.text("mail.confirm-request", site=self._site_name),
            "link": locale.text("subscribe.confirm"),
            "url": self._reader_url(CONFIRM, attempt),
            "note": locale.text("mail.confirm-ignore", count=CONFIRM_WITHIN.days),
        }

    def _management(self, attempt: Attempt, locale: Locale) -> Data:
        """Return what leads to a subscription that exists already."""
        return {
            "headline": locale.text("subscribe.manage-title"),
            "text": locale.text("mail.manage-request", site=self._site_name),
            "link": locale.text("mail.manage"),
            "url": self._reader_url(MANAGE, attempt),
            "note": locale.text("mail.manage-ignore"),
        }

    def _test(self, _: Attempt, locale: Locale) -> Data:
        """Return what shows an operator that mails arrive."""
        return {
            "headline": locale.text("mail.test-title"),
            "text": locale.text("mail.test-text", site=self._site_name),
            "link": locale.text("mail.view-status"),
            "url": f"{self._settings.site_url}/status/",
            "note": locale.text("mail.test-note"),
        }

    def _notice(self, attempt: Attempt, locale: Locale) -> Data:
        notice = notice_of(attempt, self._settings, locale)
        message = parse_message(notice.text, locale, self._settings.site_url)
        link, start, end = (
            ("mail.view-incident", "mail.started", "mail.resolved")
            if notice.type.startswith("incident.")
            else ("mail.view-maintenance", "mail.from", "mail.until")
        )
        facts = {
            "mail.status": notice.status and locale.text(f"state.{notice.status}"),
            "notice.severity": notice.severity(locale),
            "notice.affected-services": notice.list_services(locale, _are_few),
            start: locale.date_time(notice.starts_at.isoformat()),
            end: notice.ends_at and locale.date_time(notice.ends_at.isoformat()),
        }
        headline, title = notice.headline(locale), plain_line(notice.title)
        return {
            "headline": headline,
            "heading": locale.text("notice.heading", headline=headline, title=title),
            "title": notice.title,
            "state": notice.state,
            "text": message.plain,
            "html": Markup(message.html),  # noqa: S704  the parser escapes HTML
            "facts": [
                (locale.text(name), value) for name, value in facts.items() if value
            ],
            "link": locale.text(link),
            "url": notice.url,
            "note": locale.text("mail.why", site=self._site_name),
            "manage_url": self._reader_url(MANAGE, attempt),
        }

    def _fields(
        self, attempt: Attempt, now: datetime, locale: Locale, heading: str
    ) -> dict[str, str]:
        subject = locale.text("mail.subject", site=self._site_name, subject=heading)
        list_fields = self._list_fields(attempt) if attempt.type in EVENT_TYPES else {}
        return {
            "From": _mailbox(self._sender),
            "To": smtp_address(attempt.address),
            "Subject": _unstructured("Subject", subject),
            "Date": format_datetime(now),
            "Content-Language": locale.tag,
            "Message-ID": self._message_id(attempt.delivery_id),
            # RFC 3834: no program shall answer it with "I am on holiday".
            "Auto-Submitted": "auto-generated",
            **list_fields,
        }

    def _list_fields(self, attempt: Attempt) -> dict[str, str]:
        """Return the fields by which programs filter, thread and end notices."""
        host = urlsplit(self._settings.site_url).hostname or "localhost"
        fields = {"List-Id": f"<status.{re.sub(r'[^a-z0-9.-]', '-', host)}>"}
        if attempt.thread_id is not None:
            first = self._message_id(attempt.thread_id)
            fields |= {"In-Reply-To": first, "References": first}
        # RFC 8058: a POST to the URL ends the subscription.
        return fields | {
            "List-Unsubscribe": f"<{self._reader_url(END, attempt)}>",
            "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
        }

    def _message_id(self, id: str) -> str:
        """Return the Message-ID of a delivery, which is the same for each attempt."""
        if not _ID.fullmatch(id):
            raise ValueError(f"'{id}' cannot be part of a Message-ID.")
        return f"<{id}@{self._sender.domain}>"

    def _reader_url(self, path: str, attempt: Attempt) -> str:
        """Return a page of the API, on which readers confirm or change and end."""
        return self._settings.subscribe_origin + path + attempt.token


def _are_few(names: Sequence[str]) -> bool:
    return len(names) <= MAX_NAMES


class _UnfoldedFields(EmailPolicy):
    """
    Header fields as they are given, one line each or encoded already.

    The package would fold long ones into encoded words, which programs do not read in
    List-Unsubscribe and Message-ID.
    """

    def header_store_parse(self, name: str, value: str) -> tuple[str, str]:
        lines = value.split("\r\n ")
        if any(_CONTROL.search(line) or len(line) > MAX_VALUE for line in lines):
            raise ValueError(f"The header field {name} is too long, or not one line.")
        return name, value

    def header_fetch_parse(self, name: str, value: str) -> str:
        # The package parses fields that it has just written, ten times for each mail.
        return value


_POLICY = _UnfoldedFields(
    linesep="\r\n", max_line_length=MAX_ENCODED, refold_source="none", utf8=True
)


def assemble(
    fields: Mapping[str, str], *, text: str, html: str, boundary: str
) -> bytes:
    """Return a mail with both bodies; a program shows the last one that it can."""
    mail = EmailMessage(_POLICY)
    # Not 8bit, which some relays convert, and a signature does not survive that.
    mail.set_content(text, cte="quoted-printable")
    mail.add_alternative(html, subtype="html", cte="quoted-printable")
    # Quoted-printable writes "=" as "=3D", so that no text contains the boundary.
    mail.set_boundary(boundary[:70])
    for name, value in fields.items():
        mail[name] = value
    return mail.as_bytes()


def _mailbox(mailbox: Mailbox) -> str:
    if not mailbox.name:
        return mailbox.address
    if mailbox.name.isascii():
        return f'"{mailbox.name}" <{mailbox.address}>'
    return f"{_unstructured('From', mailbox.name)} <{mailbox.address}>"


def _unstructured(field: str, text: str) -> str:
    """Return the text for a header field, as encoded words (RFC 2047) if necessary."""
    line = " ".join(_CONTROL.sub(" ", text).split())
    if line.isascii() and "=?" not in line:
        return line
    header = Header(line, charset="utf-8", header_name=field, maxlinelen=MAX_ENCODED)
    return header.encode(linesep="\r\n")
