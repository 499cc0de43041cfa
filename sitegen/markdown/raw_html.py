"""
Raw HTML in documents: allowed tags stay, and all others are shown as text.

The parser finds the HTML as CommonMark says. Here its tags are reduced to what authors
may write. In the end nh3 parses the whole body as a browser would, balances it, and
keeps only what the site itself writes.
"""

import re
from collections.abc import Iterator, Sequence
from html import escape, unescape

import nh3
from markdown_it import MarkdownIt
from markdown_it.common.html_re import close_tag, open_tag
from markdown_it.rules_block import StateBlock
from markdown_it.rules_block.html_block import html_block
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.html_inline import html_inline
from markdown_it.token import Token
from markdown_it.utils import EnvType

from sitegen.markdown import math
from sitegen.markdown.html_tags import (
    ALLOWED,
    BLOCK_LEVEL,
    BLOCKS,
    CONTAINERS,
    HEADINGS,
    INLINE,
    NAME,
    PARENTS,
    TRANSPARENT,
    VOID,
    Tag,
    read_tag,
    without_controls,
)
from sitegen.markdown.images import RESOLVED_IMAGE_BYTES, size_of
from sitegen.markdown.links import (
    TARGET_MARK,
    LinkTarget,
    link_open,
    link_target,
    target_number,
)
from sitegen.markdown.tables import TABLE_END, table_open
from sitegen.markdown.work_limits import WorkLimitExceeded

MAX_OPEN_TAGS = 100
# A tag counts as so much HTML. 100,000 tags that are misplaced in a table take the
# sanitiser two seconds.
TAG_BYTES = 100
_COMMENT_START, _COMMENT_END = "<!--", "-->"
# Browsers forgive more than CommonMark: attributes without a space between them, and
# signs that are none.
_FORGIVEN = r"<[A-Za-z][A-Za-z0-9-]*+[\s/](?:[^<>\"']++|\"[^\"<>]*+\"|'[^'<>]*+')*+>"
_TAG = re.compile(f"{open_tag}|{close_tag}|{_FORGIVEN}")
# One that begins and ends in one block of HTML.
_HEADING = re.compile(
    r"(<(h[1-6])(?:\s(?:[^<>\"']++|\"[^\"]{0,1000}+\"|'[^']{0,1000}+')*+)?>)"
    r"((?:[^<]++|<(?!/?h[1-6]\b))*+)</\2\s*>",
    re.IGNORECASE,
)
# Elements that the site puts into another, and how both begin and end.
_PRE_OPEN = '<div class="code"><pre tabindex="0">'
_WRAPPED_ENDS = {"pre": "</pre></div>\n", "table": TABLE_END}

