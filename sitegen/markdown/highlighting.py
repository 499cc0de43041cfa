"""Colours for code: the classes at build time, and the styles they refer to."""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from html import escape
from itertools import groupby
from typing import Any

from pygments.formatters import HtmlFormatter
from pygments.lexer import Lexer
from pygments.lexers import get_all_lexers, get_lexer_by_name
from pygments.style import Style
from pygments.token import (
    STANDARD_TYPES,
    Comment,
    Error,
    Generic,
    Keyword,
    Literal,
    Name,
    Number,
    Operator,
    Punctuation,
    String,
    Token,
)

# A document may have this much code in colours; real pages have a seventh of it.
COLOURED = 50_000
# Some lexers are quadratic or worse on code made to be so. Pieces keep that short, at
# the price that a comment or string across a cut loses its colour behind it.
LONGEST_PIECE = 2_000
LINES = re.compile(r"[^\n]*\n|[^\n]+")

# Each was measured on hostile pieces, and needs at most a sixth of a second for one.
# C# is not here since it needs half a second: its lexer is worse than quadratic.
LANGUAGES = """
    abnf awk bash bat c clojure cmake console cpp css dart diff docker elixir erlang go
    graphql groovy haskell html http ini java javascript jinja json jsx kotlin less lua
    make nginx nix perl php powershell promql properties protobuf pycon python r ruby
    rust scala scss sed sql swift terraform toml tsx typescript vim xml yaml zig
"""
COLOURABLE = frozenset(LANGUAGES.split())
# By every name a language goes by. Asking Pygments for a name it does not know would
# search all its lexers and plugins, each time anew.
NAMES = {
    alias.lower(): aliases[0]
    for _, aliases, _, _ in get_all_lexers(plugins=False)
    if not COLOURABLE.isdisjoint(aliases)
    for alias in aliases
}


class Light(Style):
    """Dark ink on a light ground."""

    background_color = "#f6f8fa"
    styles = {
        Token: "#24292f",
        Comment: "italic #57606a",
        Keyword: "#b31d28",
        Operator: "#b31d28",
        Punctuation: "#24292f",
        Name.Attribute: "#0550ae",
        Name.Builtin: "#0550ae",
        Name.Class: "#6f42c1",
        Name.Decorator: "#6f42c1",
        Name.Function: "#6f42c1",
        Name.Tag: "#116329",
        Name.Variable: "#953800",
        Literal: "#0550ae",
        Number: "#0550ae",
        String: "#0a3069",
        Generic.Deleted: "#a40e26",
        Generic.Emph: "italic",
        Generic.Heading: "bold",
        Generic.Inserted: "#116329",
        Generic.Strong: "bold",
        Error: "#a40e26",
    }


class Dark(Style):
    """Light ink on a dark ground."""

    background_color = "#161b22"
    styles = Light.styles | {
        Token: "#e6edf3",
        Comment: "italic #9aa4af",
        Keyword: "#ff938a",
        Operator: "#ff938a",
        Punctuation: "#e6edf3",
        Name.Attribute: "#8cc4ff",
        Name.Builtin: "#8cc4ff",
        Name.Class: "#d9b8ff",
        Name.Decorator: "#d9b8ff",
        Name.Function: "#d9b8ff",
        Name.Tag: "#85e28f",
        Name.Variable: "#ffb27a",
        Literal: "#8cc4ff",
        Number: "#8cc4ff",
        String: "#b3daff",
        Generic.Deleted: "#ffa8a1",
        Generic.Inserted: "#85e28f",
        Error: "#ffa8a1",
    }


def highlighted(code: str, language: str) -> str:
    """HTML of the code: spans with classes, or plain text for an unknown language."""
    name = NAMES.get(language.lower())
    if name is None:
        return escape(code)
    return "".join(_coloured(piece, _lexer(name)) for piece in _pieces(code))


def _coloured(piece: str, lexer: Lexer) -> str:
    if len(piece) > LONGEST_PIECE:
        return escape(piece)
    return "".join(_spans(lexer.get_tokens(piece)))


def _spans(tokens: Iterable[tuple[Any, str]]) -> Iterator[str]:
    """
    Join neighbours that look alike; what looks like the rest stands bare.

    The library's formatter puts each word and each space into a span of its own, which
    every reader loads and every build takes its time for.
    """
    for name, alike in groupby(tokens, lambda token: _class_of(token[0])):
        text = escape("".join(text for _, text in alike), quote=False)
        yield f'<span class="{name}">{text}</span>' if name else text


@cache
def _class_of(kind: Any) -> str:
    """Return the class of a kind of token, "" where it looks like all code."""
    while kind not in STANDARD_TYPES:
        kind = kind.parent
    theme = [Light.style_for_token(each) for each in (kind, Token)]
    return STANDARD_TYPES[kind] if theme[0] != theme[1] else ""


@cache
def _lexer(name: str) -> Lexer:
    return get_lexer_by_name(name, stripnl=False, ensurenl=False)


def _pieces(code: str) -> Iterator[str]:
    """The code cut between lines; one that is too long for colours stands alone."""
    piece: list[str] = []
    length = 0
    for line in LINES.findall(code):
        if length + len(line) > LONGEST_PIECE:
            yield "".join(piece)
            piece, length = [], 0
        piece.append(line)
        length += len(line)
    yield "".join(piece)


def page_styles() -> str:
    """
    The style sheet of all code: light, and dark where the reader or the system says.
    """
    dark = _rules(Dark, ':root[data-theme="dark"]')
    system = _rules(Dark, ':root:not([data-theme="light"])')
    return (
        f"{_rules(Light, '')}{dark}@media (prefers-color-scheme: dark) {{\n{system}}}\n"
    )


def _rules(style: type[Style], scope: str) -> str:
    """One rule for each look, with all the classes that have it."""
    ground = f"{scope} .code".strip()
    ink = f"#{style.style_for_token(Token)['color']}"
    rules = {f"background: {style.background_color}; color: {ink}": [ground]}
    formatter = HtmlFormatter(style=style)
    for line in formatter.get_token_style_defs(ground):
        selector, _, rest = line.partition(" { ")
        look = rest.partition(" }")[0]
        if look.lower() != f"color: {ink}":
            rules.setdefault(look, []).append(selector)
    return "".join(
        f"{', '.join(selectors)} {{ {look} }}\n" for look, selectors in rules.items()
    )
