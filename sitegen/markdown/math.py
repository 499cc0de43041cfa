"""Formulas in LaTeX, between $ or $$, become MathML at build time."""

import re
from functools import lru_cache
from html import escape

import nh3
from markdown_it import MarkdownIt
from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from math_core import LatexError, LatexToMathML

# The converter is recursive and ends the process at thousands of levels, so what nests
# too deeply never reaches it. Formulas of real pages have a tenth of these.
MAX_LENGTH, MAX_LEVELS = 2_000, 50
# A formula that defines commands could nest far deeper than its text does.
_CONVERTER = LatexToMathML(fancy_error=False, max_expansions=0)

# Variables of a shell are no formulas: $HOME/$USER, or $HOME and `$PATH` in code.
_INLINE = re.compile(r"\$((?:[^$\\`]|\\.){1,2000}+)\$(?![0-9A-Za-z{])", re.DOTALL)
# As GitHub writes a formula that has characters of Markdown.
_INLINE_CODE = re.compile(r"\$`([^`$]{1,2000}+)`\$")
_INLINE_DISPLAY = re.compile(r"\$\$((?:[^$\\]|\\.){1,2000}+)\$\$", re.DOTALL)
_NESTING = re.compile(r"\\\\|\\[{}]|([{]|\\left\b|\\begin\b)|([}]|\\right\b|\\end\b)")
_COMMAND_CHAIN = re.compile(rf"(?:\\[A-Za-z]+\s*){{{MAX_LEVELS + 1}}}")
# Each formula is converted by itself, so that numbers of equations would repeat.
_NUMBERED = re.compile(r"\\(begin|end)\{(align|equation|gather|multline)\}")

_TAG_NAMES = """
    math menclose merror mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts
    mroot mrow ms mspace msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder
    munderover
"""
TAGS = frozenset(_TAG_NAMES.split())
_NUMBERS = {"width", "height", "depth", "lspace", "rspace", "linethickness"}
ATTRIBUTES = {
    "*": {"mathvariant", "displaystyle", "scriptlevel", "dir"},
    "math": {"display"},
    "mfrac": {"linethickness"},
    "mo": {
        *("accent", "fence", "form", "largeop", "lspace", "maxsize", "minsize"),
        *("movablelimits", "rspace", "separator", "stretchy", "symmetric"),
    },
    "mover": {"accent"},
    "munder": {"accentunder"},
    "munderover": {"accent", "accentunder"},
    "mpadded": _NUMBERS,
    "mspace": _NUMBERS,
    "mtd": {"columnspan", "rowspan"},
}


def enable_math(parser: MarkdownIt) -> None:
    parser.inline.ruler.before("escape", "math", _parse_inline)
    alternatives: RuleOptionsType = {"alt": ["paragraph", "reference", "blockquote"]}
    parser.block.ruler.before("fence", "math", _parse_block, alternatives)


@lru_cache(maxsize=1000)
def to_mathml(latex: str, *, is_display: bool) -> str:
    """Return the formula as MathML, or as code if it is too large or invalid."""
    source = f'<code class="math-source">{escape(latex.strip())}</code>'
    if len(latex) > MAX_LENGTH or _levels(latex) > MAX_LEVELS:
        return source
    latex = _NUMBERED.sub(r"\\\1{\2*}", latex.strip())
    try:
        mathml = _CONVERTER.convert_with_local_state(latex, displaystyle=is_display)
    except LatexError:
        return source
    attributes = {name: set(names) for name, names in ATTRIBUTES.items()}
    return nh3.clean(mathml, tags=set(TAGS), attributes=attributes)


def _levels(latex: str) -> int:
    """Return how deeply the formula nests, at least."""
    if _COMMAND_CHAIN.search(latex):
        return MAX_LEVELS + 1
    level = highest = 0
    for opening, closing in _NESTING.findall(latex):
        level += bool(opening) - bool(closing)
        highest = max(highest, level)
    return highest


def _parse_inline(state: StateInline, silent: bool) -> bool:
    source, start = state.src, state.pos
    if source[start] != "$" or (start and source[start - 1].isalnum()):
        return False
    is_display = source.startswith("$$", start)
    pattern = _INLINE_DISPLAY if is_display else _INLINE
    match = pattern.match(source, start) or _INLINE_CODE.match(source, start)
    # "$5 and $10" and "$HOME, $PATH" are not formulas.
    if not match or match[1][0].isspace() or match[1][-1].isspace():
        return False
    if not silent:
        token = state.push("math_inline", "math", 0)
        token.content, token.info = match[1], "display" if is_display else ""
    state.pos = match.end()
    return True


def _parse_block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    position = state.bMarks[start] + state.tShift[start]
    if not state.src.startswith("$$", position) or state.is_code_block(start):
        return False
    line, text = start, state.src[position + 2 : state.eMarks[start]]
    while not text.rstrip().endswith("$$"):
        line += 1
        is_outside = line >= end or state.sCount[line] < state.blkIndent
        if is_outside or state.isEmpty(line) or len(text) > MAX_LENGTH:
            return False
        text += "\n" + state.src[state.bMarks[line] : state.eMarks[line]]
    latex = text.rstrip()[:-2]
    if "$$" in latex or not latex.strip():
        return False
    if silent:
        return True
    token = state.push("math_block", "math", 0)
    token.content, token.map = latex, [start, line + 1]
    state.line = line + 1
    return True
