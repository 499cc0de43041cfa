"""Limit what rendering a document costs, so that none can hold up the builder."""

from time import thread_time

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, table
from markdown_it.rules_inline import StateInline

# Of the processor, for one document. The longest document that the API accepts takes a
# third of a second if people or their tools have written it.
MAX_SECONDS = 2.0
# Of HTML, with resolved links.
MAX_HTML_BYTES = 8_000_000
# Looking at the time at every step would take longer than many of the steps.
STEPS_PER_CHECK = 50
# The parser reads the head of a table in one step, however many columns it has.
MAX_COLUMNS = 1_000
ALTERNATIVES = ["paragraph", "reference", "blockquote", "list"]


class WorkLimitExceeded(Exception):
    """The document takes more time, nesting or output than a document may."""


class WorkLimit:
    """
    What rendering one document may still cost; it is `limit` in the parser's env.

    The time is the thread's processor time, so the outcome does not depend on what else
    the machine does. It can still differ between machines, so the outcome is stored
    with the rendered document.
    """

    def __init__(self) -> None:
        self._end = thread_time() + MAX_SECONDS
        self._steps = self._html_bytes = self._link_bytes = 0

    def step(self) -> None:
        """Count one of many short steps."""
        self._steps += 1
        if self._steps % STEPS_PER_CHECK == 0:
            self.check_time()

    def check_time(self) -> None:
        if thread_time() > self._end:
            raise WorkLimitExceeded

    def add_html(self, length: int) -> None:
        """Count a part of the HTML that can be longer than the text it comes from."""
        self._html_bytes += length
        self.check_bytes(self._html_bytes)

    def add_link(self, length: int) -> None:
        """Count what the HTML will have once a link is resolved."""
        self._link_bytes += length
        self.check_bytes(self._html_bytes)

    def check_bytes(self, html_bytes: int) -> None:
        if html_bytes + self._link_bytes > MAX_HTML_BYTES:
            raise WorkLimitExceeded


def limit_work(parser: MarkdownIt) -> None:
    """
    Count every attempt to read a block or an inline element as a step.

    The rules come first, so no loop of the parser can avoid them. A block is attempted
    at each line, and again for each open quote and list.
    """
    parser.block.ruler.before("table", "limit", _limit_block, {"alt": ALTERNATIVES})
    parser.inline.ruler.before("text", "limit", _limit_inline)
    parser.block.ruler.at("table", _limited_table, {"alt": ["paragraph", "reference"]})


def _limit_block(state: StateBlock, _: int, __: int, ___: bool) -> bool:
    # Beyond its maximum nesting the parser would drop text silently.
    if state.level >= state.md.options["maxNesting"] - 2:
        raise WorkLimitExceeded
    state.env["limit"].step()
    return False


def _limited_table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    columns = state.src.count("|", state.bMarks[start], state.eMarks[start])
    return columns <= MAX_COLUMNS and table(state, start, end, silent)


def _limit_inline(state: StateInline, _: bool) -> bool:
    state.env["limit"].step()
    return False
