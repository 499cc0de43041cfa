"""Highlight code with Pygments at build time, and make its style sheet."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from html import escape
from typing import Any

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

from sitegen.markdown.merged_lexers import merged_lexer

# Characters of code per document; real pages have a seventh of it.
MAX_HIGHLIGHTED = 50_000
# Some lexers take quadratic time or worse on hostile code. Chunks bound it, at the
# price that a comment or string that spans two chunks loses its colour in the second.
MAX_CHUNK_LENGTH = 2_000
LINES = re.compile(r"[^\n]*\n|[^\n]+")

# Each takes at most a sixth of a second for a hostile chunk. C# is missing because its
# lexer takes half a second.
LANGUAGES = """
    abnf awk bash bat c clojure cmake console cpp css dart diff docker elixir erlang go
    graphql groovy haskell html http ini java javascript jinja json jsx kotlin less lua
    make nginx nix perl php powershell promql properties protobuf pycon python r ruby
    rust scala scss sed sql swift terraform toml tsx typescript vim xml yaml zig
"""
SUPPORTED = frozenset(LANGUAGES.split())
# For an unknown alias, Pygments would search all its lexers and plugins again.
LANGUAGE_BY_ALIAS = {
    alias.lower(): aliases[0]
    for _, aliases, _, _ in get_all_lexers(plugins=False)
    if not SUPPORTED.isdisjoint(aliases)
    for alias in aliases
}


class LightStyle(Style):
    """Dark text on a light background."""

    background_color = "#f4f4f1"
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


class DarkStyle(Style):
    """Light text on a dark background."""

    background_color = "#1b1e27"
    styles = LightStyle.styles | {
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


def highlight(
    code: str, language: str, check_time: Callable[[], None] = lambda: None
) -> str:
    """
    Return the code as HTML; code in an unknown language is only escaped.

    `check_time` is called for each chunk, and may raise an exception.
    """
    name = LANGUAGE_BY_ALIAS.get(language.lower())
    if name is None:
        return escape(code)
    parts = []
    for chunk in _chunks(code):
        check_time()
        if len(chunk) > MAX_CHUNK_LENGTH:
            parts.append(escape(chunk))
        else:
            parts += _spans(_lexer(name).get_tokens_unprocessed(chunk))
    return "".join(parts)


def _spans(tokens: Iterable[tuple[int, Any, str]]) -> Iterator[str]:
    """
    Join neighbouring tokens of the same class, and leave unstyled text without a span.

    The formatter of Pygments makes a span of each word and space: pages would be larger
    and builds slower.
    """
    pending: list[str] = []
    open_class = ""
    for _, token_type, text in tokens:
        css_class = _css_class(token_type)
        if css_class != open_class:
            yield _span(open_class, pending)
            pending, open_class = [], css_class
        pending.append(text)
    yield _span(open_class, pending)


def _span(css_class: str, texts: list[str]) -> str:
    text = escape("".join(texts), quote=False)
    return f'<span class="{css_class}">{text}</span>' if css_class else text


@cache
def _css_class(token_type: Any) -> str:
    """Return the class of a token type, "" if it has no style of its own."""
    while token_type not in STANDARD_TYPES:
        token_type = token_type.parent
    style = LightStyle.style_for_token(token_type)
    is_plain = style == LightStyle.style_for_token(Token)
    return "" if is_plain else STANDARD_TYPES[token_type]


@cache
def _lexer(name: str) -> Lexer:
    return merged_lexer(get_lexer_by_name(name, stripnl=False, ensurenl=False))


def _chunks(code: str) -> Iterator[str]:
    """Yield whole lines up to the maximum length; a longer line is a chunk alone."""
    chunk: list[str] = []
    length = 0
    for line in LINES.findall(code):
        if length + len(line) > MAX_CHUNK_LENGTH:
            yield "".join(chunk)
            chunk, length = [], 0
        chunk.append(line)
        length += len(line)
    yield "".join(chunk)


def stylesheet() -> str:
    """Return the style sheet of code: a rule for each style, with all its classes."""
    classes_by_style: dict[str, list[str]] = {}
    for token_type, css_class in STANDARD_TYPES.items():
        if _css_class(token_type):
            style = _declarations(token_type)
            classes_by_style.setdefault(style, []).append(f".{css_class}")
    ground = f"light-dark({LightStyle.background_color}, {DarkStyle.background_color})"
    rules = [f".code {{ background: {ground}; {_declarations(Token)} }}"]
    rules += (
        f".code :is({', '.join(classes)}) {{ {style} }}"
        for style, classes in classes_by_style.items()
    )
    return "\n".join(rules)


def _declarations(token_type: Any) -> str:
    light = LightStyle.style_for_token(token_type)
    dark = DarkStyle.style_for_token(token_type)
    return "; ".join(
        [
            f"color: light-dark(#{light['color']}, #{dark['color']})",
            *(["font-style: italic"] if light["italic"] else []),
            *(["font-weight: bold"] if light["bold"] else []),
        ]
    )
