"""
Write the text of a message as mails, calendars and chat rooms display it.

Its tokens come from the parser of the site; their links are absolute. The module is
pure: it reads no rows, no clock and no settings.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile

from markdown_it.presets import commonmark
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import OptionsDict

from models.locales import Locale
from models.notifications.messages.text_limits import Piece, fitted, words

_HTML = RendererHTML()
_HTML_OPTIONS = OptionsDict(commonmark.make()["options"])
# What separates a block from the next one, or a cell from the next one.
_GAPS = dict.fromkeys(("list_item_close", "thead_close", "tr_close"), "\n")
_GAPS |= dict.fromkeys(("td_close", "th_close"), " | ")


@dataclass(frozen=True)
class Dialect:
    """
    How a channel writes what Markdown expresses.

    `literal` writes a text in which nothing is a mark, and `code` one between the marks
    of code. Marks are written on both sides; "" means that the channel does not have
    it. `link` takes a label and a URL, which may be the same.
    """

    literal: Callable[[str], str]
    code: Callable[[str], str]
    link: Callable[[str, str], str]
    strong: str
    emphasis: str
    strike: str
    code_mark: str
    fence: str
    bullet: str
    quote: str


def _plain_link(label: str, url: str) -> str:
    return label if label == url.removeprefix("mailto:") else f"{label} ({url})"


# As people write mails: with lists, quotations and emphasis, and without other marks.
PLAIN = Dialect(
    literal=str,
    code=str,
    link=_plain_link,
    strong="",
    emphasis="*",
    strike="~~",
    code_mark="",
    fence="",
    bullet="- ",
    quote="> ",
)


class Message:
    """The text of a message, which many subscribers get."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens = tokens

    @cached_property
    def html(self) -> str:
        """The message without classes and styles, for mails."""
        return _HTML.render(self._tokens, _HTML_OPTIONS, {}).strip()

    @cached_property
    def plain(self) -> str:
        lines = self.fitted(PLAIN, lambda _: True).split("\n")
        return "\n".join(map(str.rstrip, lines))

    def fitted(self, dialect: Dialect, fits: Callable[[str], bool]) -> str:
        """Return the message as the channel writes it, cut so that it fits."""
        return fitted(_Writer(dialect).write(self._tokens), fits)


# Reads Markdown, with our words in a language, and with the URL of the site.
ParseMessage = Callable[[str, Locale, str], Message]


class _Writer:
    """Writes tokens as pieces between which the text may be cut."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._pieces: list[Piece] = []
        # Marks and spaces, which belong to the piece that follows them.
        self._pending = self._gap = ""
        self._open: list[str] = []
        # What the lines of quotations and lists begin with.
        self._indents: list[str] = []

    def write(self, tokens: Iterable[Token]) -> list[Piece]:
        for token in tokens:
            if token.type == "inline":
                self._inline(iter(token.children or ()))
            elif token.nesting == -1:
                self._end_block(token)
            else:
                self._begin_block(token)
        return [*self._pieces, (self._pending, "")]

    def _begin_block(self, token: Token) -> None:
        dialect = self._dialect
        if token.type in ("bullet_list_open", "ordered_list_open") and self._indents:
            self._gap = self._gap and "\n"
        elif token.type in ("fence", "code_block"):
            self._code_block(token.content.removesuffix("\n"))
        elif token.type == "hr":
            self._add("---")
            self._gap = "\n\n"
        elif token.type in ("heading_open", "alert_title_open"):
            self._begin_mark(dialect.strong)
        elif token.type in ("blockquote_open", "alert_open"):
            self._indent(dialect.quote, dialect.quote)
        elif token.type == "list_item_open":
            number = f"{token.info}{token.markup} "
            marker = number if token.info else dialect.bullet
            self._indent(marker, " " * len(marker))

    def _end_block(self, token: Token) -> None:
        if token.type in ("heading_close", "alert_title_close"):
            self._end_mark()
        elif token.type in ("blockquote_close", "alert_close", "list_item_close"):
            self._indents.pop()
        self._gap = _GAPS.get(token.type, "\n\n")

    def _indent(self, first: str, rest: str) -> None:
        self._flush_gap()
        self._pending += first
        self._indents.append(rest)

    def _code_block(self, code: str) -> None:
        fence = self._dialect.fence
        self._flush_gap()
        self._pending += fence and f"{fence}\n"
        self._open.append(fence and f"\n{fence}")
        self._words(self._code(code, fence))
        self._end_mark()
        self._gap = "\n\n"

    def _code(self, code: str, mark: str) -> str:
        """Return the code without the mark that would end it."""
        text = self._dialect.code(code)
        return text.replace(mark, "'" * len(mark)) if mark else text

    def _inline(self, tokens: Iterator[Token]) -> None:
        dialect = self._dialect
        marks = {"strong": dialect.strong, "em": dialect.emphasis, "s": dialect.strike}
        for token in tokens:
            if token.type == "text":
                self._words(dialect.literal(token.content))
            elif token.type == "code_inline":
                mark = dialect.code_mark
                self._add(f"{mark}{self._code(token.content, mark)}{mark}")
            elif token.type in ("softbreak", "hardbreak"):
                # A mark ends with its line, since some channels have none that go on.
                self._pending += "".join(reversed(self._open))
                self._pending += self._lines("\n") + "".join(self._open)
            elif token.type == "link_open":
                within = takewhile(lambda each: each.type != "link_close", tokens)
                label = "".join(
                    " " if each.type.endswith("break") else each.content
                    for each in within
                )
                self._add(dialect.link(label, str(token.attrs["href"])))
            elif token.nesting == 1:
                self._begin_mark(marks[token.tag])
            else:
                self._end_mark()

    def _begin_mark(self, mark: str) -> None:
        self._flush_gap()
        self._open.append("" if mark in self._open else mark)
        self._pending += self._open[-1]

    def _end_mark(self) -> None:
        self._pending += self._lines(self._open.pop())

    def _words(self, text: str) -> None:
        for word in words(text):
            if word.isspace():
                self._pending += self._lines(word)
            else:
                self._add(word)

    def _add(self, text: str) -> None:
        self._flush_gap()
        end = self._lines("".join(reversed(self._open)))
        self._pieces.append((self._pending + text, end))
        self._pending = ""

    def _flush_gap(self) -> None:
        self._pending += self._lines(self._gap)
        self._gap = ""

    def _lines(self, text: str) -> str:
        return text.replace("\n", "\n" + "".join(self._indents))
