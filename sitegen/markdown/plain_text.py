"""What most of a text is, words without any markup, read past the parser's rules."""

import re

from markdown_it import MarkdownIt
from markdown_it.common.utils import mdTrim
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token
from markdown_it.utils import EnvType

# Where one of the inline rules can begin, or a label end. The parser's own set holds
# what rules ask for that we do not have: it stops at each hyphen and colon.
MARKUP = re.compile(r"[\n\\`~*_\[\]!<&]")
# No other rule begins so, unless the next line makes it a heading or a table.
BEGINNING = re.compile(r"\*{0,2}[^\W\d_]")


class PlainInline(ParserInline):
    """Half of what it is given holds no markup."""

    def __init__(self) -> None:
        super().__init__()
        self.terminator_re = MARKUP

    def parse(
        self, src: str, md: MarkdownIt, env: EnvType, tokens: list[Token]
    ) -> list[Token]:
        if MARKUP.search(src):
            return super().parse(src, md, env, tokens)
        if src:
            tokens.append(Token("text", "", 0, content=src))
        return tokens


def read_plain_lines(parser: MarkdownIt) -> None:
    """Find out at once that a line is a paragraph: by the rules it is so at the end."""
    parser.block.ruler.before("table", "plain", _paragraph)


def _paragraph(state: StateBlock, line: int, _: int, silent: bool) -> bool:
    begin = state.bMarks[line] + state.tShift[line]
    if (
        silent
        or state.is_code_block(line)
        or not BEGINNING.match(state.src, begin)
        or not _ends(state, line + 1)
    ):
        return False
    state.push("paragraph_open", "p", 1).map = [line, line + 1]
    inline = state.push("inline", "", 0)
    inline.content = mdTrim(state.src[begin : state.eMarks[line]])
    inline.map, inline.children = [line, line + 1], []
    state.push("paragraph_close", "p", -1)
    state.line = line + 1
    return True


def _ends(state: StateBlock, line: int) -> bool:
    """Tell whether a paragraph that may go on in this line cannot."""
    if line >= state.lineMax or state.isEmpty(line):
        return True
    indent, begin = state.sCount[line], state.bMarks[line] + state.tShift[line]
    # It may be the rest of a quote, or a rule to others that makes a heading here.
    if indent < 0 or (indent >= state.blkIndent and state.src[begin] == "-"):
        return False
    rules = state.md.block.ruler.getRules("paragraph")
    before, state.parentType = state.parentType, "paragraph"
    ends = any(rule(state, line, state.lineMax, True) for rule in rules)
    state.parentType = before
    return ends
