"""Footnotes: where they are defined, where they are named, and the list at the end."""

import re

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import EnvType

from sitegen.budget import spend

LABEL = r"\[\^([^\s\[\]]{1,100})\]"
DEFINITION = re.compile(LABEL + ":")
REFERENCE = re.compile(LABEL)
INDENT = 4
# A reference is written as about a hundred characters, and told of in the list.
COST = 40


def footnotes(parser: MarkdownIt) -> None:
    """Teach the parser `[^name]`, and `[^name]: text` at the left edge."""
    parser.block.ruler.before(
        "reference", "footnote", _define, {"alt": ["paragraph", "reference"]}
    )
    parser.inline.ruler.before("link", "footnote_ref", _refer)
    parser.core.ruler.after("inline", "footnotes", _list)


def _define(state: StateBlock, line: int, last: int, silent: bool) -> bool:
    """Take a definition out of the text. Only there: within others is no place."""
    found = DEFINITION.match(state.src, state.bMarks[line] + state.tShift[line])
    is_inside = state.level > 0 or state.env.get("in_footnote")
    if found is None or is_inside or state.is_code_block(line):
        return False
    if silent:
        return True
    end = _end(state, line + 1, last)
    rest = state.getLines(line + 1, end, INDENT, False)
    text = state.src[found.end() : state.eMarks[line]].lstrip() + "\n" + rest
    tokens: list[Token] = []
    state.env["in_footnote"] = True
    state.md.block.parse(text, state.md, state.env, tokens)
    state.env["in_footnote"] = False
    state.env.setdefault("footnotes", {}).setdefault(found[1].casefold(), tokens)
    state.line = end
    return True


def _end(state: StateBlock, line: int, last: int) -> int:
    """Return the first line that is no longer of the definition."""
    end, is_open = line, True
    for number in range(line, last):
        spend(state.env, 1)
        if state.isEmpty(number):
            is_open = False
            continue
        is_indented = state.sCount[number] >= INDENT
        start = state.bMarks[number] + state.tShift[number]
        if not is_indented and (not is_open or DEFINITION.match(state.src, start)):
            break
        end = number + 1
    return end


def _refer(state: StateInline, silent: bool) -> bool:
    found = REFERENCE.match(state.src, state.pos, state.posMax)
    defined = state.env.get("footnotes", {})
    if found is None or found[1].casefold() not in defined:
        return False
    if not silent:
        _push(state, found[1].casefold())
    state.pos = found.end()
    return True


def _push(state: StateInline, label: str) -> None:
    """Number the footnotes in the order in which they are named."""
    spend(state.env, COST)
    numbers: dict[str, int] = state.env.setdefault("numbers", {})
    if label not in numbers:
        numbers[label] = len(numbers) + 1
        state.env.setdefault("listed", []).append(label)
    token = state.push("footnote_ref", "", 0)
    token.meta = {"number": numbers[label]}


def _list(state: StateCore) -> None:
    """Put those that were named at the end; one may name others."""
    listed: list[str] = state.env.get("listed", [])
    if listed:
        state.tokens.append(Token("footnotes_open", "", 1))
    # The list may grow while it is walked.
    for number, label in enumerate(listed, 1):
        tokens = state.env["footnotes"][label]
        for token in tokens:
            if token.type == "inline":
                children = token.children = []
                state.md.inline.parse(token.content, state.md, state.env, children)
        meta = {"number": number}
        state.tokens += [Token("footnote_open", "", 1, meta=meta), *tokens]
        back = Token("footnote_back", "", 0, meta=meta)
        last = tokens[-2].children if _ends_in_words(tokens) else state.tokens
        (last or state.tokens).append(back)
        state.tokens.append(Token("footnote_close", "", -1))
    if listed:
        state.tokens.append(Token("footnotes_close", "", -1))


def footnote_ref(token: Token, env: EnvType) -> str:
    number = token.meta["number"]
    places = env.setdefault("places", {})
    place = places[number] = places.get(number, 0) + 1
    return (
        f'<sup class="footnote-ref" id="{_place(number, place)}">'
        f'<a href="#note.{number}" aria-label="Footnote {number}">{number}</a></sup>'
    )


def footnotes_open(_: Token, __: EnvType) -> str:
    return '<section class="footnotes" aria-label="Footnotes">\n<ol>\n'


def footnotes_close(_: Token, __: EnvType) -> str:
    return "</ol>\n</section>\n"


def footnote_open(token: Token, _: EnvType) -> str:
    return f'<li id="note.{token.meta["number"]}">\n'


def footnote_back(token: Token, env: EnvType) -> str:
    """A way back to each place, which a screen reader tells apart."""
    number = token.meta["number"]
    return "".join(
        f' <a class="footnote-backref" href="#{_place(number, place)}"'
        f' aria-label="Back to place {place} of footnote {number}">\u21a9</a>'
        for place in range(1, env.get("places", {}).get(number, 0) + 1)
    )


def footnote_close(_: Token, __: EnvType) -> str:
    return "</li>\n"


def _ends_in_words(tokens: list[Token]) -> bool:
    return len(tokens) > 1 and tokens[-1].type == "paragraph_close"


def _place(number: int, place: int) -> str:
    # With a dot, which no heading's id can hold.
    return f"note.{number}.{place}"


WRITERS = {
    "footnote_ref": footnote_ref,
    "footnotes_open": footnotes_open,
    "footnotes_close": footnotes_close,
    "footnote_open": footnote_open,
    "footnote_back": footnote_back,
    "footnote_close": footnote_close,
}
