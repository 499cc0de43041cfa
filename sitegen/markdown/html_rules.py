"""Parser rules that recognise the HTML that authors may write, and comments."""

import re

from markdown_it import MarkdownIt
from markdown_it.common.html_re import HTML_TAG_RE
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.html_inline import html_inline

from sitegen.markdown.html_tags import ALLOWED, BLOCK_LEVEL, NAME

_BLOCK_START = re.compile(r"</?([A-Za-z][A-Za-z0-9]*)(?=[\s/>]|\Z)")
_CODE_END = re.compile(r"</pre\s*>", re.IGNORECASE)
COMMENT_START, COMMENT_END = "<!--", "-->"


def enable_html(parser: MarkdownIt) -> None:
    parser.options["html"] = True
    parser.block.ruler.at(
        "html_block", _parse_block, {"alt": ["paragraph", "reference", "blockquote"]}
    )
    parser.inline.ruler.at("html_inline", _parse_inline)


def comment_end(text: str, start: int) -> int:
    """Return where the comment that starts here ends, -1 if it is no comment."""
    if not text.startswith(COMMENT_START, start):
        return -1
    # `<!-->` and `<!--->` are whole comments.
    end = text.find(COMMENT_END, start + 2)
    return end + len(COMMENT_END) if end >= 0 else -1


def _parse_block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    position = state.bMarks[start] + state.tShift[start]
    if not state.src.startswith("<", position) or state.is_code_block(start):
        return False
    line = state.src[position : state.eMarks[start]]
    if line.startswith(COMMENT_START):
        last = _last_line_of_comment(state, start, end)
    elif (name := _BLOCK_START.match(line)) and name[1].lower() in BLOCK_LEVEL:
        is_code = name[1].lower() == "pre" and line[1] != "/"
        last = (_last_line_of_code if is_code else _last_line)(state, start, end)
    else:
        return False
    if last < 0 or silent:
        return last >= 0
    state.line = last + 1
    token = state.push("html_block", "", 0)
    token.map = [start, state.line]
    token.content = state.getLines(start, state.line, state.blkIndent, True)
    state.env["has_html"] = True
    return True


def _is_outside(state: StateBlock, line: int) -> bool:
    """Tell whether a line ends the list or quote around the block."""
    return state.sCount[line] < state.blkIndent and not state.isEmpty(line)


def _last_line(state: StateBlock, start: int, end: int) -> int:
    line = start + 1
    while line < end and not state.isEmpty(line) and not _is_outside(state, line):
        line += 1
    return line - 1


def _last_line_of_code(state: StateBlock, start: int, end: int) -> int:
    for line in range(start, end):
        if line > start and _is_outside(state, line):
            return line - 1
        if _CODE_END.search(state.src, state.bMarks[line], state.eMarks[line]):
            return line
    return end - 1


def _last_line_of_comment(state: StateBlock, start: int, end: int) -> int:
    """Return the line in which the comment ends, -1 if it never does."""
    # Looked up once: a text can have very many comments that never end.
    if "last_comment_end" not in state.env:
        state.env["last_comment_end"] = state.src.rfind(COMMENT_END)
    position = state.bMarks[start] + state.tShift[start]
    if position + 2 > state.env["last_comment_end"]:
        return -1
    comment_ends_at = comment_end(state.src, position)
    line = start
    if state.src[comment_ends_at : state.eMarks[start]].strip():
        # What follows the comment in its line is Markdown.
        return -1
    while line < end and state.eMarks[line] < comment_ends_at:
        line += 1
        if line < end and _is_outside(state, line):
            return -1
    return line if line < end else -1


def _parse_inline(state: StateInline, silent: bool) -> bool:
    if not state.src.startswith("<", state.pos):
        return False
    if state.src.startswith(COMMENT_START, state.pos):
        return _parse_comment(state, silent)
    name = NAME.match(state.src, state.pos)
    if not name or name[1].lower() not in ALLOWED:
        return False
    state.env["has_html"] = True
    return html_inline(state, silent)


def _parse_comment(state: StateInline, silent: bool) -> bool:
    if state.html_terminator_last(COMMENT_END) < state.pos + 2:
        return False
    end = comment_end(state.src, state.pos)
    if not silent:
        state.push("html_inline", "", 0).content = state.src[state.pos : end]
        state.env["has_html"] = True
    state.pos = end
    return True


def match_tag(text: str, start: int) -> int:
    """Return where the allowed tag that starts here ends, -1 if there is none."""
    name = NAME.match(text, start)
    if not name or name[1].lower() not in ALLOWED:
        return -1
    tag = HTML_TAG_RE.match(text, start)
    return tag.end() if tag else -1
