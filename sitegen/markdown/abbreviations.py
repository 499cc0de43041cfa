"""Abbreviations: `*[HTML]: HyperText Markup Language` explains the HTML of a page."""

import re
from collections.abc import Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token
from markdown_it.utils import EnvType

MAX_ABBREVIATIONS = 500
_DEFINITION = re.compile(r"\*\[([^\[\]\n]{1,100})\]:[ \t]*+([^\n]{1,500}+)")


def enable_abbreviations(parser: MarkdownIt) -> None:
    alternatives: RuleOptionsType = {"alt": ["paragraph", "reference"]}
    parser.block.ruler.before("reference", "abbreviation", _parse, alternatives)


def _parse(state: StateBlock, start: int, _: int, silent: bool) -> bool:
    position = state.bMarks[start] + state.tShift[start]
    if not state.src.startswith("*[", position) or state.is_code_block(start):
        return False
    definition = _DEFINITION.fullmatch(state.src, position, state.eMarks[start])
    if definition is None:
        return False
    if not silent:
        known = state.env.setdefault("abbreviations", {})
        if len(known) < MAX_ABBREVIATIONS:
            known.setdefault(definition[1], definition[2].strip())
        state.line = start + 1
    return True


def mark_abbreviations(tokens: Sequence[Token], env: EnvType) -> None:
    """Mark the abbreviations in the text that the document explains."""
    if not (known := env.get("abbreviations")):
        return
    # The longest of several comes first.
    names = "|".join(re.escape(name) for name in sorted(known, key=len, reverse=True))
    pattern = re.compile(rf"(?<!\w)(?:{names})(?!\w)")
    for token in tokens:
        if token.type == "inline" and token.children:
            token.children = list(_marked(token.children, pattern, known))


def _marked(
    children: Sequence[Token], pattern: re.Pattern[str], known: dict[str, str]
) -> Iterator[Token]:
    for token in children:
        if token.type != "text":
            yield token
            continue
        end = 0
        for match in pattern.finditer(token.content):
            yield Token("text", "", 0, content=token.content[end : match.start()])
            yield Token("abbr_open", "abbr", 1, attrs={"title": known[match[0]]})
            yield Token("text", "", 0, content=match[0])
            yield Token("abbr_close", "abbr", -1)
            end = match.end()
        yield Token("text", "", 0, content=token.content[end:])