# What the renderer writes, and what authors may write.
_TAGS = {"div", "input", "label", "section", "source", "span", *INLINE, *BLOCKS}
_TAGS |= math.TAGS
_ATTRIBUTES = {
    **math.ATTRIBUTES,
    "*": {"class", "dir", "id", "lang", "title"} | math.ATTRIBUTES["*"],
    "a": {"aria-label", "href", "rel"},
    "col": {"span"},
    "colgroup": {"span"},
    "details": {"open"},
    "div": {"aria-label", "data-language", "role", "tabindex"},
    "img": {"alt", "decoding", "height", "loading", "src", "width"},
    "input": {"aria-label", "checked", "disabled", "name", "type"},
    "label": {"for"},
    "li": {"value"},
    "ol": {"reversed", "start", "type"},
    "pre": {"tabindex"},
    "section": {"aria-label"},
    "source": {"src"},
    "span": {"aria-hidden", "data-line"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan", "scope"},
    "video": {"height", "src", "width"},
}
_SCHEMES = {"http", "https", "mailto"}
# The parser of HTML ends a paragraph before a block, and begins one at a stray </p>.
# Anchors alone need no paragraph either.
_EMPTY_PARAGRAPH = re.compile(
    r"<p(?: class=\"[a-z-]*\")?>((?:\s++|<span id=\"[^\"<>]*+\"></span>)*+)</p>\n?"
)


def enable_html(parser: MarkdownIt) -> None:
    parser.options["html"] = True
    parser.block.ruler.at(
        "html_block", _parse_block, {"alt": ["paragraph", "reference", "blockquote"]}
    )
    parser.inline.ruler.at("html_inline", _parse_inline)


def _parse_block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    position = state.bMarks[start] + state.tShift[start]
    if not state.src.startswith("<", position):
        return False
    name = NAME.match(state.src, position)
    is_tag = name is not None and name[1].lower() in BLOCK_LEVEL
    if not is_tag and not _is_comment_block(state, position, state.eMarks[start]):
        return False
    is_block = html_block(state, start, end, silent)
    if is_block and not silent:
        state.env["has_html"] = True
    return is_block


def _is_comment_block(state: StateBlock, start: int, line_end: int) -> bool:
    """Return whether a comment starts here; what follows it in its line is Markdown."""
    # Looked up once: a text can have very many comments that never end.
    last_end = state.env.setdefault("last_comment_end", state.src.rfind(_COMMENT_END))
    if not state.src.startswith(_COMMENT_START, start) or last_end < start + 2:
        return False
    _, _, rest = state.src[start + 2 : line_end].partition(_COMMENT_END)
    return not rest.strip()


def _parse_inline(state: StateInline, silent: bool) -> bool:
    name = NAME.match(state.src, state.pos)
    is_tag = name is not None and name[1].lower() in ALLOWED
    if not is_tag and not state.src.startswith(_COMMENT_START, state.pos):
        return False
    state.env["has_html"] = True
    return html_inline(state, silent)


def split_html(tokens: Sequence[Token], env: EnvType) -> list[Token]:
    """
    Split HTML into tags and text; its headings and images become those of Markdown.

    The ids of all tags are added to the `ids` of the rendering.
    """
    split: list[Token] = []
    for token in tokens:
        if token.type == "html_block":
            split += _split_block(_without_comments(token.content), env)
            continue
        if token.children:
            token.children = list(_split_inline(token.children, env))
        split.append(token)
    return split


def _without_comments(html: str) -> str:
    """Return the HTML without comments; one that does not end is text."""
    parts, end = [], 0
    while (start := html.find(_COMMENT_START, end)) >= 0:
        # `<!-->` and `<!--->` are whole comments.
        comment_end = html.find(_COMMENT_END, start + 2)
        if comment_end < 0:
            break
        parts.append(html[end:start])
        end = comment_end + len(_COMMENT_END)
    return "".join([*parts, html[end:]])


def _split_block(html: str, env: EnvType) -> Iterator[Token]:
    """Yield the headings in a block of HTML, and the HTML around them."""
    end = 0
    for heading in _HEADING.finditer(html):
        # Not all that looks like a tag is one: <h1 =>.
        if not _TAG.fullmatch(heading[1]):
            continue
        yield _with_pieces("html_block", html[end : heading.start()], env)
        tag = read_tag(heading[1])
        meta = {"explicit_id": tag.attributes.get("id")}
        yield Token("heading_open", tag.name, 1, block=True)
        yield _with_pieces("inline", heading[3], env)
        yield Token("heading_close", tag.name, -1, block=True, meta=meta)
        end = heading.end()
    yield _with_pieces("html_block", html[end:], env)


def _with_pieces(type: str, html: str, env: EnvType) -> Token:
    return Token(type, "", 0, content=html, children=list(_pieces(html, env)))


def _split_inline(tokens: Sequence[Token], env: EnvType) -> Iterator[Token]:
    for token in tokens:
        if token.type != "html_inline":
            yield token
        elif not token.content.startswith(_COMMENT_START):
            yield from _pieces(token.content, env)


def _pieces(html: str, env: EnvType) -> Iterator[Token]:
    """Yield the allowed tags in HTML, and the text between them."""
    end = 0
    for match in _TAG.finditer(html):
        env["limit"].step()
        name = NAME.match(match[0])
        if name and name[1].lower() in ALLOWED:
            if match.start() > end:
                yield _text(html[end : match.start()])
            yield _tag_token(read_tag(match[0]), env["ids"])
            end = match.end()
    if end < len(html):
        yield _text(html[end:])


def _text(html: str) -> Token:
    return Token("text", "", 0, content=without_controls(unescape(html)))


def _tag_token(tag: Tag, ids: dict[str, None]) -> Token:
    attributes = dict(tag.attributes)
    id = attributes.pop("id", "") or attributes.pop("name", "")
    # The first element with an id keeps it.
    id = "" if id in ids else id
    if id:
        ids[id] = None
    if tag.name == "img":
        alt = attributes.pop("alt", "")
        children = [Token("text", "", 0, content=alt)]
        attrs = {"src": "", **attributes, "alt": "", **({"id": id} if id else {})}
        return Token("image", "img", 0, dict(attrs), children=children, content=alt)
    # An inline tag may become text, and a browser may open it several times.
    is_anchor = id and (tag.name not in BLOCKS or tag.name in _WRAPPED_ENDS)
    if id and not is_anchor:
        attributes["id"] = id
    anchor = f'<span id="{id}"></span>' if is_anchor else ""
    meta = {"tag": tag._replace(attributes=attributes), "anchor": anchor}
    return Token("html_inline", "", 0, meta=meta)


class HtmlRun:
    """
    The open tags of an author while a line of text or a block of HTML is rendered.

    Inline tags are closed where the element around them ends. Otherwise a browser would
    open them again in each paragraph that follows, very often in a hostile text.
    """

    def __init__(self, env: EnvType, *, is_block: bool = False) -> None:
        self._env = env
        self._is_block = is_block
        # Text in a block of HTML may be in no element.
        self._needs_paragraph = is_block
        # The open inline tags, and "" for each open element of Markdown.
        self._open: list[str] = []

    @property
    def is_in_video(self) -> bool:
        """Return whether a video is open, of which only the sources are rendered."""
        return "video" in self._open

    def enter_element(self) -> None:
        self._open.append("")

    def leave_element(self) -> str:
        html = self.close_tags()
        self._open.pop()
        return html

    def start_text(self) -> str:
        """Return what stands before text: a paragraph, unless it is in an element."""
        is_missing = self._needs_paragraph and not self._env["open_blocks"]["table"]
        self._needs_paragraph = False
        return "<p>" if is_missing else ""

    def close_tags(self) -> str:
        """Close the inline tags that are open in the innermost element of Markdown."""
        length = len(self._open)
        while length and self._open[length - 1]:
            length -= 1
        return self._close_down_to(length)

    def _close_down_to(self, length: int) -> str:
        html = ""
        while len(self._open) > length:
            name = self._open.pop()
            html += self._env["open_links"].pop() if name == "a" else f"</{name}>"
        return html

    def tag(self, token: Token) -> str:
        """Return the HTML of a tag, and of those that it closes."""
        self._env["limit"].add_html(TAG_BYTES)
        tag, anchor = token.meta["tag"], token.meta["anchor"]
        if self.is_in_video and not (tag.is_closing and tag.name in INLINE):
            return f"<source{self._source(tag)}>" if tag.name == "source" else ""
        if tag.name in INLINE:
            if tag.is_closing:
                return self._close_inline(tag)
            return f"{anchor}{self.start_text()}{self._open_inline(tag)}"
        if tag.name not in BLOCK_LEVEL or "" in self._open:
            return str(anchor)
        # An inline tag contains no block.
        html = self.close_tags()
        if tag.name in TRANSPARENT | HEADINGS:
            self._needs_paragraph = self._is_block
            return f"{html}{anchor}"
        if tag.is_closing:
            return html + self._close_block(tag)
        return f"{html}{anchor}{self._open_block(tag)}"

    def _open_inline(self, tag: Tag) -> str:
        if tag.name == "a":
            if "href" not in tag.attributes:
                return ""
            link = Token("link_open", "a", 1, attrs=dict(tag.attributes))
            html = link_open(link, self._env)
        elif tag.name == "video":
            html = f"<video{self._source(tag)}{size_of(tag.attributes)}>"
        else:
            html = _opening(tag)
        if tag.name in VOID:
            return html
        if len(self._open) >= MAX_OPEN_TAGS:
            raise WorkLimitExceeded
        self._open.append(tag.name)
        return html + self._close_inline(tag) if tag.is_empty else html

    def _close_inline(self, tag: Tag) -> str:
        """Close a tag and those in it, unless an element of Markdown is between."""
        for position in range(len(self._open) - 1, -1, -1):
            if self._open[position] == tag.name:
                return self._close_down_to(position)
            if not self._open[position]:
                break
        return ""

    def _open_block(self, tag: Tag) -> str:
        open_blocks, name = self._env["open_blocks"], tag.name
        parents = PARENTS.get(name)
        if parents and not any(open_blocks[parent] for parent in parents):
            return ""
        self._needs_paragraph = False
        if name in VOID:
            return _opening(tag)
        open_blocks[name] += 1
        if sum(open_blocks[each] for each in CONTAINERS) > MAX_OPEN_TAGS:
            raise WorkLimitExceeded
        html = _opening(tag)
        if name in _WRAPPED_ENDS:
            html = _PRE_OPEN if name == "pre" else table_open(tag, self._env)
        return html + self._close_block(tag) if tag.is_empty else html

    def _close_block(self, tag: Tag) -> str:
        self._needs_paragraph = self._is_block and tag.name not in PARENTS
        if not self._env["open_blocks"][tag.name]:
            return ""
        self._env["open_blocks"][tag.name] -= 1
        return _WRAPPED_ENDS.get(tag.name, f"</{tag.name}>")

    def _source(self, tag: Tag) -> str:
        """Return the attribute for the file of a video, if it can be on the site."""
        source = tag.attributes.get("src", "")
        if not source or link_target(source) is not LinkTarget.SITE:
            return ""
        self._env["limit"].add_link(RESOLVED_IMAGE_BYTES + len(escape(source).encode()))
        return f' src="{TARGET_MARK}{target_number(source, self._env)}"'


def _opening(tag: Tag) -> str:
    attributes = [
        f' {name}="{escape(value)}"' for name, value in tag.attributes.items()
    ]
    return f"<{tag.name}{''.join(attributes)}>"


def clean_html(html: str) -> str:
    """Return the HTML as a browser would parse it, with allowed elements only."""
    cleaned = nh3.clean(
        html,
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        url_schemes=_SCHEMES,
        link_rel=None,
        strip_comments=True,
    )
    return drop_empty_paragraphs(cleaned)


def drop_empty_paragraphs(html: str) -> str:
    """Drop paragraphs without content, and those around nothing but anchors."""
    return _EMPTY_PARAGRAPH.sub(r"\1", html)
