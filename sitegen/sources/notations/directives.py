"""Convert the directives of MyST and Sphinx, with their arguments and options."""

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import NamedTuple

from sitegen.sources.notations.own_components import PageComponents
from sitegen.sources.notations.tags import read_arguments

MAX_DEPTH = 10
_OPENING = re.compile(r"( *)(`{3,}+|~{3,}+|:{3,}+)\{([A-Za-z][\w:.-]{0,60}+)\} *(.*)")
# Of Docusaurus and VitePress.
_CONTAINER = re.compile(r"( *)(:{3,}+)[ \t]*([A-Za-z][\w-]{0,60}+)(.*)")
_TITLE = re.compile(r"(?:\[([^\[\]]*+)\]|([^{}]*+))(?:\{([^{}]*+)\}[ \t]*)?")
_FENCE = re.compile(r" *(`{3,}+|~{3,}+|:{3,}+)(.*)")
_OPTION = re.compile(r" *:([\w-]{1,60}+):(?: ++(.*))?")
LABEL = re.compile(r" {0,3}\(([\w./:-]{1,200}+)\)= *")
# Fields in the first lines of a page, which are about the whole page in Sphinx.
PAGE_FIELDS = re.compile(r"(?:\s*+:(?:orphan|nosearch|nocomments|tocdepth):.*\n)++")
_CODE = {"code", "code-block", "sourcecode", "code-cell", "parsed-literal"}
# What is in these is no Markdown.
_VERBATIM = _CODE | {"math", "mermaid", "eval-rst", "toctree", "literalinclude"}
_PICTURES = {"figure", "image"}
_VERSIONS = {
    "versionadded": "Added in version",
    "versionchanged": "Changed in version",
    "version-changed": "Changed in version",
    "deprecated": "Deprecated since version",
    "versionremoved": "Removed in version",
}
# Only what is in these matters.
_GROUPS = {"tab-set", "grid", "grid-item", "margin", "glossary", "div", "container"}
_TABS, _CARDS = {"tab-item", "tab"}, {"grid-item-card", "card"}
_FOLDS = {"dropdown", "details"}
# These make no text of their own.
_SILENT = {"toctree", "contents", "todo", "index", "tableofcontents"}


@dataclass(frozen=True)
class Directive:
    """A directive, with the lines in it."""

    indent: str
    fence: str
    name: str
    argument: str
    options: Mapping[str, str]
    body: Sequence[str]


class _Names(NamedTuple):
    """What directives are called that become containers, and those of the team."""

    kinds: Set[str]
    own: PageComponents | None

    def opening(self, line: str) -> re.Match[str] | None:
        """Return the opening of a directive, which needs no braces if it is known."""
        if opening := _OPENING.fullmatch(line):
            return opening
        container = _CONTAINER.fullmatch(line) if self.own else None
        is_own = container and self.own and container[3] in self.own.names
        return container if is_own else None


def convert_directives(
    lines: Sequence[str], kinds: Set[str], own: PageComponents | None = None
) -> list[str]:
    """
    Return the lines with directives as Markdown, or as containers of these kinds.

    `own` components come first.
    """
    return list(_converted(lines, _Names(kinds, own), 0))


def _converted(lines: Sequence[str], names: _Names, depth: int) -> Iterator[str]:
    index = 0
    while index < len(lines):
        line = lines[index]
        fence = _FENCE.fullmatch(line)
        opening = names.opening(line) if fence and depth < MAX_DEPTH else None
        index += 1
        if opening:
            end = _end_of_fence(lines, index, opening[2])
            directive = _directive(opening, lines[index:end])
            is_own = names.own and opening[3] in names.own.names
            converted = (
                _as_component(directive, opening[3], names, depth)
                if is_own
                else _as_markdown(directive, names, depth)
            )
            if converted is None:
                # What is not known stays as it is.
                is_code = opening[2][0] != ":"
                inner = lines[index:end]
                yield line
                yield from inner if is_code else _converted(inner, names, depth + 1)
                yield from lines[end : end + 1]
            else:
                yield from (f"{opening[1]}{each}".rstrip() for each in converted)
            index = end + 1
            continue
        if (
            fence
            and fence[1][0] != ":"
            and not (fence[1][0] == "`" and "`" in fence[2])
        ):
            end = min(
                _end_of_fence(lines, index, fence[1], nests=False) + 1, len(lines)
            )
            yield from lines[index - 1 : end]
            index = end
        elif label := LABEL.fullmatch(line):
            yield f'<a id="{id_of_label(label[1])}"></a>'
            # The heading below it must not be part of its paragraph.
            yield ""
        else:
            yield line


