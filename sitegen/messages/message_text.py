"""
The text of a message: Markdown as mails, calendars and chat rooms display it.

The tokens come from the parser of the site, with absolute links, since subscribers read
messages away from the site.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import takewhile

from markdown_it.common.normalize_url import normalizeLink
from markdown_it.presets import commonmark
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import OptionsDict

from models.display_text import printable
from models.locales import Locale
from models.projects.documents.linking.link_resolver import site_href
from sitegen.markdown.links import LinkTarget, autolink_urls, link_target
from sitegen.markdown.rendering import make_parser
from sitegen.markdown.work_limits import WorkLimit, WorkLimitExceeded
from sitegen.messages.text_limits import Piece, fitted, words

PARSER = make_parser(is_document=False)
_HTML = RendererHTML()
_HTML_OPTIONS = OptionsDict(commonmark.make()["options"])
# What separates a block from the next one, or a cell from the next one.
_GAPS = dict.fromkeys(("list_item_close", "thead_close", "tr_close"), "\n")
_GAPS |= dict.fromkeys(("td_close", "th_close"), " | ")


class Dialect:
    """
    How a channel writes what Markdown expresses: here, as people write plain mails.

    Marks are written on both sides; "" means that the channel does not have it.
    """

    strong = ""
    emphasis = "*"
    strike = "~~"
    code_mark = ""
    fence = ""
    bullet = "- "
    quote = "> "

    def literal(self, text: str) -> str:
        """Return a text in which nothing is a mark."""
        return text

    def code(self, text: str) -> str:
        """Return a text between the marks of code."""
        return text

    def link(self, label: str, url: str) -> str:
        """Return a link; its label and its URL may be the same."""
        return label if label == url.removeprefix("mailto:") else f"{label} ({url})"


PLAIN = Dialect()


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
