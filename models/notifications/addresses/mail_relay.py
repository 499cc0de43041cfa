"""
Read the settings of the mail relay: its URL, and the mailbox that mails are from.

The module is pure: it reads no rows, no clock and no settings.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import ip_address, ip_network
from typing import Literal
from urllib.parse import unquote, urlsplit

Security = Literal["starttls", "tls", "plain"]

_SECURITY_AND_PORT: dict[str, tuple[Security, int]] = {
    "smtp": ("starttls", 587),
    "smtps": ("tls", 465),
    "smtp+plain": ("plain", 25),
}
_LABEL = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?")
_LOCAL_PART = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}")
_NAME = re.compile(r"[^\x00-\x1f\x7f-\x9f<>\"\\]{1,100}")


@dataclass(frozen=True)
class MailRelay:
    """The server that takes our mails and delivers them."""

    host: str
    port: int
    # Empty if the relay requires no login.
    user: str
    security: Security

    def is_allowed(self, networks: Sequence[str]) -> bool:
        """
        Return whether the setting may be used: only encrypted outside of networks.

        Names are judged again when they are resolved.
        """
        if self.security != "plain" or self.host == "localhost":
            return True
        if _ip_address(self.host):
            return may_be_unencrypted(self.host, networks)
        return bool(networks)


@dataclass(frozen=True)
class Mailbox:
    """An address with the name that mail programs show for it."""

    name: str
    address: str

    @property
    def domain(self) -> str:
        return self.address.rpartition("@")[2]


def parse_mail_relay(url: str) -> MailRelay:
    """Return the relay; raise ValueError with what the URL must be."""
    # urlsplit would remove control characters.
    if re.fullmatch(r"[!-~]+", url) and (relay := _relay_at(url)):
        return relay
    raise ValueError(
        "must be a URL such as smtp://user@mail.example.com:587 or"
        " smtps://user@mail.example.com:465, with special characters of the user"
        " percent-encoded and without the password"
    )


def _relay_at(url: str) -> MailRelay | None:
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return None
    is_more = parts.path or parts.query or parts.fragment or parts.password is not None
    if parts.scheme not in _SECURITY_AND_PORT or is_more or parts.username == "":
        return None
    # The zone of an IPv6 address has no place in a URL.
    if "%" in host or not (_is_host_name(host) or _ip_address(host)):
        return None
    security, usual_port = _SECURITY_AND_PORT[parts.scheme]
    user = unquote(parts.username or "")
    if not re.fullmatch(r"[ -~]*", user) or port == 0:
        return None
    return MailRelay(host, port or usual_port, user, security)


def parse_mailbox(text: str) -> Mailbox:
    """Return the mailbox that mails are from; raise ValueError with what it must be."""
    name, bracket, rest = text.rpartition("<")
    address = rest.removesuffix(">") if bracket else text
    name = name.strip().removeprefix('"').removesuffix('"').strip()
    is_complete = not bracket or (rest.endswith(">") and _NAME.fullmatch(name))
    local_part, _, domain = address.rpartition("@")
    if is_complete and _is_local_part(local_part) and _is_host_name(domain):
        return Mailbox(name, f"{local_part}@{domain.lower()}")
    raise ValueError(
        "must be an address such as status@example.com or"
        " Example status <status@example.com>"
    )


def may_be_unencrypted(address: str, networks: Sequence[str]) -> bool:
    """Return whether mails may pass unencrypted to this IP address."""
    found = ip_address(address)
    return found.is_loopback or any(found in ip_network(each) for each in networks)


def _is_host_name(text: str) -> bool:
    labels = text.split(".")
    # A name that ends in a number would be an IP address, written in another way.
    is_name = not labels[-1].isdigit() and len(text) <= 253
    return is_name and all(_LABEL.fullmatch(label) for label in labels)


def _is_local_part(text: str) -> bool:
    has_dots_between = not text.startswith(".") and not text.endswith(".")
    # Mail programs would decode =?, as the beginning of an encoded word.
    has_neither = ".." not in text and "=?" not in text
    return bool(_LOCAL_PART.fullmatch(text) and has_dots_between and has_neither)


def _ip_address(text: str) -> str | None:
    try:
        return str(ip_address(text))
    except ValueError:
        return None
