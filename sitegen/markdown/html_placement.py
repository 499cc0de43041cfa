"""Place the tags that authors write among the elements of Markdown, balanced."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import unescape

from markdown_it.token import Token

from sitegen.markdown.html_rules import comment_end, match_tag
from sitegen.markdown.html_tags import (
    BLOCKS,
    HEADINGS,
    INLINE,
    VOID,
    Tag,
    read_tag,
    without_controls,
)
from sitegen.markdown.link_targets import LinkTarget, link_target
from sitegen.markdown.work_limits import WorkLimit, WorkLimitExceeded

MAX_OPEN_TAGS = 100
# What an opening tag closes first, since authors may leave out these closing tags.
_CELLS, _SECTIONS = {"td", "th"}, {"tbody", "thead", "tfoot"}
_CLOSED_BY = {
    "li": {"li"},
    "dt": {"dt", "dd"},
    "dd": {"dt", "dd"},
    "td": _CELLS,
    "th": _CELLS,
    "tr": _CELLS | {"tr"},
    **dict.fromkeys(_SECTIONS, _CELLS | _SECTIONS | {"tr", "caption", "colgroup"}),
}
# Screen readers cannot announce these without the element around them.
_PARENTS = {"li": {"ul", "ol"}, "dt": {"dl"}, "dd": {"dl"}}


def place_html(
    tokens: Sequence[Token], limit: WorkLimit, ids: dict[str, None]
) -> "PlacedHtml":
    """
    Replace HTML by tokens of elements that are closed where they were opened.

    A tag that an author leaves open is closed with the element of Markdown around it,
    and a tag that closes nothing is dropped. The ids of elements are added to `ids`.
    """
    placer = _Placer(limit, ids)
    placer.place(tokens)
    return PlacedHtml(placer.tokens, placer.has_tags)


@dataclass(frozen=True)
class PlacedHtml:
    tokens: list[Token]
    # False if all HTML was comments.
    has_tags: bool


@dataclass(frozen=True)
class _Open:
    """An open element: with its closing token if it is the author's."""

    name: str
    closing: Token | None = None
    # How much of the author's source a browser may repeat in each paragraph.
    size: int = 0


