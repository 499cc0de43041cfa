"""Parse the Markdown of messages to subscribers, who read it away from the site."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import takewhile

from markdown_it.common.normalize_url import normalizeLink
from markdown_it.token import Token

from models.display_text import printable
from models.locales import Locale
from models.notifications.messages.message_text import Message
from models.projects.documents.linking.link_resolver import site_href
from sitegen.markdown.links import LinkTarget, autolink_urls, link_target
from sitegen.markdown.rendering import make_parser
from sitegen.markdown.work_limits import WorkLimit, WorkLimitExceeded

PARSER = make_parser(is_document=False)


# Many subscribers get the same message.
@lru_cache(maxsize=200)
def parse_message(text: str, locale: Locale, site_url: str) -> Message:
    """
    Return the message with our words in a language, and with absolute links.

    Links to nowhere become text, and pictures links: in a mail they would tell their
    host who reads it, and when.
    """
    text = printable(text)
    try:
        tokens = PARSER.parse(text, {"limit": WorkLimit()})
    except WorkLimitExceeded:
        tokens = [Token("code_block", "code", 0, content=text, block=True)]
    autolink_urls(tokens)
    for index, token in enumerate(tokens):
        if token.type == "alert_title_open":
            kind = str(tokens[index - 1].info).lower()
            tokens[index + 1].children = [_text(locale.text(f"docs.admonition-{kind}"))]
        elif token.type == "list_item_open" and "checked" in token.meta:
            # No channel shows a checkbox.
            box = "[x] " if token.meta.pop("checked") else "[ ] "
            tokens[index + 2].children = [
                _text(box),
                *(tokens[index + 2].children or ()),
            ]
        elif token.children:
            children = [each for child in token.children for each in _linked(child)]
            token.children = list(_with_addresses(children, site_url))
    return Message(tokens)


def _linked(token: Token) -> list[Token]:
    """Return a picture as a link to it, and anything else as it is."""
    if token.type != "image":
        return [token]
    src = str(token.attrs["src"])
    link = Token("link_open", "a", 1, attrs={"href": src})
    return [link, _text(token.content or src), Token("link_close", "a", -1)]


def _with_addresses(tokens: Sequence[Token], site_url: str) -> Iterator[Token]:
    # Of links within links, only the outer one counts.
    is_link: list[bool] = []
    for index, token in enumerate(tokens):
        if token.type == "link_open":
            rest = tokens[index + 1 :]
            within = takewhile(lambda each: each.type != "link_close", rest)
            label = "".join(each.content for each in within)
            href = _address(str(token.attrs["href"]), label, site_url)
            is_link.append(bool(href and label.strip()) and not any(is_link))
            if is_link[-1]:
                yield token.copy(attrs={"href": href})
        elif token.type != "link_close" or is_link.pop():
            yield token


def _address(target: str, label: str, site_url: str) -> str | None:
    """Return the URL that a target means, None if there is none."""
    kind = link_target(target)
    if kind is LinkTarget.SITE:
        path = site_href(target)
        return path and normalizeLink(site_url + path)
    if kind not in (LinkTarget.WEB, LinkTarget.MAIL):
        return None
    # What is its own label is shown as its author wrote it.
    is_bare = label == target and target.split() == [target]
    return target if is_bare else normalizeLink(target.strip())


def _text(content: str) -> Token:
    return Token("text", "", 0, content=content)
