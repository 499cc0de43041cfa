"""Limit the work of rendering a document, so that none can block the builder."""

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, table
from markdown_it.rules_inline import StateInline
from markdown_it.utils import EnvType

from sitegen.markdown.fast_paths import FastInline

ALTERNATIVES = ["paragraph", "reference", "blockquote", "list"]
# In steps of the inline parser. A token of a table counts, since short rows are padded
# with cells that have no text.
LINE_COST = 4
CELL_COST = 3


class WorkLimitExceeded(Exception):
    """The document needs more work than its length allows."""


def work_limit(text: str) -> int:
    """Return the allowed work; real pages need less than one unit per character."""
    return 100_000 + 4 * len(text)


def spend_work(env: EnvType, work: int) -> None:
    env["work"] -= work
    if env["work"] < 0:
        raise WorkLimitExceeded


class BoundedInline(FastInline):
    """Counts look-ahead: open brackets can repeat it a hundred times each."""

    def skipToken(self, state: StateInline) -> None:
        spend_work(state.env, 1)
        super().skipToken(state)


def limit_lines(parser: MarkdownIt) -> None:
    """
    Count every check of a line; each open quote and list checks it again.

    Beyond its maximum nesting the parser drops text silently, so such a document
    exceeds the limit too.
    """

    def count_line(state: StateBlock, _: int, __: int, ___: bool) -> bool:
        if state.level >= state.md.options["maxNesting"] - 2:
            raise WorkLimitExceeded
        spend_work(state.env, LINE_COST)
        return False

    parser.block.ruler.before("table", "count_line", count_line, {"alt": ALTERNATIVES})


def limit_tables(parser: MarkdownIt) -> None:
    """Count the tokens of tables, including the cells that pad short rows."""

    def limited_table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        count = len(state.tokens)
        is_table = table(state, start, end, silent)
        spend_work(state.env, CELL_COST * (len(state.tokens) - count))
        return is_table

    parser.block.ruler.at("table", limited_table, {"alt": ["paragraph", "reference"]})
