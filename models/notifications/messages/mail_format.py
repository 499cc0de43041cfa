"""
Assemble mails: header fields, and a body as text and as HTML.

They are written here, and not by the email package: it turns long values of header
fields into encoded words, which programs do not read in List-Unsubscribe and
Message-ID, and takes ten times as long.

The module is pure: it reads no rows, no clock and no settings.
"""

import re
from binascii import b2a_qp
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from email.header import Header
from email.utils import format_datetime
from urllib.parse import urlsplit

from models.notifications.addresses.mail_address import smtp_address
from models.notifications.addresses.mail_relay import Mailbox

# RFC 5322: the longest line of a mail.
MAX_LINE = 998
_ID = re.compile(r"[A-Za-z0-9._-]{1,200}")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


@dataclass(frozen=True)
class Mail:
    """A mail before it is assembled: to whom, what about, and its two bodies."""

    to: str
    subject: str
    text: str
    html: str
    # The tag of its language.
    language: str


def message_id(id: str, sender: Mailbox) -> str:
    """Return the Message-ID of a delivery, which is the same for each attempt."""
    if not _ID.fullmatch(id):
        raise ValueError(f"'{id}' cannot be part of a Message-ID.")
    return f"<{id}@{sender.domain}>"


def list_id(site_url: str) -> str:
    """Return the id of the list of all subscribers, by which people filter mails."""
    host = urlsplit(site_url).hostname or "localhost"
    return f"<status.{re.sub(r'[^a-z0-9.-]', '-', host)}>"


def unsubscribe_fields(url: str) -> list[tuple[str, str]]:
    """Return the header fields of an unsubscription by one click (RFC 8058)."""
    return [
        ("List-Unsubscribe", f"<{url}>"),
        ("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"),
    ]


def assemble_mail(
    mail: Mail,
    *,
    id: str,
    sender: Mailbox,
    now: datetime,
    more_fields: Iterable[tuple[str, str]] = (),
) -> bytes:
    """Return the mail as SMTP transmits it; the same arguments give the same bytes."""
    fields = [
        ("From", _mailbox(sender)),
        ("To", smtp_address(mail.to)),
        ("Subject", _unstructured("Subject", mail.subject)),
        ("Date", format_datetime(now)),
        ("Content-Language", mail.language),
        ("Message-ID", message_id(id, sender)),
        # RFC 3834: no program shall answer it with "I am on holiday".
        ("Auto-Submitted", "auto-generated"),
        *more_fields,
    ]
    head = "".join(_field(name, value) for name, value in fields)
    return head.encode() + _body(mail, id)


def _body(mail: Mail, id: str) -> bytes:
    """Return the body, which begins with the header fields that describe it."""
    # Quoted-printable writes "=" as "=3D", so that no text contains the boundary.
    boundary = f"=_{id}"[:70]
    head = (
        "MIME-Version: 1.0\r\n"
        f'Content-Type: multipart/alternative; boundary="{boundary}"\r\n\r\n'
    )
    separator = f"--{boundary}".encode()
    # A reader shows the last of them that it can.
    parts = [_part("plain", mail.text), _part("html", mail.html)]
    lines = [part for each in parts for part in (separator, each)]
    return head.encode() + b"\r\n".join([*lines, separator + b"--", b""])


def _part(subtype: str, text: str) -> bytes:
    head = (
        f'Content-Type: text/{subtype}; charset="utf-8"\r\n'
        "Content-Transfer-Encoding: quoted-printable\r\n\r\n"
    )
    body = text.replace("\r\n", "\n").replace("\n", "\r\n").encode()
    # Not 8bit, which some relays convert, and a signature does not survive that.
    return head.encode() + b2a_qp(body, istext=True)


def _field(name: str, value: str) -> str:
    """Return the line of a field; only an encoded value has several lines."""
    lines = value.split("\r\n ")
    if any(_CONTROL.search(line) or len(line) > MAX_LINE - 40 for line in lines):
        raise ValueError(f"The header field {name} is too long, or not one line.")
    return f"{name}: {value}\r\n"


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
    header = Header(line, charset="utf-8", header_name=field, maxlinelen=76)
    return header.encode(linesep="\r\n")
