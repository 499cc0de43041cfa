"""A tree of Markdown files, read as the documents it is to become."""

import os
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from models.errors import Refusal
from models.projects.exchange import DocumentSource, document_source

SUFFIXES = (".md", ".markdown")
# No character of UTF-8 has more bytes than four; what is larger is not read.
MOST_CHARACTERS = 500_000
MOST_BYTES = 4 * MOST_CHARACTERS
SLUG_LENGTH = 64
SECTION_LENGTH = 80
SUMMARY_LENGTH = 300
LAST_POSITION = 10_000

SUMMARIES = ("summary", "description")
POSITIONS = ("position", "sort_rank", "weight", "order", "nav_order")

_FRONT = re.compile(r"---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.S | re.M)
_HEADING = re.compile(r"# +(.+?)(?: +#+)? *")


@dataclass(frozen=True)
class Skipped:
    """A file that was left out, and why."""

    path: str
    reason: str


@dataclass
class Tree:
    """What a folder holds, in the order of its paths."""

    sources: list[DocumentSource] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)


class Unusable(Exception):
    """A file that cannot become a document; the text says why."""


@dataclass(frozen=True)
class _File:
    """A file that was read: its place in the tree and its parts."""

    path: Path
    front: dict[str, Any]
    body: str

    @property
    def is_index(self) -> bool:
        return self.path.stem.lower() == "index"


def read_tree(folder: Path) -> Tree:
    """
    Read every Markdown file of the folder; its folder is the section.

    A file that cannot be used is reported and does not stop the others.
    """
    tree, files = Tree(), []
    for path in _paths(folder):
        try:
            file = _read(folder, path)
        except Unusable as problem:
            tree.skipped.append(Skipped(path.as_posix(), str(problem)))
            continue
        files.append(file)
    for file, slug in zip(files, _slugs(files), strict=True):
        try:
            tree.sources.append(_source(file, slug))
        except Refusal as refusal:
            tree.skipped.append(Skipped(file.path.as_posix(), refusal.detail))
    tree.skipped.sort(key=lambda each: each.path)
    return tree


def _paths(folder: Path) -> Iterator[Path]:
    """Yield the Markdown files, relative to the folder; hidden ones are none."""
    found = []
    for place, folders, names in os.walk(folder):
        folders[:] = [each for each in folders if not each.startswith(".")]
        found += [
            (Path(place) / name).relative_to(folder)
            for name in names
            if name.lower().endswith(SUFFIXES) and not name.startswith(".")
        ]
    return iter(sorted(found, key=Path.as_posix))


def _read(folder: Path, path: Path) -> _File:
    file = folder / path
    if not file.resolve().is_relative_to(folder.resolve()):
        raise Unusable("The link leads out of the folder.")
    if not file.is_file():
        raise Unusable("This is not a file, or a link to nothing.")
    try:
        if file.stat().st_size > MOST_BYTES:
            raise Unusable(f"The file has more than {MOST_CHARACTERS} characters.")
        text = file.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Unusable("The file is not UTF-8.") from None
    except OSError as error:
        raise Unusable(f"The file cannot be read: {error.strerror}.") from None
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if len(text) > MOST_CHARACTERS:
        raise Unusable(f"The file has more than {MOST_CHARACTERS} characters.")
    front, body = _parted(text)
    return _File(path, front, body)


def _parted(text: str) -> tuple[dict[str, Any], str]:
    """Return the front matter and the body; without the one all is body."""
    found = _FRONT.match(text)
    if found is None:
        return {}, text
    try:
        front = yaml.safe_load(found[1])
    # A date that does not exist is a ValueError, deep nesting a RecursionError.
    except (yaml.YAMLError, ValueError, RecursionError):
        raise Unusable("The front matter is not YAML that can be read.") from None
    if front is not None and not isinstance(front, dict):
        raise Unusable("The front matter is not a list of names and values.")
    return front or {}, text[found.end() :].lstrip("\n")


def _source(file: _File, slug: str) -> DocumentSource:
    opening, rest = _opening(file.body)
    name = file.path.parent.name if file.is_index else file.path.stem
    title = _line(file.front, ("title",)) or _heading(file.body) or _words(name) or slug
    return document_source(
        path=file.path.as_posix(),
        slug=slug,
        section=_section(file.path.parent),
        # The rank of an index is its section's: the page itself opens the section.
        position=0 if file.is_index else _position(file.front),
        title=title,
        summary=_cut(_line(file.front, SUMMARIES), SUMMARY_LENGTH) or None,
        content=rest if opening == title else file.body,
    )


def _opening(body: str) -> tuple[str | None, str]:
    """Return the heading that opens the body, if one does, and what follows it."""
    first, _, rest = body.lstrip("\n").partition("\n")
    found = _HEADING.fullmatch(first)
    return (found[1], rest.lstrip("\n")) if found else (None, body)


def _heading(body: str) -> str | None:
    """Return the first heading of the body; a comment in fenced code is none."""
    is_code = False
    for line in body.split("\n"):
        if line.lstrip().startswith(("```", "~~~")):
            is_code = not is_code
        elif not is_code and (found := _HEADING.fullmatch(line)):
            return found[1]
    return None


def _line(front: dict[str, Any], names: tuple[str, ...]) -> str:
    """Return the first of the members that is there, as one line."""
    for name in names:
        value = front.get(name)
        if isinstance(value, str | int | float) and not isinstance(value, bool):
            return " ".join(str(value).split())
    return ""


def _position(front: dict[str, Any]) -> int:
    text = _line(front, POSITIONS)
    number = re.match(r"-?\d{1,9}", text, re.ASCII)
    return min(max(int(number[0]), 0), LAST_POSITION) if number else 0


def _section(folder: Path) -> str | None:
    """Return the folders as words: http-api/errors is "Http api: Errors"."""
    words = ": ".join(filter(None, map(_words, folder.parts)))
    return _cut(words, SECTION_LENGTH) or None


def _words(name: str) -> str:
    words = " ".join(re.sub(r"[-_]+", " ", name).split())
    return words[:1].upper() + words[1:]


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"


def _slugs(files: list[_File]) -> list[str]:
    """
    Return a slug of its own for each file: its name, or with its folders.

    All that share a name take their folders, so that none depends on another's
    place in the order.
    """
    short = [_slug(file, 1) for file in files]
    shared = Counter(short)
    wanted = [
        slug if shared[slug] == 1 else _slug(file, len(file.path.parts))
        for file, slug in zip(files, short, strict=True)
    ]
    taken = {slug for slug in short if shared[slug] == 1}
    found = []
    for slug, first in zip(wanted, short, strict=True):
        unique = slug if shared[first] == 1 else _unique(slug, taken)
        taken.add(unique)
        found.append(unique)
    return found


def _slug(file: _File, depth: int) -> str:
    """Return the last parts of the path in pattern P; an index is its folder."""
    parts = file.path.with_suffix("").parts
    if file.is_index and len(parts) > 1:
        parts = parts[:-1]
    plain = unicodedata.normalize("NFKD", "-".join(parts[-depth:]))
    letters = plain.encode("ascii", "ignore").decode().lower()
    slug = re.sub(r"[^a-z0-9]+", "-", letters).strip("-")
    return slug[:SLUG_LENGTH].rstrip("-") or "page"


def _unique(slug: str, taken: set[str]) -> str:
    unique, count = slug, 1
    while unique in taken:
        count += 1
        ending = f"-{count}"
        unique = slug[: SLUG_LENGTH - len(ending)].rstrip("-") + ending
    return unique
