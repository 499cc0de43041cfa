"""Definition lists of mdit-py-plugins, with several terms for one definition."""

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token
from mdit_py_plugins.deflist import deflist_plugin

# Of one definition; the lines of longer paragraphs are no terms.
MAX_TERMS = 10


def enable_definition_lists(parser: MarkdownIt) -> None:
    deflist_plugin(parser)
    rules = parser.block.ruler.getRules("")
    [parse_list] = [rule for rule in rules if rule.__name__ == "deflist"]

    def parse_terms(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        """Parse a list with more terms than one, of which the plugin reads the last."""
        last = _last_term(state, start, end)
        first_token = len(state.tokens)
        if silent or last == start or not parse_list(state, last, end, False):
            return False
        terms = [token for line in range(start, last) for token in _term(state, line)]
        state.tokens[first_token + 1 : first_token + 1] = terms
        state.tokens[first_token].map = [start, state.line]
        return True

    parser.block.ruler.before("deflist", "terms", parse_terms)


def _last_term(state: StateBlock, start: int, end: int) -> int:
    """Return the last line of a paragraph before a definition, else the first."""
    lines = range(start + 1, min(end, start + MAX_TERMS + 1))
    marker = next((line for line in lines if _first(state, line) in ":~"), start)
    is_loose = state.isEmpty(marker - 1)
    terms = range(start + 1, marker - is_loose)
    # Other lines of the paragraph are looked at only where a definition follows.
    ends_paragraph = state.md.block.ruler.getRules("paragraph")
    is_paragraph = all(
        not state.isEmpty(line)
        and state.sCount[line] >= state.blkIndent
        and not any(rule(state, line, end, True) for rule in ends_paragraph)
        for line in terms
    )
    return terms[-1] if terms and is_paragraph else start


def _first(state: StateBlock, line: int) -> str:
    """Return the first character of a line, a space if it has none."""
    position = state.bMarks[line] + state.tShift[line]
    return state.src[position] if position < state.eMarks[line] else " "


def _term(state: StateBlock, line: int) -> list[Token]:
    text = state.getLines(line, line + 1, state.blkIndent, False).strip()
    level = state.level + 1
    return [
        Token("dt_open", "dt", 1, map=[line, line], level=level, block=True),
        Token(
            "inline", "", 0, map=[line, line], level=level, content=text, children=[]
        ),
        Token("dt_close", "dt", -1, level=level, block=True),
    ]
