"""The links of documents: which are safe, bare URLs, and where they lead on a page."""

import re
from collections.abc import Iterator, Sequence
from enum import Enum
from html import escape

from markdown_it.common.normalize_url import normalizeLink
from markdown_it.token import Token
from markdown_it.utils import EnvType

# Stands before the number of a target that is resolved when a page is made. `render`
# removes it from documents, so that these cannot contain it.
TARGET_MARK = "\x01"
# How much longer than its target a resolved link can be.
RESOLVED_LINK_BYTES = 100
SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*):")
# Browsers drop tabs, line ends and leading controls from an address before they read
# its scheme, so a target that contains any of them is unsafe.
CONTROL = re.compile(r"[\x00-\x1f\x7f]")
# Two slashes name another host; browsers read a backslash as a slash.
OTHER_HOST = re.compile(r"\s*[/\\]{2}")
# The attributes of a link to another website.
EXTERNAL = ' class="external" rel="noopener"'
# In rendered HTML, where attributes are escaped, and no link is in a link.
_LINK = re.compile(
    rf'<a href="{TARGET_MARK}(\d+)"([^<>]*+)>((?:[^<]++|<(?!/?a[ >]))*+)</a>'
)

# linkify-it-py took 22 times as long on real documents (0.17 s of 0.27 s per 72 pages),
# keeps bidirectional controls inside links, and knows neither IPv6 nor bare www.

# A URL ends at white space, a quote, an angle bracket or a bidirectional control.
_URL = re.compile(
    r"(?<![A-Za-z0-9/@])(?:https?://[A-Za-z0-9\[]|www\.[A-Za-z0-9-]+\.)"
    r"[^\s<>\"\u200e\u200f\u202a-\u202e\u2066-\u2069]*",
    re.IGNORECASE,
)
# Punctuation that ends a sentence is not part of the URL.
_TRAILING = "?!.,:;*_~'"


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


def autolink_urls(tokens: Sequence[Token]) -> None:
    """Turn URLs in the text into links, as GitHub-flavoured Markdown does."""
    # Tokens without a URL are skipped: checking all of them would double the work.
    for token in tokens:
        if token.children and ("://" in token.content or "www." in token.content):
            token.children = list(_with_links(token.children))


def _with_links(children: Sequence[Token]) -> Iterator[Token]:
    depth = 0
    for token in children:
        depth += token.nesting if token.type in ("link_open", "link_close") else 0
        if token.type == "text" and not depth:
            yield from _split_text(token.content)
        else:
            yield token


def _split_text(text: str) -> Iterator[Token]:
    end = 0
    for match in _URL.finditer(text):
        url = _trim(match[0])
        href = url if "://" in url else f"https://{url}"
        yield Token("text", "", 0, content=text[end : match.start()])
        yield Token("link_open", "a", 1, attrs={"href": href})
        yield Token("text", "", 0, content=url)
        yield Token("link_close", "a", -1)
        end = match.start() + len(url)
    yield Token("text", "", 0, content=text[end:])


def _trim(url: str) -> str:
    """Remove trailing punctuation, and closing brackets that were opened before."""
    unopened = url.count(")") - url.count("(")
    end = len(url)
    while url[end - 1] in _TRAILING or (url[end - 1] == ")" and unopened > 0):
        unopened -= url[end - 1] == ")"
        end -= 1
    return url[:end]


def link_open(token: Token, env: EnvType) -> str:
    # The parser allows <https://…> inside links; only the outer link is rendered.
    is_inner = bool(env["open_links"])
    opening, closing = ("", "") if is_inner else _link_tags(token, env)
    env["open_links"].append(closing)
    return opening


def link_close(_: Token, env: EnvType) -> str:
    return str(env["open_links"].pop())


def _link_tags(token: Token, env: EnvType) -> tuple[str, str]:
    target, title = str(token.attrs["href"]), token.attrs.get("title")
    anchor = anchor_of(token)
    kind = link_target(target)
    if kind is LinkTarget.UNSAFE:
        return anchor, ""
    href = escape(normalizeLink(target.strip()))
    if kind in (LinkTarget.SITE, LinkTarget.FRAGMENT):
        href = f"{TARGET_MARK}{target_number(target, env)}"
        env["limit"].add_link(RESOLVED_LINK_BYTES + len(escape(target).encode()))
    external = EXTERNAL if kind is LinkTarget.WEB else ""
    title = f' title="{escape(str(title))}"' if title else ""
    return f'{anchor}<a{external} href="{href}"{title}>', "</a>"


def target_number(target: str, env: EnvType) -> int:
    """Return the number of a target that is resolved when a page is made."""
    number: int = env["links"].setdefault(target, len(env["links"]))
    return number


def anchor_of(token: Token) -> str:
    """Return an element with the id of an image or link, which may become text."""
    id = token.attrs.get("id")
    return f'<span id="{escape(str(id))}"></span>' if id else ""


def put_addresses(html: str, addresses: Sequence[str | None]) -> str:
    """Put addresses into the links, by number; one without becomes its text."""

    def replacement(link: re.Match[str]) -> str:
        address = addresses[int(link[1])]
        if address is None:
            return link[3]
        external = EXTERNAL if link_target(address) is LinkTarget.WEB else ""
        return f'<a{external} href="{escape(address)}"{link[2]}>{link[3]}</a>'

    return _LINK.sub(replacement, html)
