"""Tabs: `=== "Title"` and indented text, as radio buttons that need no script."""

import re
from html import escape

from markdown_it import MarkdownIt
from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token
from markdown_it.utils import EnvType

from sitegen.markdown.headings import inline_text
from sitegen.markdown.texts import text_mark

_TAB = re.compile(r"===[!+]? {1,9}(?:\"([^\"\n]{1,200})\"|'([^'\n]{1,200})') *")
INDENT = 4


def enable_tabs(parser: MarkdownIt) -> None:
    alternatives: RuleOptionsType = {"alt": ["paragraph", "reference", "blockquote"]}
    parser.block.ruler.before("fence", "tabs", _parse_tabs, alternatives)


def _title(state: StateBlock, line: int) -> str:
    """Return the title of the tab that starts at the line, or ""."""
    start = _start(state, line)
    if not state.src.startswith("===", start) or state.is_code_block(line):
        return ""
    match = _TAB.fullmatch(state.src, start, state.eMarks[line])
    return (match[1] or match[2]).strip() if match else ""


def _start(state: StateBlock, line: int) -> int:
    return state.bMarks[line] + state.tShift[line]


def _parse_tabs(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    if not _title(state, start):
        return False
    if silent:
        return True
    opening = state.push("tabs_open", "div", 1)
    line, count = start, 0
    while line < end and state.sCount[line] >= state.blkIndent:
        title = _title(state, line)
        # Of two groups in a row, the second begins with a mark.
        is_new_group = count and state.src.startswith("===!", _start(state, line))
        if not title or is_new_group:
            break
        count += 1
        last = _end_of_tab(state, line + 1, end)
        token = state.push("tab_open", "div", 1)
        # A label has no markup.
        [inline] = state.md.parseInline(title, {**state.env})
        token.info = inline_text(inline.children) or title
        token.meta = {"tabs": opening.meta, "number": count}
        _parse_content(state, line + 1, last)
        state.push("tab_close", "div", -1)
        line = last
    state.push("tabs_close", "div", -1)
    opening.map = [start, line]
    state.line = line
    return True


def _end_of_tab(state: StateBlock, line: int, end: int) -> int:
    while line < end and (
        state.isEmpty(line) or state.sCount[line] >= state.blkIndent + INDENT
    ):
        line += 1
    return line


def _parse_content(state: StateBlock, start: int, end: int) -> None:
    outer = state.blkIndent, state.lineMax, state.parentType
    state.blkIndent, state.lineMax, state.parentType = outer[0] + INDENT, end, "root"
    state.md.block.tokenize(state, start, end)
    state.blkIndent, state.lineMax, state.parentType = outer


def _tabs_open(token: Token, env: EnvType) -> str:
    env["tabs"] += 1
    token.meta["number"] = env["tabs"]
    label = text_mark("docs.tabs", env["tabs"])
    return f'<div class="tabs" role="group" aria-label="{label}">\n'


def _tab_open(token: Token, _: EnvType) -> str:
    group, number = token.meta["tabs"]["number"], token.meta["number"]
    id, checked = f"tab.{group}.{number}", " checked" if number == 1 else ""
    return (
        f'<input type="radio" name="tabs.{group}" id="{id}"{checked}>'
        f'<label for="{id}">{escape(token.info)}</label>\n<div class="tab">\n'
    )


def _close(_: Token, __: EnvType) -> str:
    return "</div>\n"


RENDER_RULES = {
    "tabs_open": _tabs_open,
    "tabs_close": _close,
    "tab_open": _tab_open,
    "tab_close": _close,
}
