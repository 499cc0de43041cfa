"""Addresses that stand in the text without any marks: they are links too."""

import re
from collections.abc import Iterator

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

BARE = re.compile(
    r"(?<![^\s*_~(])(?:https?://|www\.)[a-z0-9\[][^\s<>]*",
    re.IGNORECASE,
)
# What ends a sentence is no part of the address in it.
TRAILING = "?!.,:;*_~'\""


def bare_links(parser: MarkdownIt) -> None:
    """Teach the parser that https://example.com/ is a link as it stands."""
    parser.core.ruler.push("bare_links", _find)


def _find(state: StateCore) -> None:
    for token in state.tokens:
        # Looked at only where there can be one: this would else cost as much as all.
        if token.children and ("://" in token.content or "www." in token.content):
            token.children = list(_linked(token.children))


def _linked(tokens: list[Token]) -> Iterator[Token]:
    depth = 0
    for token in tokens:
        depth += token.nesting if token.type in ("link_open", "link_close") else 0
        if token.type == "text" and not depth:
            yield from _parts(token)
        else:
            yield token


def _parts(token: Token) -> Iterator[Token]:
    text, level, done = token.content, token.level, 0
    for found in BARE.finditer(text):
        address = _without_end(found[0])
        if len(address.partition("//")[2] or address) < 4:
            continue
        if found.start() > done:
            yield Token("text", "", 0, content=text[done : found.start()], level=level)
        has_scheme = "://" in address[:8]
        href = address if has_scheme else f"http://{address}"
        yield Token("link_open", "a", 1, attrs={"href": href}, level=level)
        yield Token("text", "", 0, content=address, level=level + 1)
        yield Token("link_close", "a", -1, level=level)
        done = found.start() + len(address)
    if done < len(text):
        yield Token("text", "", 0, content=text[done:], level=level)


def _without_end(address: str) -> str:
    """Cut off punctuation, and brackets that were opened before the address."""
    extra = address.count(")") - address.count("(")
    end = len(address)
    while end:
        last = address[end - 1]
        if last == ")" and extra > 0:
            extra -= 1
        elif last not in TRAILING:
            break
        end -= 1
    return address[:end]
