"""Convert admonitions and tabs of other generators to quotes and titles."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

KINDS = {
    "NOTE": ("note", "info", "abstract", "summary", "question", "example", "seealso"),
    "TIP": ("tip", "hint", "success"),
    "IMPORTANT": ("important",),
    "WARNING": ("warning", "attention"),
    "CAUTION": ("caution", "danger", "error", "failure", "bug"),
}
KIND_BY_NAME = {name: kind for kind, names in KINDS.items() for name in names}
# Containers nested deeper are left as they are.
MAX_DEPTH = 10

_COLONS = re.compile(r"( *)(:{3,})\s*(?:\{?([A-Za-z]+)\}?)?(?:\[(.*)\])?(.*)")
_MARKS = re.compile(r"( *)(?:!!!|\?\?\?\+?)\s+([A-Za-z]+)[^\"]*(?:\"(.*)\")?\s*")
_TAB = re.compile(r"( *)===[!+]?\s+\"(.*)\"\s*")


@dataclass(frozen=True)
class Container:
    """An open container: the prefix of its lines, and how it ends."""

    indent: int
    prefix: str
    # How many colons end it; with 0, the first line that is not indented does.
    colons: int = 0

    @property
    def content_indent(self) -> int:
        return self.indent + (0 if self.colons else 4)


class ContainerConverter:
    """Converts lines, each given with whether it is code."""

    def __init__(self, lines: Iterable[tuple[str, bool]]) -> None:
        self._open: list[Container] = []
        self._output: list[str] = []
        # Blank lines that are not written yet.
        self._blanks = 0
        # At the start or after the end of a container, where one blank line suffices.
        self._is_edge = False
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
        prefix, rest = self._strip_containers(line)
        if is_code or not (self._close(rest) or self._open_container(prefix, rest)):
            self._write(rest, prefix)

    def _strip_containers(self, line: str) -> tuple[str, str]:
        """Close the containers that end before the line; return its prefix and rest."""
        prefix = ""
        for index, container in enumerate(self._open):
            indent = len(line) - len(line.lstrip(" "))
            if indent < container.content_indent and not container.colons:
                self._close_from(index)
                break
            prefix += line[: min(container.indent, indent)] + container.prefix
            line = line[min(container.content_indent, indent) :]
        return prefix, line

    def _close(self, line: str) -> bool:
        """Close the container that the line ends, if it ends one."""
        match = _COLONS.fullmatch(line)
        if not match or match[3] or match[4] or match[5].strip():
            return False
        for index in range(len(self._open) - 1, -1, -1):
            if 0 < self._open[index].colons <= len(match[2]):
                self._close_from(index)
                return True
        return False

    def _open_container(self, prefix: str, line: str) -> bool:
        """Open the container that the line begins, if it begins one."""
        if len(self._open) == MAX_DEPTH:
            return False
        if tab := _TAB.fullmatch(line):
            self._enter(prefix, Container(len(tab[1]), ""), f"**{tab[2]}**")
            return True
        admonition = _admonition(line)
        if admonition is None:
            return False
        container, name, title = admonition
        lines = [f"[!{KIND_BY_NAME.get(name.lower(), 'NOTE')}]"]
        if title and title.lower() != name.lower():
            lines += [f"**{title}**", ""]
        self._enter(prefix, container, *lines)
        return True

    def _enter(self, prefix: str, container: Container, *lines: str) -> None:
        self._write_blanks(prefix.rstrip())
        if self._output and self._output[-1].strip(" >"):
            self._output.append(prefix.rstrip())
        self._open.append(container)
        inner = prefix + " " * container.indent + container.prefix
        self._output += [(inner + line).rstrip() for line in lines]
        self._blanks, self._is_edge = (0 if container.prefix else 1), True

    def _close_from(self, index: int) -> None:
        # The blank line keeps the next paragraph out of the quote.
        self._blanks = max(self._blanks, 1)
        del self._open[index:]
        self._is_edge = True
        self._write_blanks(
            "".join(" " * outer.indent + outer.prefix for outer in self._open).rstrip()
        )

    def _write(self, line: str, prefix: str) -> None:
        self._write_blanks(prefix.rstrip())
        self._output.append(prefix + line)
        self._is_edge = False

    def _write_blanks(self, prefix: str) -> None:
        self._output += [prefix] * self._blanks
        self._blanks = 0


def _may_open_container(line: str) -> bool:
    return line.lstrip(" ").startswith((":::", "!!!", "???", "==="))


def _admonition(line: str) -> tuple[Container, str, str] | None:
    """Return the admonition that the line opens, with its name and title."""
    if marks := _MARKS.fullmatch(line):
        return Container(len(marks[1]), "> "), marks[2], marks[3] or ""
    colons = _COLONS.fullmatch(line)
    # The meaning of other containers is unknown.
    if not colons or (colons[3] or "").lower() not in KIND_BY_NAME:
        return None
    title = colons[4] or _without_braces(colons[5]).strip()
    return Container(len(colons[1]), "> ", len(colons[2])), colons[3], title


def _without_braces(text: str) -> str:
    """Remove the attributes, which are between the first and the last brace."""
    start, end = text.find("{"), text.rfind("}")
    return text[:start] + text[end + 1 :] if 0 <= start < end else text