def _end_of_fence(
    lines: Sequence[str], start: int, fence: str, *, nests: bool = True
) -> int:
    """Return the line that ends what a fence begins, or the number of lines."""
    depth = 0
    for index in range(start, len(lines)):
        line = lines[index].strip()
        if not line.startswith(fence):
            continue
        if line.strip(fence[0]):
            # Of equal fences, those with names nest; what follows backticks may be a
            # language.
            name = line[len(fence) :].lstrip(": ")[:1]
            is_named = name == "{" or (fence[0] == ":" and name.isalpha())
            depth += nests and is_named
        elif depth:
            depth -= 1
        else:
            return index
    return len(lines)


def _directive(opening: re.Match[str], lines: Sequence[str]) -> Directive:
    indent, fence, name, argument = opening.groups()
    options, body = split_options(lines, len(indent))
    return Directive(indent, fence, name.lower(), argument.strip(), options, body)


def split_options(
    lines: Sequence[str], indent: int
) -> tuple[dict[str, str], list[str]]:
    """Return the options of a directive, and the lines of its text, outdented."""
    body = [line[min(indent, len(line) - len(line.lstrip(" "))) :] for line in lines]
    options: dict[str, str] = {}
    start = 0
    if body and body[0].strip() == "---" and "---" in body[1:]:
        # MyST: as YAML.
        start = body.index("---", 1) + 1
        for line in body[1 : start - 1]:
            name, _, value = line.partition(":")
            options[name.strip()] = value.strip().strip("'\"")
    while start < len(body) and (option := _OPTION.fullmatch(body[start])):
        options[option[1]] = (option[2] or "").strip()
        start += 1
    while start < len(body) and not body[start].strip():
        start += 1
    return options, body[start:]


def find_directives(lines: Sequence[str], names: Set[str]) -> Iterator[Directive]:
    """Yield the directives with one of the names that are not in code."""
    # The fences of the other directives around a line.
    around: list[str] = []
    index = 0
    while index < len(lines):
        fence, opening = (
            _FENCE.fullmatch(lines[index]),
            _OPENING.fullmatch(lines[index]),
        )
        index += 1
        name = opening[3].lower() if opening else ""
        if fence is None:
            continue
        if around and fence[1].startswith(around[-1]) and not fence[2].strip():
            around.pop()
        elif name and name not in names | _CODE:
            around.append(fence[1])
        elif name or (fence[1][0] != ":" and "`" not in fence[2]):
            end = _end_of_fence(lines, index, fence[1], nests=bool(name))
            if opening and name in names:
                yield _directive(opening, lines[index:end])
            index = end + 1


def id_of_label(label: str) -> str:
    """Return the id of a label, as Sphinx writes it."""
    return label.replace("/", "-")


def text_runs(lines: Sequence[str]) -> Iterator[tuple[bool, list[str]]]:
    """
    Yield the lines that are code, or the fence of a directive, and those of text.

    Each run of text is up to the next fence, with whether it is code.
    """
    # The fences of the directives around a line, and that of the code which it is in.
    around, code = list[str](), ""
    run: list[str] = []
    for line in lines:
        fence = _FENCE.fullmatch(line)
        if not fence and not code:
            run.append(line)
            continue
        if run:
            yield False, run
            run = []
        opening = _OPENING.fullmatch(line) if not code else None
        if code:
            is_end = fence and fence[1].startswith(code) and not fence[2].strip()
            code = "" if is_end else code
        elif (
            around
            and fence
            and fence[1].startswith(around[-1])
            and not fence[2].strip()
        ):
            around.pop()
        elif opening and opening[3].lower() not in _VERBATIM:
            around.append(opening[2])
            yield False, [line]
            continue
        elif fence and fence[1][0] != ":" and "`" not in fence[2]:
            code = fence[1]
        else:
            yield False, [line]
            continue
        yield True, [line]
    if run:
        yield False, run


