"""Read mdBook's SUMMARY.md."""

import re
from collections.abc import Iterator

from sitegen.sources.navigation.entries import Entry, FileIndex, plain_label

SUMMARY = "SUMMARY.md"
_CHAPTER = re.compile(r"([ \t]*)(?:[-*+][ \t]+)?\[(.*)\]\(<?([^()<>]*)>?\)\s*")


def read_summary(text: str, index: FileIndex) -> Iterator[Entry]:
    """Yield the chapters; a chapter with others below it is the first of its group."""
    lines = text.split("\n")
    chapters: list[tuple[int, str, str, str]] = []
    part, has_title = "", False
    for line in lines:
        if line.startswith("# "):
            # The first heading is the title of the book.
            part = plain_label(line[2:]) if has_title or chapters else ""
            has_title = True
        elif chapter := _CHAPTER.fullmatch(line):
            indent = len(chapter[1].expandtabs(4))
            chapters.append((indent, plain_label(chapter[2]), chapter[3], part))
    yield from _entries(chapters, index)


def _entries(
    chapters: list[tuple[int, str, str, str]], index: FileIndex
) -> Iterator[Entry]:
    open_chapters: list[tuple[int, str]] = []
    ends = [*(indent for indent, *_ in chapters[1:]), 0]
    for (indent, label, target, part), next_indent in zip(chapters, ends, strict=False):
        while open_chapters and open_chapters[-1][0] >= indent:
            open_chapters.pop()
        groups = [part] if part else []
        groups += [name for _, name in open_chapters]
        if next_indent > indent:
            open_chapters.append((indent, label))
            groups.append(label)
        # A chapter without a target is a draft.
        if target and (path := index.find_page(target)):
            yield Entry(path, label, tuple(groups))
