"""Footnotes: `[^name]` in the text, `[^name]: words` at the beginning of a line."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import EnvType

from sitegen.markdown.work_limits import spend

NAME = r"\[\^([^\s\[\]]{1,100})\]"
USED, DEFINED = re.compile(NAME), re.compile(NAME + r":[ \t]*(.*)")
INDENT = 4
# A reference is short to write and long as HTML.
REFERENCE = 10


@dataclass
class Notes:
    """
    What a document says in notes. The first use gives a note its number.

    Ids hold a dot, which no heading's id can.
    """

    words: dict[str, str] = field(default_factory=dict)
    used: list[str] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)
    uses: dict[int, int] = field(default_factory=dict)

    def use(self, name: str) -> tuple[int, str]:
        """Return the note's number, and the id of this place."""
        if name not in self.numbers:
            self.used.append(name)
            self.numbers[name] = len(self.used)
        number = self.numbers[name]
        self.uses[number] = nth = self.uses.get(number, 0) + 1
        return number, f"noteref.{number}" + (f".{nth}" if nth > 1 else "")


def read_footnotes(parser: MarkdownIt) -> None:
    parser.block.ruler.before(
        "reference", "note", _define, {"alt": ["paragraph", "reference"]}
    )
    parser.inline.ruler.before("link", "note", _refer)


def note_tokens(parser: MarkdownIt, env: EnvType) -> Iterator[Token]:
    """The notes that the text refers to, and those that these refer to in turn."""
    notes: Notes = env["notes"]
    # The list grows while it is gone through.
    for number, name in enumerate(notes.used, 1):
        yield Token("note_open", "li", 1, meta={"number": number})
        paragraphs = re.split(r"\n(?:[ \t]*\n)+", notes.words[name])
        for paragraph in paragraphs:
            yield Token("paragraph_open", "p", 1, block=True)
            yield from parser.parseInline(paragraph, env)
            if paragraph is paragraphs[-1]:
                yield Token("note_back", "a", 0, meta={"number": number})
            yield Token("paragraph_close", "p", -1, block=True)
        yield Token("note_close", "li", -1, meta={"is_last": number == len(notes.used)})


def _define(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    if state.level or state.is_code_block(start):
        return False
    match = DEFINED.match(_line(state, start))
    if match is None:
        return False
    if silent:
        return True
    lines, next = [match[2]], start + 1
    while next < end:
        following = state.skipEmptyLines(next)
        if following > next:
            # What is indented after an empty line is one more paragraph of the note.
            if following >= end or state.sCount[following] < INDENT:
                break
            lines.append("")
            next = following
        elif state.sCount[next] < INDENT and _begins_block(state, next, end):
            break
        lines.append(_line(state, next))
        next += 1
    state.env["notes"].words.setdefault(match[1], "\n".join(lines))
    state.line = next
    return True


def _line(state: StateBlock, number: int) -> str:
    return state.src[state.bMarks[number] + state.tShift[number] : state.eMarks[number]]


def _begins_block(state: StateBlock, line: int, end: int) -> bool:
    rules = state.md.block.ruler.getRules("paragraph")
    return any(rule(state, line, end, True) for rule in rules)


def _refer(state: StateInline, silent: bool) -> bool:
    match = USED.match(state.src, state.pos) if state.src[state.pos] == "[" else None
    if match is None or match[1] not in state.env["notes"].words:
        return False
    if not silent:
        spend(state.env, REFERENCE)
        number, id = state.env["notes"].use(match[1])
        state.push("note_ref", "sup", 0).meta = {"number": number, "id": id}
    state.pos = match.end()
    return True


def _reference(token: Token, env: EnvType) -> str:
    number, id = token.meta["number"], token.meta["id"]
    env["shown"].add(id)
    link = f'<a href="#note.{number}" aria-label="Note {number}">{number}</a>'
    return f'<sup class="note-ref" id="{id}">{link}</sup>'


def _note_open(token: Token, _: EnvType) -> str:
    number = token.meta["number"]
    opening = '<section class="notes" aria-label="Notes">\n<ol>\n'
    return (opening if number == 1 else "") + f'<li id="note.{number}">\n'


def _note_close(token: Token, _: EnvType) -> str:
    return "</li>\n" + ("</ol>\n</section>\n" if token.meta["is_last"] else "")


def _note_back(token: Token, env: EnvType) -> str:
    id = f"noteref.{token.meta['number']}"
    # A reference in the words for an image has no place on the page.
    if id not in env["shown"]:
        return ""
    return (
        f' <a class="note-back" href="#{id}" aria-label="Back to the text">'
        '<span aria-hidden="true">\N{LEFTWARDS ARROW WITH HOOK}</span></a>'
    )


WRITERS: dict[str, Callable[[Token, EnvType], str]] = {
    "note_ref": _reference,
    "note_open": _note_open,
    "note_back": _note_back,
    "note_close": _note_close,
}
