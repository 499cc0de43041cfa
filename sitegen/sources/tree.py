"""A tree of Markdown files, read as the documents it is to become."""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from models.errors import Refusal
from models.front_matter import UnreadableFile, is_draft, text_of
from models.projects.documents.document_import import DocumentSource, document_source
from sitegen.sources.dialects import Fences, plain
from sitegen.sources.names import Numbers, slugs, stem, words_of
from sitegen.sources.navigation import Order, read_order
from sitegen.sources.source_file import SUFFIXES, File, read_file
from sitegen.sources.unsupported_syntax import without_local_images

SECTION_LENGTH = 80
SUMMARY_LENGTH = 300
LAST_POSITION = 10_000

SUMMARIES = ("summary", "description")
POSITIONS = (
    *("position", "sort_rank", "weight", "order", "nav_order"),
    *("sidebar_position", "sidebar.order"),
)
LABELS = ("sidebar_label", "sidebar.label")
# Programs and built pages of the generators, not the author's words.
NOT_OURS = {"node_modules", "_site", "_includes", "_layouts"}

_HEADING = re.compile(r"# +(.+?)(?: +#+)? *")


@dataclass(frozen=True)
class Note:
    """A file, and what there is to say of it."""

    path: str
    reason: str


@dataclass
class Tree:
    """What a folder holds, in the order of its paths."""

    sources: list[DocumentSource] = field(default_factory=list)
    # Left out because they cannot be used, and because their authors wish it.
    skipped: list[Note] = field(default_factory=list)
    drafts: list[Note] = field(default_factory=list)
    # Brought in, but not wholly as they were meant.
    notes: list[Note] = field(default_factory=list)


def read_tree(
    folder: Path, progress: Callable[[Sequence[File]], Iterable[File]] = iter
) -> Tree:
    """
    Read every Markdown file of the folder; its folder is the section.

    A file that cannot be used is reported and does not stop the others. `progress`
    goes through the files and may show how far it is.
    """
    tree = Tree()
    files = [file for path in _paths(folder) if (file := _read(folder, path, tree))]
    order = read_order(folder, {each for f in files for each in f.path.parents})
    tree.notes += [Note(*each) for each in order.unusable]
    plan = _Plan(files, order)
    for file, slug in zip(progress(files), slugs(files, plan.numbers), strict=True):
        try:
            tree.sources.append(_source(file, slug, plan, tree))
        except Refusal as refusal:
            tree.skipped.append(Note(file.name, refusal.detail))
    for notes in (tree.skipped, tree.drafts, tree.notes):
        notes.sort(key=lambda each: each.path)
    return tree


def _paths(folder: Path) -> Iterator[Path]:
    """Yield the Markdown files, relative to the folder; hidden ones are none."""
    found = []
    for place, folders, names in os.walk(folder):
        hidden = {each for each in folders if each.startswith(".")} | NOT_OURS
        folders[:] = [each for each in folders if each not in hidden]
        found += [
            (Path(place) / name).relative_to(folder)
            for name in names
            if name.lower().endswith(SUFFIXES) and not name.startswith(".")
        ]
    return iter(sorted(found, key=Path.as_posix))


def _read(folder: Path, path: Path, tree: Tree) -> File | None:
    """Read the file; say in the tree why it is none, if it is none."""
    try:
        file = read_file(folder, path)
    except UnreadableFile as problem:
        tree.skipped.append(Note(path.as_posix(), str(problem)))
        return None
    if is_draft(file.front):
        tree.drafts.append(Note(file.name, "The file says that it is a draft."))
        return None
    if path.name.startswith("_") and not file.is_index:
        reason = "Its name begins with '_': it is a part of other pages."
        tree.drafts.append(Note(file.name, reason))
        return None
    return file


class _Plan:
    """What the files of a tree say about each other."""

    def __init__(self, files: Sequence[File], order: Order) -> None:
        self.numbers = Numbers(file.path for file in files)
        self._order = order
        found = {file.path: self._place(file) for file in files}
        self._places = {path: at for path, at in found.items() if at is not None}
        self._ordered = {path.parent for path in self._places}

    def _place(self, file: File) -> int | None:
        # The rank of an index is its section's: the page itself opens the section.
        if file.is_index:
            return None
        number = re.match(r"-?\d{1,9}", text_of(file.front, *POSITIONS), re.ASCII)
        if number:
            return min(max(int(number[0]), 0), LAST_POSITION)
        place = self._order.places.get(file.name, self.numbers.position(file.path))
        return None if place is None else min(place, LAST_POSITION)

    def position(self, file: File) -> int:
        if file.is_index:
            return 0
        # A page without a place follows those of its folder that have one.
        last = LAST_POSITION if file.path.parent in self._ordered else 0
        return self._places.get(file.path, last)

    def label(self, file: File) -> str:
        return text_of(file.front, *LABELS) or self._order.labels.get(file.name, "")

    def section(self, file: File) -> str | None:
        """
        Return the section that the file names, empty for none, or else its folders
        as words: http-api/errors is "Http api: Errors".
        """
        if "section" in file.front:
            return _cut(text_of(file.front, "section"), SECTION_LENGTH) or None
        folders = [each for each in reversed(file.path.parents) if each.name]
        names = [
            self._order.folders.get(each.as_posix())
            or words_of(self.numbers.bare(each))
            for each in folders
        ]
        return _cut(": ".join(filter(None, names)), SECTION_LENGTH) or None


def _source(file: File, slug: str, plan: _Plan, tree: Tree) -> DocumentSource:
    body = plain(file.body, is_mdx=file.path.suffix.lower() == ".mdx").lstrip("\n")
    body, losses = without_local_images(body)
    tree.notes += [Note(file.name, each) for each in losses]
    first, rest = opening(body)
    names = (
        text_of(file.front, "title"),
        _heading(body),
        plan.label(file),
        words_of(stem(file, plan.numbers)),
    )
    title = next(filter(None, names), slug)
    return document_source(
        path=file.name,
        slug=slug,
        section=plan.section(file),
        position=plan.position(file),
        title=title,
        summary=_cut(text_of(file.front, *SUMMARIES), SUMMARY_LENGTH) or None,
        content=rest if first == title else body,
    )


def opening(body: str) -> tuple[str | None, str]:
    """Return the heading that opens the body, if one does, and what follows it."""
    first, _, rest = body.lstrip("\n").partition("\n")
    found = _HEADING.fullmatch(first)
    return (found[1], rest.lstrip("\n")) if found else (None, body)


def _heading(body: str) -> str | None:
    """Return the first heading of the body; a comment in fenced code is none."""
    fences = Fences()
    for each in body.split("\n"):
        if not fences.holds(each) and (found := _HEADING.fullmatch(each)):
            return found[1]
    return None


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"