def _as_markdown(directive: Directive, names: _Names, depth: int) -> list[str] | None:
    """Return the lines that a directive becomes, None if it has no counterpart."""
    name, argument, body = directive.name, directive.argument, directive.body
    kinds = names.kinds
    if name in _SILENT or (name == "eval-rst" and _is_toctree(body)):
        return []
    if name in _CODE:
        return _code(directive)
    if name == "math":
        return ["```math", *([argument] if argument else []), *body, "```"]
    if name in _PICTURES:
        return [*_picture(directive), *_converted(body, names, depth + 1)]
    if name in _VERSIONS:
        words = f"**{_VERSIONS[name]} {argument.partition(' ')[0]}:**"
        text = [argument.partition(" ")[2], *body]
        return [
            "",
            f"{words} {' '.join(filter(None, text[:1]))}".rstrip(),
            *text[1:],
            "",
        ]
    if name not in kinds | _GROUPS | _TABS | _CARDS | _FOLDS | {"admonition"}:
        return None
    inner = list(_converted(body, names, depth + 1))
    if name in _GROUPS:
        return ["", *inner, ""]
    if name in _TABS:
        title = argument.replace('"', "'")
        return ["", f'=== "{title}"', "", *(f"    {line}" for line in inner), ""]
    if name in _CARDS:
        link = directive.options.get("link", "")
        title = f"[{argument}]({link})" if link and argument else argument
        return ["", *([f"**{title}**", ""] if title else []), *inner, ""]
    # A container with as many colons as the fence has characters holds those with less.
    colons = ":" * len(directive.fence)
    if name in _FOLDS:
        return [f"{colons} details {argument}", *inner, colons]
    classes = directive.options.get("class", "").split()
    kind = next((each for each in (name, *classes) if each in kinds), "note")
    title = f"[{argument}]" if name == "admonition" and argument else ""
    text = [argument] if argument and not title else []
    return [f"{colons}{kind}{title}", *text, *inner, colons]


def _is_toctree(lines: Sequence[str]) -> bool:
    """Return whether lines in reStructuredText are nothing but lists of pages."""
    opening = ".. toctree::"
    return all(not line or line.startswith((" ", opening)) for line in lines) and (
        opening in lines
    )


def _as_component(
    directive: Directive, name: str, names: _Names, depth: int
) -> list[str]:
    """Return what a component of the team makes of a directive."""
    assert names.own
    body = "\n".join(directive.body)
    if directive.fence[0] != ":":
        # It was taken for code before.
        body = names.own.replace(body, {})
    title = _TITLE.fullmatch(directive.argument)
    value = (title[1] or title[2] or "").strip() if title else directive.argument
    attributes, _ = read_arguments(title[3] or "") if title else ({}, [])
    inner = "\n".join(_converted(body.split("\n"), names, depth + 1))
    values = [value] if value else []
    output = names.own.render(name, {**attributes, **directive.options}, values, inner)
    return ["", *output.split("\n"), ""]


def _code(directive: Directive) -> list[str]:
    options = directive.options
    info = [
        directive.argument or ("text" if directive.name == "parsed-literal" else "")
    ]
    if caption := options.get("caption", ""):
        info.append('title="{}"'.format(caption.replace('"', "'")))
    if lines := options.get("emphasize-lines", ""):
        info.append(f"{{{lines}}}")
    if "linenos" in options or "lineno-start" in options:
        info.append(f"linenums={options.get('lineno-start') or 1}")
    fence = directive.fence.replace(":", "`")
    return [f"{fence}{' '.join(filter(None, info))}", *directive.body, fence]


def _picture(directive: Directive) -> list[str]:
    """Return the picture; the text below it stays as its caption."""
    options = directive.options
    picture = f"![{options.get('alt', '')}]({directive.argument})"
    attributes = [f"#{options['name']}"] if options.get("name") else []
    width = options.get("width", "").removesuffix("px")
    attributes += [f"width={width}"] if width.isdecimal() else []
    return ["", picture + (f"{{{' '.join(attributes)}}}" if attributes else ""), ""]
