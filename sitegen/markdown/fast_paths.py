"""Fast paths of the parser, for text and paragraphs without markup."""

import re

from markdown_it import MarkdownIt
from markdown_it.common.utils import mdTrim
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token
from markdown_it.utils import EnvType

# Characters at which an inline rule can begin, or a label end. The parser's own set
# also has those of rules that are disabled here, such as hyphen and colon.
MARKUP = re.compile(r"[\n\\`~*_\[\]!<&]")
# No other block begins like this, unless the next line makes it a heading or a table.
PARAGRAPH_START = re.compile(r"\*{0,2}[^\W\d_]")


class FastInline(ParserInline):
    """Skips the inline rules for text without markup, which is half of all text."""

    def __init__(self) -> None:
        super().__init__()
        self.terminator_re = MARKUP

    def parse(
        self, src: str, md: MarkdownIt, env: EnvType, tokens: list[Token]
    ) -> list[Token]:
        if MARKUP.search(src):
            return super().parse(src, md, env, tokens)
        env["limit"].step()
        if src:
            tokens.append(Token("text", "", 0, content=src))
        return tokens


def add_paragraph_fast_path(parser: MarkdownIt) -> None:
    """Recognise paragraphs of one line first; the parser's own rules try them last."""
    parser.block.ruler.before("table", "plain", _one_line_paragraph)


def _one_line_paragraph(state: StateBlock, line: int, _: int, silent: bool) -> bool:
    start = state.bMarks[line] + state.tShift[line]
    if (
        silent
        or state.is_code_block(line)
        or not PARAGRAPH_START.match(state.src, start)
        or not _paragraph_ends(state, line + 1)
    ):
        return False
    state.push("paragraph_open", "p", 1).map = [line, line + 1]
    inline = state.push("inline", "", 0)
    inline.content = mdTrim(state.src[start : state.eMarks[line]])
    inline.map, inline.children = [line, line + 1], []
    state.push("paragraph_close", "p", -1)
    state.line = line + 1
    return True


def _paragraph_ends(state: StateBlock, line: int) -> bool:
    """Return whether a paragraph ends before this line."""
    if line >= state.lineMax or state.isEmpty(line):
        return True
    indent, start = state.sCount[line], state.bMarks[line] + state.tShift[line]
    # The line may continue a block quote, or make the paragraph a heading.
    if indent < 0 or (indent >= state.blkIndent and state.src[start] == "-"):
        return False
    rules = state.md.block.ruler.getRules("paragraph")
    parent_type, state.parentType = state.parentType, "paragraph"
    ends = any(rule(state, line, state.lineMax, True) for rule in rules)
    state.parentType = parent_type
    return ends
