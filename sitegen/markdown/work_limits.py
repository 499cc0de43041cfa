"""How much work a document may ask for, so that none can keep the builder busy."""

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, table
from markdown_it.rules_inline import StateInline
from markdown_it.utils import EnvType

from sitegen.markdown.plain_text import PlainInline

CHAINS = ["paragraph", "reference", "blockquote", "list"]
LINE = 4  # looking at a line costs about as much as four steps within one
CELL = 3  # and what a table is made of, which its text need not hold, as three


class TooMuchWork(Exception):
    """The document asks for more than its length allows."""


def allowance(text: str) -> int:
    """Real pages need less than one unit for each character."""
    return 100_000 + 4 * len(text)


def spend(env: EnvType, work: int) -> None:
    env["work"] -= work
    if env["work"] < 0:
        raise TooMuchWork


class MeasuredInline(PlainInline):
    """
    Looking ahead for the end of a bracket is what an open bracket can repeat: a
    hundred times for each of many.
    """

    def skipToken(self, state: StateInline) -> None:
        spend(state.env, 1)
        super().skipToken(state)


def measure_lines(parser: MarkdownIt) -> None:
    """
    Count every look at a line, since each open quote and list looks again.

    Beyond its deepest level the parser drops text without a word, so a document that
    nests so deep is refused as well.
    """

    def measure(state: StateBlock, _: int, __: int, ___: bool) -> bool:
        if state.level >= state.md.options["maxNesting"] - 2:
            raise TooMuchWork
        spend(state.env, LINE)
        return False

    parser.block.ruler.before("table", "measure", measure, {"alt": CHAINS})


def measure_tables(parser: MarkdownIt) -> None:
    """Count what tables are made of: a short row is filled up with empty cells."""

    def measured(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        before = len(state.tokens)
        is_table = table(state, start, end, silent)
        spend(state.env, CELL * (len(state.tokens) - before))
        return is_table

    parser.block.ruler.at("table", measured, {"alt": ["paragraph", "reference"]})
