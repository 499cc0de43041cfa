"""Emphasis beside the punctuation of Chinese, Japanese and Korean."""

from unicodedata import east_asian_width

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.emphasis import tokenize


def enable_emphasis(parser: MarkdownIt) -> None:
    parser.inline.ruler.at("emphasis", _parse_emphasis)


def _parse_emphasis(state: StateInline, silent: bool) -> bool:
    """
    Let emphasis begin after a wide character, and end before one.

    These scripts have no spaces between words, which CommonMark asks for where there is
    punctuation inside of the emphasis: 文字は**「重要」**です.
    """
    start = state.pos
    if state.src[start] not in "*_" or not tokenize(state, silent):
        return False
    before, after = state.src[start - 1 : start], state.src[state.pos : state.pos + 1]
    if state.src[start] == "*" and before.strip() and after.strip():
        for delimiter in state.delimiters[start - state.pos :]:
            delimiter.open |= _is_wide(before)
            delimiter.close |= _is_wide(after)
    return True


def _is_wide(character: str) -> bool:
    return east_asian_width(character) in "WF"
