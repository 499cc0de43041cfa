"""Footnotes of mdit-py-plugins, with bounded work and accessible HTML."""

import re
from collections.abc import Callable

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import EnvType
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.footnote.index import footnote_def, footnote_ref

from sitegen.markdown.texts import text_mark

LABEL = r"\[\^([^\s\[\]]{1,100})\]"
REFERENCE, DEFINITION = re.compile(LABEL), re.compile(LABEL + ":")


def enable_footnotes(parser: MarkdownIt) -> None:
    footnote_plugin(parser, inline=False)
    parser.block.ruler.at(
        "footnote_def", _parse_definition, {"alt": ["paragraph", "reference"]}
    )
    parser.inline.ruler.at("footnote_ref", _parse_reference)
    # The plugin's HTML has no labels for screen readers, and its ids can be those of
    # headings.
    for token_type in RENDER_RULES:
        del parser.renderer.rules[token_type]  # type: ignore[attr-defined]


def _parse_definition(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    # The plugin would lose the text of a note that contains another, and of a note
    # whose label is defined again.
    match = DEFINITION.match(state.src, state.bMarks[start] + state.tShift[start])
    is_nested = state.level and not (silent and state.sCount[start] < state.blkIndent)
    labels = state.env.get("footnotes", {}).get("refs", {})
    if not match or is_nested or f":{match[1]}" in labels:
        return False
    return footnote_def(state, start, end, silent)


def _parse_reference(state: StateInline, silent: bool) -> bool:
    # The plugin searches the rest of the text for the closing bracket, again for every
    # bracket that is never closed.
    is_reference = REFERENCE.match(state.src, state.pos) is not None
    return is_reference and footnote_ref(state, silent)


def _reference_id(token: Token) -> str:
    """Return the id of one reference; the dot keeps it apart from ids of headings."""
    suffix = f".{token.meta['subId'] + 1}" if token.meta["subId"] else ""
    return f"noteref.{token.meta['id'] + 1}{suffix}"


def _reference(token: Token, env: EnvType) -> str:
    number, id = token.meta["id"] + 1, _reference_id(token)
    env["rendered_references"].add(id)
    label = text_mark("docs.note", number)
    link = f'<a href="#note.{number}" aria-label="{label}">{number}</a>'
    return f'<sup class="note-ref" id="{id}">{link}</sup>'


def _list_open(_: Token, __: EnvType) -> str:
    label = text_mark("docs.notes")
    return f'<section class="notes" aria-label="{label}">\n<ol>\n'


def _back_link(token: Token, env: EnvType) -> str:
    id = _reference_id(token)
    # A reference in the alternative text of an image is not on the page.
    if id not in env["rendered_references"]:
        return ""
    position = id.removeprefix("noteref.").replace(".", "-")
    label = text_mark("docs.back-to-reference", position)
    return (
        f' <a class="note-back" href="#{id}" aria-label="{label}">'
        '<span aria-hidden="true">\N{LEFTWARDS ARROW WITH HOOK}</span></a>'
    )


RENDER_RULES: dict[str, Callable[[Token, EnvType], str]] = {
    "footnote_ref": _reference,
    "footnote_block_open": _list_open,
    "footnote_block_close": lambda _, __: "</ol>\n</section>\n",
    "footnote_open": lambda token, _: f'<li id="note.{token.meta["id"] + 1}">\n',
    "footnote_close": lambda _, __: "</li>\n",
    "footnote_anchor": _back_link,
}
