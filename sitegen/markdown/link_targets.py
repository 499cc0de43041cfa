"""Classify the targets of links and images, and reject unsafe ones."""

import re
from enum import Enum

SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*):")
# Browsers drop tabs, line ends and leading controls from an address before they read
# its scheme, so a target that contains any of them is unsafe.
CONTROL = re.compile(r"[\x00-\x1f\x7f]")
# Two slashes name another host; browsers read a backslash as a slash.
OTHER_HOST = re.compile(r"\s*[/\\]{2}")
# The attributes of a link to another website.
EXTERNAL = ' class="external" rel="noopener"'


class LinkTarget(Enum):
    WEB = "web"
    MAIL = "mail"
    FRAGMENT = "fragment"
    SITE = "site"
    UNSAFE = "refused"


SCHEMES = {"http": LinkTarget.WEB, "https": LinkTarget.WEB, "mailto": LinkTarget.MAIL}


def link_target(href: str) -> LinkTarget:
    """Return the kind of a target; any scheme that is not listed is unsafe."""
    if CONTROL.search(href) or OTHER_HOST.match(href):
        return LinkTarget.UNSAFE
    if scheme := SCHEME.match(href.strip()):
        return SCHEMES.get(scheme[1].lower(), LinkTarget.UNSAFE)
    return LinkTarget.FRAGMENT if href.startswith("#") else LinkTarget.SITE


def is_allowed_image(source: str) -> bool:
    """Return whether an image is at an https address or on the site itself."""
    target = link_target(source)
    if target is LinkTarget.WEB:
        return source.strip().lower().startswith("https:")
    return target is LinkTarget.SITE and bool(source.strip())
