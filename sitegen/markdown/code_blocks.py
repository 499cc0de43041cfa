"""Code blocks: title, marked lines and line numbers from the line of the fence."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html import escape

from markdown_it.token import Token
from markdown_it.utils import EnvType

from sitegen.markdown.highlighting import highlight
from sitegen.markdown.math import to_mathml
from sitegen.markdown.texts import text_mark

# A code span within a paragraph; its group `ticks` are the backticks that begin it.
CODE_SPAN = (
    r"(?<![`\\])(?P<ticks>`++)"
    r"(?:[^`\n]++|\n(?![ \t]*\n)|(?!(?P=ticks)(?!`))`++)*+(?P=ticks)(?!`)"
)
# Text after the fence; real ones have a tenth of it.
MAX_INFO_LENGTH = 500
LANGUAGE = re.compile(r"\s*(?:\{\s*\.?)?([A-Za-z0-9_+#.\-]{1,40})")
_VALUE = r"(\"[^\"\n]{0,300}+\"|'[^'\n]{0,300}+'|\[[^\]\n]{0,300}+\]|[^\s,}]{1,300}+)"
_OPTION = re.compile(r"(?<![A-Za-z_-])([A-Za-z_-]{1,40}+) ?[=:] ?" + _VALUE)
_LINES = re.compile(r"(?:(?<![A-Za-z])([a-z]{1,9})=)?\{([0-9][0-9, -]{0,300}+)\}")
_RANGE = re.compile(r"([0-9]{1,6})(?: ?- ?([0-9]{1,6}))?")
_FLAGS = re.compile(
    r"(?:^|[\s,{])(showLineNumbers|lineNumbers|linenos|linenums)(?=[\s,}=]|$)"
)
_TITLES = ("title", "filename", "file", "name", "caption", "label")
_HIGHLIGHTED = ("hl_lines", "mark", "highlight", "emphasize-lines")
# The classes of lines, by the option that names them; those of others are highlighted.
LINE_CLASSES = {
    "ins": "added",
    "del": "removed",
    "focus": "focused",
    "warning": "warning",
    "error": "error",
}
_NUMBERED = ("linenums", "linenos", "lineNos", "showLineNumbers")
_STARTS = ("linenums", "linenostart", "lineNoStart", "startLineNumber", "start")
_SPAN = re.compile(r"<span class=\"[a-z0-9]+\">|</span>")
# Languages that a browser would need a script to draw.
DIAGRAMS = {"mermaid": "Mermaid", "plantuml": "PlantUML"}
DIAGRAMS |= {"dot": "Graphviz", "graphviz": "Graphviz"}


@dataclass(frozen=True)
class CodeOptions:
    language: str = ""
    title: str = ""
    # By class, such as `highlighted`.
    marked_lines: Mapping[str, frozenset[int]] = field(default_factory=dict)
    # The number of the first line, None without line numbers.
    first_number: int | None = None


def parse_info(info: str) -> CodeOptions:
    """Read the text after a fence, as other generators write it."""
    language = LANGUAGE.match(info)
    name = language[1].removeprefix("language-") if language else ""
    if not info[len(language[0]) if language else 0 :].strip():
        return CodeOptions(name)
    info = info[:MAX_INFO_LENGTH]
    if language and "=" in info[language.end(1) :][:1]:
        # It begins with an option, and has no language.
        name = ""
    options = {key: value.strip("\"'[]") for key, value in _OPTION.findall(info)}
    title = _first(options, _TITLES)
    lines = [
        *_LINES.findall(info),
        *((key, options.get(key, "")) for key in _HIGHLIGHTED),
    ]
    start = _first(options, _STARTS)
    first_number = int(start[:6]) if start.isdecimal() else 1
    is_off = any(options.get(name) == "false" for name in _NUMBERED)
    is_numbered = bool(_FLAGS.search(info)) and not is_off
    return CodeOptions(
        name,
        title,
        _marked_lines(lines),
        first_number if is_numbered else None,
    )


def _first(options: dict[str, str], names: tuple[str, ...]) -> str:
    return next((options[name] for name in names if options.get(name)), "")


def _marked_lines(lines: list[tuple[str, str]]) -> dict[str, frozenset[int]]:
    """Return the lines of each class, given options with the lines that they name."""
    marked: dict[str, frozenset[int]] = {}
    for option, text in lines:
        if numbers := frozenset(_numbers(text)):
            css_class = LINE_CLASSES.get(option, "highlighted")
            marked[css_class] = marked.get(css_class, frozenset()) | numbers
    return marked


def _numbers(text: str) -> Iterator[int]:
    for start, end in _RANGE.findall(text):
        # More lines than a page has are not listed one by one.
        yield from range(int(start), min(int(end or start), int(start) + 1_000) + 1)


def fence(token: Token, env: EnvType) -> str:
    options = parse_info(token.info)
    if options.language == "math":
        formula = to_mathml(token.content, is_display=True)
        return f'<div class="math" tabindex="0">{formula}</div>\n'
    if len(token.content) > env["highlightable"]:
        return _code(escape(token.content), options)
    env["highlightable"] -= len(token.content)
    check_time = env["limit"].check_time
    return _code(highlight(token.content, options.language, check_time), options)


def code_block(token: Token, _: EnvType) -> str:
    return _code(escape(token.content), CodeOptions())


def _code(html: str, options: CodeOptions) -> str:
    language = options.language
    box = f' data-language="{language}"' if language else ""
    kind = f' class="language-{language}"' if language else ""
    title = escape(options.title)
    if not title and language in DIAGRAMS:
        title = text_mark("docs.diagram", DIAGRAMS[language])
    heading = f'<p class="code-title">{title}</p>' if title else ""
    if options.marked_lines or options.first_number is not None:
        html = "".join(_lines(html, options))
    return (
        f'<div class="code"{box}>{heading}<pre tabindex="0"><code{kind}>'
        f"{html}</code></pre></div>\n"
    )


def _lines(html: str, options: CodeOptions) -> Iterator[str]:
    """Yield each line in an element, with the spans that go on over line ends."""
    open_span = ""
    for number, line in enumerate(html.removesuffix("\n").split("\n"), 1):
        spans = _SPAN.findall(line)
        content = open_span + line
        if spans:
            open_span = "" if spans[-1] == "</span>" else spans[-1]
        if open_span:
            content += "</span>"
        marks = [
            each for each, lines in options.marked_lines.items() if number in lines
        ]
        css_class = " ".join(["line", *marks])
        first = options.first_number
        label = "" if first is None else f' data-line="{first + number - 1}"'
        yield f'<span class="{css_class}"{label}>{content}\n</span>'