class _Placer:
    def __init__(self, limit: WorkLimit, ids: dict[str, None]) -> None:
        self.tokens: list[Token] = []
        self.has_tags = False
        self._limit = limit
        self._ids = ids
        self._open: list[_Open] = []
        self._repeatable_size = 0
        # The inline token that receives tokens, and the token that closes its block.
        self._inline: Token | None = None
        self._inline_end: Token | None = None
        # Closing tags in a paragraph, of elements that were opened before it.
        self._close_after_paragraph: list[str] = []

    def place(self, tokens: Sequence[Token]) -> None:
        for token in tokens:
            if token.type == "html_block":
                self._place_block(token.content)
            elif token.type == "inline":
                self._place_inline(token)
            else:
                self._place_element(token)
        self._close_down_to(0)

    def _emit(self, token: Token) -> None:
        output = self.tokens if self._inline is None else self._inline.children
        assert output is not None
        output.append(token)

    def _place_element(self, token: Token) -> None:
        """Place an element of Markdown; what authors opened in it ends with it."""
        if token.nesting == -1:
            start = self._innermost_element()
            self._close_down_to(start + 1)
            self._open.pop()
        self._emit(token)
        if token.nesting == 1:
            self._open.append(_Open(token.type))
        elif token.nesting == -1:
            pending, self._close_after_paragraph = self._close_after_paragraph, []
            for name in pending:
                self._close(name)
        self._limit.add_html(self._repeatable_size)

    def _innermost_element(self) -> int:
        """Return the position of the innermost open element of Markdown."""
        position = len(self._open) - 1
        while self._open[position].closing is not None:
            position -= 1
        return position

    def _place_inline(self, token: Token) -> None:
        if not any(child.type == "html_inline" for child in token.children or ()):
            self.tokens.append(token)
            return
        children = token.children or []
        self._start_run(token)
        token.children = []
        for child in children:
            if child.type == "html_inline":
                self._limit.step()
                if comment_end(child.content, 0) < 0:
                    self._place_tag(read_tag(child.content), child.content)
            else:
                self._place_element(child)
        self._end_run()

    def _place_block(self, source: str) -> None:
        pieces = iter(_pieces(source))
        for piece in pieces:
            self._limit.step()
            if match_tag(piece, 0) < 0:
                self._place_text(unescape(piece))
                continue
            tag = read_tag(piece)
            if tag.name not in INLINE:
                self._end_run()
            if tag.name == "video" and not tag.is_closing:
                self._place_video(tag, pieces)
            else:
                self._place_tag(tag, piece)
        self._end_run()

    def _place_video(self, tag: Tag, pieces: Iterator[str]) -> None:
        """Place a video with its first source in the site; drop what is in it."""
        attributes = dict(tag.attributes)
        sources = [attributes.pop("src", "")]
        for piece in pieces:
            inner = read_tag(piece) if match_tag(piece, 0) >= 0 else None
            if inner and inner.is_closing and inner.name == "video":
                break
            if inner and inner.name == "source":
                sources.append(inner.attributes.get("src", ""))
        source = next(filter(_is_in_site, sources), None)
        if source is not None:
            self.has_tags = True
            self._emit(Token("video", "video", 0, attrs={**attributes, "src": source}))

    def _place_text(self, text: str) -> None:
        if self._inline is None:
            is_code = bool(self._open) and self._open[-1].name == "pre"
            text = text if is_code else text.lstrip()
            if not text:
                return
            self._start_text()
        assert self._inline is not None
        text = without_controls(text)
        self._inline.content += text
        self._emit(Token("text", "", 0, content=text))

    def _start_text(self) -> None:
        """Begin a run of text in a block of HTML, in a paragraph unless it is in one"""
        if not self._open or self._open[-1].closing is None:
            self._emit(Token("paragraph_open", "p", 1, block=True))
            end = Token("paragraph_close", "p", -1, block=True)
            self._start_run(_inline_token(), end)
        else:
            self._start_run(_inline_token())

    def _start_run(self, inline: Token, end: Token | None = None) -> None:
        self._emit(inline)
        self._inline, self._inline_end = inline, end
        self._open.append(_Open("inline"))

    def _end_run(self) -> None:
        if self._inline is None:
            return
        self._close_down_to(self._innermost_element() + 1)
        self._open.pop()
        end, self._inline, self._inline_end = self._inline_end, None, None
        if end is not None:
            self._emit(end)

    def _place_tag(self, tag: Tag, source: str) -> None:
        self.has_tags = True
        if tag.is_closing:
            self._close(tag.name)
        elif tag.name in HEADINGS and self._inline is None:
            self._open_heading(tag)
        elif tag.name in INLINE | BLOCKS:
            self._open_tag(tag, len(source))
        else:
            # The tag is removed, but links lead to it.
            for token in _anchor(self._unused_id(tag.attributes.get("id", ""))):
                self._emit(token)

    def _open_heading(self, tag: Tag) -> None:
        self._emit(Token("heading_open", tag.name, 1, block=True))
        end = Token("heading_close", tag.name, -1, block=True)
        if id := tag.attributes.get("id"):
            end.meta["explicit_id"] = id
        self._start_run(_inline_token(), end)

    def _open_tag(self, tag: Tag, size: int) -> None:
        if self._inline is None and tag.name in INLINE:
            self._start_text()
        self._close_implied(tag.name)
        if not self._has_parent(tag.name):
            return
        opening, closing = self._tokens(tag)
        for token in opening:
            self._emit(token)
        if closing is None or tag.is_empty:
            if closing is not None:
                self._emit(closing)
            return
        if len(self._open) >= MAX_OPEN_TAGS:
            raise WorkLimitExceeded
        repeatable = size if tag.name in INLINE else 0
        self._open.append(_Open(tag.name, closing, repeatable))
        self._repeatable_size += repeatable
        self._limit.add_html(self._repeatable_size)

    def _close_implied(self, name: str) -> None:
        names = _CLOSED_BY.get(name, set()) | ({"p"} if name in BLOCKS else set())
        while self._open and self._open[-1].closing and self._open[-1].name in names:
            self._close_down_to(len(self._open) - 1)

    def _has_parent(self, name: str) -> bool:
        if name not in _PARENTS:
            return True
        for element in reversed(self._open):
            if element.closing is None and element.name != "inline":
                return False
            if element.name in _PARENTS[name]:
                return True
        return False

    def _close(self, name: str) -> None:
        """Close the element with this name, unless an element of Markdown is in it."""
        is_paragraph = False
        for position in range(len(self._open) - 1, -1, -1):
            element = self._open[position]
            if element.closing is None:
                if element.name not in ("inline", "paragraph_open"):
                    return
                is_paragraph = True
            elif element.name == name:
                if is_paragraph:
                    self._close_after_paragraph.append(name)
                else:
                    self._close_down_to(position)
                return

    def _close_down_to(self, length: int) -> None:
        while len(self._open) > length:
            element = self._open.pop()
            assert element.closing is not None
            self._repeatable_size -= element.size
            self._emit(element.closing)

    def _tokens(self, tag: Tag) -> tuple[list[Token], Token | None]:
        """Return the tokens that open an element, and the one that closes it."""
        name, attributes = tag.name, dict(tag.attributes)
        id = self._unused_id(attributes.pop("id", "") or attributes.pop("name", ""))
        if name == "img":
            return [*_anchor(id), _image(attributes)], None
        if name == "a":
            if "href" not in attributes:
                return _anchor(id), None
            link = Token("link_open", "a", 1, attrs=dict(attributes))
            return [*_anchor(id), link], Token("link_close", "a", -1)
        if name == "table":
            opening = [*_anchor(id), Token("table_open", "table", 1)]
            return opening, Token("table_close", "table", -1)
        if name == "pre":
            opening = [*_anchor(id), Token("pre_open", "pre", 1)]
            return opening, Token("pre_close", "pre", -1)
        if name == "video":
            # In a line of text, where only its own attribute says what it shows.
            is_shown = _is_in_site(attributes.get("src", ""))
            return [Token("video", "video", 0, attrs=dict(attributes))] * is_shown, None
        if id:
            attributes["id"] = id
        is_block = name in BLOCKS
        element = Token("html_tag", name, 1, attrs=dict(attributes), block=is_block)
        closing = Token("html_tag", name, -1, block=is_block)
        return [element], None if name in VOID else closing

    def _unused_id(self, id: str) -> str:
        if not id or id in self._ids:
            return ""
        self._ids[id] = None
        return id


def _pieces(source: str) -> Iterator[str]:
    """Split a block of HTML into tags and the text between them, without comments."""
    text_start = position = 0
    while (position := source.find("<", position)) >= 0:
        after_comment = comment_end(source, position)
        end = after_comment if after_comment >= 0 else match_tag(source, position)
        if end < 0:
            position += 1
            continue
        if text_start < position:
            yield source[text_start:position]
        if after_comment < 0:
            yield source[position:end]
        text_start = position = end
    if text_start < len(source):
        yield source[text_start:]


def _inline_token() -> Token:
    return Token("inline", "", 0, children=[])


def _anchor(id: str) -> list[Token]:
    if not id:
        return []
    opening = Token("html_tag", "span", 1, attrs={"id": id})
    return [opening, Token("html_tag", "span", -1)]


def _image(attributes: dict[str, str]) -> Token:
    alt = attributes.pop("alt", "")
    children = [Token("text", "", 0, content=alt)]
    attrs = {"src": attributes.pop("src", ""), "alt": "", **attributes}
    return Token("image", "img", 0, attrs=dict(attrs), children=children, content=alt)


def _is_in_site(source: str) -> bool:
    return bool(source) and link_target(source) is LinkTarget.SITE
