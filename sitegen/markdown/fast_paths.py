"""Fast paths of the parser, for text and paragraphs without markup."""

import re
from collections.abc import Iterator

from markdown_it import MarkdownIt
from markdown_it.common.utils import mdTrim
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token
from markdown_it.utils import EnvType

from sitegen.markdown.work_limits import WorkLimit

# Characters at which an inline rule can begin, or a label end. The parser's own set
# also has those of rules that are disabled here, such as hyphen and colon.
_SPECIAL = r"\n\\`~*_\[\]!<&$"
MARKUP = re.compile(f"[{_SPECIAL}]")
# The plain text, code, strong text, links and line ends of nearly all other text. Each
# is read in the same way whatever stands beside it: a run of backticks or asterisks
# has no other length, and strong text begins and ends with a letter or digit.
_TEXT = f"[^{_SPECIAL}]+"
SIMPLE_MARKUP = re.compile(
    rf"""
    ({_TEXT})
    | `([^`\n]+)`(?!`)
    | \*\*(?=[^\W_])({_TEXT})(?<=[^\W_])\*\*(?!\*)
    | \[(?!\^)({_TEXT})\]\(([^\s\x00-\x20\x7f()\\<>&`*\[\]!]+)\)
    | (?<![ \t])\n(?![ \t])
    """,
    re.VERBOSE,
)
TEXT, CODE, STRONG, LABEL, TARGET = range(1, 6)
# No other block begins like this, unless the next line makes it a heading or a table.
PARAGRAPH_START = re.compile(r"\*{0,2}[^\W\d_]")


class FastInline(ParserInline):
    """Skips the inline rules for text with no markup, or with the simplest only."""

    def __init__(self) -> None:
        super().__init__()
        self.terminator_re = MARKUP

    def parse(
        self, src: str, md: MarkdownIt, env: EnvType, tokens: list[Token]
    ) -> list[Token]:
        if not MARKUP.search(src):
            env["limit"].step()
            if src:
                tokens.append(Token("text", "", 0, content=src))
            return tokens
        matches = _simple_matches(src, env["limit"])
        if matches is None:
            return super().parse(src, md, env, tokens)
        for match in matches:
            tokens += _tokens_of(match)
        return tokens


def _simple_matches(src: str, limit: WorkLimit) -> list[re.Match[str]] | None:
    """Return the parts of a text, None if it has other markup than the simplest."""
    matches, end = [], 0
    for match in SIMPLE_MARKUP.finditer(src):
        if match.start() != end:
            return None
        limit.step()
        matches.append(match)
        end = match.end()
    return matches if end == len(src) else None


def _tokens_of(match: re.Match[str]) -> Iterator[Token]:
    kind = match.lastindex
    if kind == TEXT:
        yield Token("text", "", 0, content=match[TEXT])
    elif kind == CODE:
        code = match[CODE]
        is_padded = code[0] == code[-1] == " " and code.strip(" ") != ""
        content = code[1:-1] if is_padded else code
        yield Token("code_inline", "code", 0, content=content, markup="`")
    elif kind == STRONG:
        yield Token("strong_open", "strong", 1, markup="**")
        yield Token("text", "", 0, content=match[STRONG], level=1)
        yield Token("strong_close", "strong", -1, markup="**")
    elif kind == TARGET:
        yield Token("link_open", "a", 1, attrs={"href": match[TARGET]})
        yield Token("text", "", 0, content=match[LABEL], level=1)
        yield Token("link_close", "a", -1)
    else:
        yield Token("softbreak", "br", 0)


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
