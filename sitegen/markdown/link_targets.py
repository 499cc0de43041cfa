"""What kind of place the address in a link or an image leads to."""

import re
from enum import Enum

SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*):")
# Browsers drop tabs, line ends and leading controls from an address before they read
# its scheme, so an address that holds any is never looked at further.
CONTROL = re.compile(r"[\x00-\x1f\x7f]")
# Two slashes name another host; browsers read a backslash as a slash.
OTHER_HOST = re.compile(r"\s*[/\\]{2}")


class Target(Enum):
    """Where an address leads."""

    WEB = "web"
    MAIL = "mail"
    FRAGMENT = "fragment"
    SITE = "site"
    REFUSED = "refused"


ALLOWED = {"http": Target.WEB, "https": Target.WEB, "mailto": Target.MAIL}


def target_of(address: str) -> Target:
    """Schemes are allowed by name: one nobody thought of is refused."""
    if CONTROL.search(address) or OTHER_HOST.match(address):
        return Target.REFUSED
    if scheme := SCHEME.match(address.strip()):
        return ALLOWED.get(scheme[1].lower(), Target.REFUSED)
    return Target.FRAGMENT if address.startswith("#") else Target.SITE


def may_show(address: str) -> bool:
    """Whether an image may come from there: over https, or from the site itself."""
    target = target_of(address)
    if target is Target.WEB:
        return address.strip().lower().startswith("https:")
    return target is Target.SITE and bool(address.strip())
