"""Admonitions and tabs of the generators, as quotes and titles."""

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
KIND_OF = {name: kind for kind, names in KINDS.items() for name in names}
# Deeper than anybody reads; what lies deeper stays as it was written.
DEEPEST = 10

_COLONS = re.compile(r"( *)(:{3,})\s*(?:\{?([A-Za-z]+)\}?)?(?:\[(.*)\])?(.*)")
_MARKS = re.compile(r"( *)(?:!!!|\?\?\?\+?)\s+([A-Za-z]+)[^\"]*(?:\"(.*)\")?\s*")
_TAB = re.compile(r"( *)===[!+]?\s+\"(.*)\"\s*")
_BRACES = re.compile(r"\{.*\}")


@dataclass(frozen=True)
class Box:
    """An open box: what it puts before a line, and how it ends."""

    indent: int
    before: str
    # The colons that end it; without, the first line that is not indented does.
    colons: int = 0

    @property
    def depth(self) -> int:
        """How far its lines are indented."""
        return self.indent + (0 if self.colons else 4)


class Boxes:
    """The lines of a text, put into the boxes they stand in."""

    def __init__(self, lines: Iterable[tuple[str, bool]]) -> None:
        self._open: list[Box] = []
        self._written: list[str] = []
        self._blanks = 0
        # Just inside or behind a box, where one blank line is enough.
        self._is_edge = False
        for line, is_code in lines:
            self._take(line, is_code)
        self._blank_out("")

    def text(self) -> str:
        return "\n".join(self._written)

    def _take(self, line: str, is_code: bool) -> None:
        if not line.strip():
            self._blanks += not self._is_edge
            return
        if not self._open and not _may_open(line):
            self._write(line, "")
            return
        before, rest = self._entered(line)
        if is_code or not (self._closes(rest) or self._opens(before, rest)):
            self._write(rest, before)

    def _entered(self, line: str) -> tuple[str, str]:
        """Leave the boxes that end before the line; return what stands before it."""
        before = ""
        for number, box in enumerate(self._open):
            indent = len(line) - len(line.lstrip(" "))
            if indent < box.depth and not box.colons:
                self._leave(number)
                break
            before += line[: min(box.indent, indent)] + box.before
            line = line[min(box.depth, indent) :]
        return before, line

    def _closes(self, line: str) -> bool:
        found = _COLONS.fullmatch(line)
        if not found or found[3] or found[4] or found[5].strip():
            return False
        for number in range(len(self._open) - 1, -1, -1):
            if 0 < self._open[number].colons <= len(found[2]):
                self._leave(number)
                return True
        return False

    def _opens(self, before: str, line: str) -> bool:
        if len(self._open) == DEEPEST:
            return False
        if tab := _TAB.fullmatch(line):
            self._enter(before, Box(len(tab[1]), ""), f"**{tab[2]}**")
            return True
        found = _admonition(line)
        if found is None:
            return False
        box, name, title = found
        lines = [f"[!{KIND_OF.get(name.lower(), 'NOTE')}]"]
        if title and title.lower() != name.lower():
            lines += [f"**{title}**", ""]
        self._enter(before, box, *lines)
        return True

    def _enter(self, before: str, box: Box, *lines: str) -> None:
        self._blank_out(before.rstrip())
        if self._written and self._written[-1].strip(" >"):
            self._written.append(before.rstrip())
        self._open.append(box)
        inner = before + " " * box.indent + box.before
        self._written += [(inner + each).rstrip() for each in lines]
        self._blanks, self._is_edge = (0 if box.before else 1), True

    def _leave(self, number: int) -> None:
        """What follows a box is apart from it, and not of the quote."""
        self._blanks = max(self._blanks, 1)
        del self._open[number:]
        self._is_edge = True
        self._blank_out("".join(" " * b.indent + b.before for b in self._open).rstrip())

    def _write(self, line: str, before: str) -> None:
        self._blank_out(before.rstrip())
        self._written.append(before + line)
        self._is_edge = False

    def _blank_out(self, before: str) -> None:
        self._written += [before] * self._blanks
        self._blanks = 0


def _may_open(line: str) -> bool:
    return line.lstrip(" ").startswith((":::", "!!!", "???", "==="))


def _admonition(line: str) -> tuple[Box, str, str] | None:
    """Return the box that the line opens, with its kind and its title."""
    if marks := _MARKS.fullmatch(line):
        return Box(len(marks[1]), "> "), marks[2], marks[3] or ""
    colons = _COLONS.fullmatch(line)
    # Of the other containers nobody knows what they mean.
    if not colons or (colons[3] or "").lower() not in KIND_OF:
        return None
    title = colons[4] or _BRACES.sub("", colons[5]).strip()
    return Box(len(colons[1]), "> ", len(colons[2])), colons[3], title
