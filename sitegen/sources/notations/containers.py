"""Convert admonitions, tabs and components of other generators to Markdown."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from sitegen.sources.notations.components import (
    Block,
    details_header,
    parse_component,
    to_block,
    to_line,
)

KINDS = {
    "NOTE": ("note", "info", "abstract", "summary", "question", "example", "seealso"),
    "TIP": ("tip", "hint", "success", "check", "done"),
    "IMPORTANT": ("important",),
    "WARNING": ("warning", "attention"),
    "CAUTION": ("caution", "danger", "error", "failure", "fail", "bug", "missing"),
}
# Containers of VitePress in which Vue replaces nothing, as it never does here.
_WITHOUT_TEMPLATES = ("v-pre", "raw")
KIND_BY_NAME = {name: kind for kind, names in KINDS.items() for name in names}
# Containers nested deeper are left as they are.
MAX_DEPTH = 10

# VitePress, Docusaurus and MyST; with slashes, the blocks of PyMdown.
_FENCES = re.compile(
    r"( *)(:{3,}|/{3,})\s*(?:\{?([A-Za-z][A-Za-z-]*+)\}?)?(?:\[(.*)\])?(.*)"
)
# The type may be left out where there is a title.
_MARKS = re.compile(
    r"( *)(?:!!!|\?\?\?\+?)([ \t]*)([A-Za-z][\w-]*)?[^\"]*(?:\"(.*)\")?\s*"
)
# A heading that is a link to a tab, which the next one or a rule ends.
_LEARN_TAB = re.compile(r"#{1,6} \[([^\[\]\"]{1,200}+)\]\(#tabs?/[^()]{1,200}+\)\s*")
LEARN_TAB = "#tab"
_LIST_ITEM = re.compile(r" *(?:[-*+]|[0-9]{1,9}[.)]) {1,4}(?! )")
_OPENINGS = (":::", "///", "!!!", "???", "===", "<", "{{", "#")
_TAB = re.compile(r"( *)===(!?)\+?\s+\"(.*)\"\s*")


@dataclass
class Container:
    """An open container: the prefix of its lines, and how it ends."""

    indent: int
    prefix: str
    # The colons or slashes that end it, or more of them.
    fence: str = ""
    # The name of the component that ends it. Without either, the first line that is
    # not indented does.
    component: str = ""
    # What is written after it.
    footer: tuple[str, ...] = ()
    # How far the first line of a component's content is indented, once it is known.
    dedent: int | None = None
    # How far the text of the list items is indented that are open in it.
    list_indents: list[int] = field(default_factory=list)

    @property
    def has_end(self) -> bool:
        return bool(self.fence or self.component)

    def content_indent(self, line_indent: int) -> int:
        if not self.component:
            return self.indent + (0 if self.fence else 4)
        if self.dedent is None:
            self.dedent = line_indent
        return self.dedent


class ContainerConverter:
    """
    Converts lines, each given with whether it is code.

    Counts components without a counterpart in `removed`; without it, they stay.
    """

    def __init__(
        self, lines: Iterable[tuple[str, bool]], removed: Counter[str] | None = None
    ) -> None:
        lines = list(lines)
        self._removed = removed
        # How many closing tags of each component are still to come.
        self._closings = _count_closings(lines)
        self._open: list[Container] = []
        self._list_indents: list[int] = []
        self._output: list[str] = []
        # Blank lines that are not written yet.
        self._blanks = 0
        # At the start or after the end of a container, where one blank line suffices.
        self._is_edge = False
        # Whether a group of tabs has just ended, and whether another begins.
        self._is_after_tab = self._is_new_group = False
        for line, is_code in lines:
            self._convert(line, is_code)
        self._write_blanks("")

    def text(self) -> str:
        return "\n".join(self._output)

    def _convert(self, line: str, is_code: bool) -> None:
        if not line.strip():
            self._blanks += not self._is_edge
            return
        if not self._open and not _may_open_container(line):
            self._write(line, "")
            return
        text = line.lstrip(" \t")
        if "\t" in line and not is_code and text[0] != "#":
            line = line[: len(line) - len(text)].expandtabs(4) + text
        prefix, rest = self._strip_containers(line)
        if is_code or not (self._close(rest) or self._open_container(prefix, rest)):
            self._write(rest, prefix)

    def _strip_containers(self, line: str) -> tuple[str, str]:
        """Close the containers that end before the line; return its prefix and rest."""
        prefix = ""
        if line.startswith("\t") and self._open:
            # Of code, too, the indentation is that of the container.
            text = line.lstrip("\t")
            line = "    " * (len(line) - len(text)) + text
        for index, container in enumerate(self._open):
            indent = len(line) - len(line.lstrip(" "))
            content_indent = container.content_indent(indent)
            if indent < content_indent and not container.has_end:
                self._close_from(index)
                break
            own_indent = line[: min(container.indent, indent)]
            if container.component:
                # Authors indent what is in a component as they like.
                own_indent = " " * container.indent
            prefix += own_indent + container.prefix
            line = line[min(content_indent, indent) :]
        return prefix, line

    def _close(self, line: str) -> bool:
        """Close the container that the line ends, if it ends one."""
        if self._close_component(line) or self._close_learn_tab(line):
            return True
        fence = line.strip()
        if len(fence) < 3 or fence.strip(fence[0]) or fence[0] not in ":/":
            return False
        for index in range(len(self._open) - 1, -1, -1):
            opening = self._open[index].fence
            if opening and fence.startswith(opening):
                self._close_from(index)
                return True
        return False

    def _close_component(self, line: str) -> bool:
        component = parse_component(line) if "<" in line or "{{" in line else None
        if component is None or not component.is_closing:
            return False
        for index in range(len(self._open) - 1, -1, -1):
            if self._open[index].component == component.name:
                self._close_from(index)
                return True
        return False

    def _close_learn_tab(self, line: str) -> bool:
        """Close a tab of Docs on Learn, which another tab or a rule ends."""
        is_rule = line.strip() in ("---", "***")
        if not is_rule and not _LEARN_TAB.fullmatch(line):
            return False
        for index, container in enumerate(self._open):
            if container.component == LEARN_TAB:
                self._close_from(index)
                return is_rule
        return False

    def _open_component(self, prefix: str, line: str) -> bool:
        """Open the component that the line begins, or write what an empty one is."""
        component = parse_component(line)
        if component is None or component.is_closing:
            return False
        indent = self._list_indent(line)
        if text := to_line(component) if component.is_empty else None:
            self._write(" " * indent + text, prefix)
            return True
        # Without its end, it would contain the rest of the page.
        if component.is_empty or not self._closings[component.name] > 0:
            return False
        block = to_block(component, KIND_BY_NAME)
        if block is None:
            if self._removed is None or component.has_element:
                return False
            self._removed[component.label] += 1
            block = Block()
        self._closings[component.name] -= 1
        if block == Block():
            self._is_new_group = self._is_after_tab
        container = Container(indent, block.prefix, "", component.name, block.footer)
        self._enter(prefix, container, *block.title, header=block.header)
        return True

    def _open_container(self, prefix: str, line: str) -> bool:
        """Open the container that the line begins, if it begins one."""
        if len(self._open) == MAX_DEPTH:
            return False
        if tab := _TAB.fullmatch(line):
            container = Container(len(tab[1]), "    ")
            self._enter(prefix, container, header=(f'==={tab[2]} "{tab[3]}"', ""))
            return True
        if tab := _LEARN_TAB.fullmatch(line):
            # The tab before it has just been closed.
            prefix = "".join(" " * outer.indent + outer.prefix for outer in self._open)
            container = Container(0, "    ", component=LEARN_TAB)
            self._enter(prefix, container, header=(f'=== "{tab[1]}"', ""))
            return True
        if ("<" in line or "{{" in line) and self._open_component(prefix, line):
            return True
        if fence := _FENCES.fullmatch(line):
            return self._open_fence(prefix, fence)
        marks = _MARKS.fullmatch(line)
        if marks is None or not (marks[3] or marks[4]):
            return False
        name = marks[3] or "note"
        if not marks[2] and marks[3] and name.lower() not in KIND_BY_NAME:
            return False
        container = Container(len(marks[1]), "> ")
        self._enter_admonition(prefix, container, name, marks[4] or "")
        return True

    def _open_fence(self, prefix: str, fence: re.Match[str]) -> bool:
        """Open the container that colons or slashes begin, if its meaning is known."""
        indent, name = len(fence[1]), (fence[3] or "").lower()
        # PyMdown's titles follow a bar.
        title = fence[4] or _without_braces(fence[5]).strip(" |")
        container = Container(indent, "> ", fence[2])
        if name == "details":
            container.prefix, container.footer = "", ("", "</details>")
            self._enter(prefix, container, header=details_header(title))
        elif name == "tab" and fence[2][0] == "/":
            container.prefix = "    "
            self._enter(prefix, container, header=(f'=== "{title}"', ""))
        elif name in KIND_BY_NAME or name == "admonition":
            self._enter_admonition(prefix, container, name, title)
        elif name in _WITHOUT_TEMPLATES:
            container.prefix = ""
            self._enter(prefix, container)
        else:
            return False
        return True

    def _enter_admonition(
        self, prefix: str, container: Container, name: str, title: str
    ) -> None:
        lines = [f"[!{KIND_BY_NAME.get(name.lower(), 'NOTE')}]"]
        if title and title.lower() != name.lower():
            lines += [f"**{title}**", ""]
        self._enter(prefix, container, *lines)

    def _enter(
        self,
        prefix: str,
        container: Container,
        *lines: str,
        header: Sequence[str] = (),
    ) -> None:
        self._write_blanks(prefix.rstrip())
        if self._output and self._output[-1].strip(" >"):
            self._output.append(prefix.rstrip())
        self._open.append(container)
        if header and header[0].startswith("=== ") and self._is_new_group:
            header = (header[0].replace("===", "===!", 1), *header[1:])
        self._is_new_group = self._is_new_group and not header
        indent = " " * container.indent
        self._output += [(prefix + indent + line).rstrip() for line in header]
        inner = prefix + " " * container.indent + container.prefix
        self._output += [(inner + line).rstrip() for line in lines]
        is_quote = container.prefix == "> "
        self._blanks, self._is_edge = (0 if is_quote or header else 1), True

    def _close_from(self, index: int) -> None:
        # The blank line keeps the next paragraph out of the quote.
        self._blanks = max(self._blanks, 1)
        while len(self._open) > index:
            container = self._open.pop()
            self._is_after_tab |= container.prefix == "    "
            outer = "".join(" " * each.indent + each.prefix for each in self._open)
            outer += " " * container.indent
            self._output += [(outer + line).rstrip() for line in container.footer]
        self._is_edge = True
        self._write_blanks(
            "".join(" " * outer.indent + outer.prefix for outer in self._open).rstrip()
        )

    def _list_indent(self, line: str) -> int:
        """Return how far the text of the list item that a line is in is indented."""
        lists = self._open[-1].list_indents if self._open else self._list_indents
        indent = len(line) - len(line.lstrip(" "))
        while lists and indent < lists[-1]:
            lists.pop()
        if item := _LIST_ITEM.match(line):
            lists.append(item.end())
        return lists[-1] if lists else 0

    def _write(self, line: str, prefix: str) -> None:
        self._list_indent(line)
        self._is_after_tab = False
        self._write_blanks(prefix.rstrip())
        self._output.append(prefix + line)
        self._is_edge = False

    def _write_blanks(self, prefix: str) -> None:
        self._output += [prefix] * self._blanks
        self._blanks = 0


def convert_in_quotes(
    lines: Sequence[tuple[str, bool]], removed: Counter[str] | None
) -> Iterator[tuple[str, bool]]:
    """Yield the lines, each with whether it is code, with containers within quotes."""
    for is_quote, group in groupby(lines, lambda line: line[0].startswith(">")):
        quote = list(group)
        if not is_quote or not any(map(_begins_component, quote)):
            yield from quote
            continue
        inner = [(line[1:].removeprefix(" "), is_code) for line, is_code in quote]
        for line in ContainerConverter(inner, removed).text().split("\n"):
            # What was code is still so, and nothing else is to be converted.
            yield f"> {line}".rstrip(), True


def _begins_component(line: tuple[str, bool]) -> bool:
    text, is_code = line
    return not is_code and "<" in text and parse_component(text[1:]) is not None


def _may_open_container(line: str) -> bool:
    return line.lstrip(" \t").startswith(_OPENINGS)


def _count_closings(lines: Iterable[tuple[str, bool]]) -> Counter[str]:
    components = (
        parse_component(line)
        for line, is_code in lines
        if not is_code and ("</" in line or "{{" in line)
    )
    return Counter(each.name for each in components if each and each.is_closing)


def _without_braces(text: str) -> str:
    """Remove the attributes, which are between the first and the last brace."""
    start, end = text.find("{"), text.rfind("}")
    return text[:start] + text[end + 1 :] if 0 <= start < end else text
