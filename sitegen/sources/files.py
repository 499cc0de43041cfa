"""
Find the pictures and files that the documents of a tree refer to.

A reference is rewritten if a document could not name the file by it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from posixpath import splitext
from urllib.parse import unquote

from markdown_it.token import Token

from models.projects.files.file_import import FileSource
from models.projects.files.file_types import BY_SUFFIX, suffix_of
from models.projects.files.names import (
    candidate_names,
    names_a_file,
    to_file_name,
    tree_prefix,
)
from models.site_addresses import without_query
from sitegen.markdown.links import LinkTarget, link_target
from sitegen.markdown.rendering import parse_tokens
from sitegen.markdown.work_limits import WorkLimitExceeded
from sitegen.sources.file_lookup import FileLookup, FoundFile

_ATTRIBUTE = re.compile(r"\b(?:src|href|poster)=[\"']([^\"'\n]+)[\"']")


# Where targets stand, as a whole: without and with spaces.
_PLACES = (
    re.compile(r"(?<=[(<\"'\s])[^()<>\"'\s]++(?=[)>\"'\s]|\Z)"),
    re.compile(r"(?<=<)[^<>\n]++(?=>)"),
    re.compile(r"(?<=[\"'])[^\"'\n]++(?=[\"'])"),
)
MAX_BRACKETED = 100


@dataclass
class TreeFiles:
    """The files that the documents read so far refer to."""

    folder: Path
    tree: str
    # The folders outside of the tree in which files may be.
    include_from: Sequence[Path] = ()
    files: dict[str, FileSource] = field(default_factory=dict)

    @cached_property
    def _lookup(self) -> FileLookup:
        return FileLookup(self.folder, self.include_from)

    def bring(self, text: str, path: Path) -> tuple[str, set[str]]:
        """
        Bring the files along that a document refers to.

        Return its text, in which references lead to the names that the files get, and
        the references to existing files.
        """
        present: set[str] = set()
        changed: dict[str, str] = {}
        for target in _targets(text):
            found = self._lookup.find(unquote(without_query(target)), path.as_posix())
            if found is None:
                continue
            name = self._add(found)
            reference = self._reference(target, name, path.as_posix())
            if reference != target:
                changed[target] = reference
            present.add(reference)
        return _with_references(text, changed), present

    def _reference(self, target: str, name: str, path: str) -> str:
        """Return the target, rewritten if a document could not name the file by it."""
        raw_path = without_query(target)
        if next(candidate_names(raw_path, self.tree, path)) == name:
            return target
        return "/" + name.partition("/")[2] + target[len(raw_path) :]

    def _add(self, found: FoundFile) -> str:
        """Note the file, and return its name; two paths may differ in one character."""
        base = f"{tree_prefix(self.tree)}/{to_file_name(found.name)}"
        stem, suffix = splitext(base)
        name, number = base, 1
        while name in self.files and self.files[name].path != found.path:
            number += 1
            name = f"{stem}-{number}{suffix}"
        if name not in self.files:
            status = found.path.stat()
            self.files[name] = FileSource(
                name, found.path, status.st_size, status.st_mtime_ns
            )
        return name


def _targets(text: str) -> list[str]:
    """Return the distinct targets of images and links that name a file."""
    if not names_a_file(text):
        return []
    try:
        targets = list(_token_targets(parse_tokens(text)))
    except WorkLimitExceeded:
        targets = []
    targets += _ATTRIBUTE.findall(text)
    return [
        target
        for target in dict.fromkeys(targets)
        if link_target(target) is LinkTarget.SITE
        and suffix_of(without_query(target)) in BY_SUFFIX
    ]


def _token_targets(tokens: list[Token]) -> Iterator[str]:
    for token in tokens:
        if token.type == "image":
            yield str(token.attrs["src"])
        elif token.type == "link_open":
            yield str(token.attrs["href"])
        yield from _token_targets(token.children or [])


def _with_references(text: str, references: dict[str, str]) -> str:
    """Replace targets where they stand as such: in brackets, quotes or definitions."""
    for place in _PLACES if references else ():
        text = place.sub(lambda match: references.get(match[0], match[0]), text)
    # A text has few of these, and each is looked for in all of it.
    with_brackets = [target for target in references if "(" in target or ")" in target]
    for target in with_brackets[:MAX_BRACKETED]:
        place = re.compile(rf"(?<=[(\s]){re.escape(target)}(?=[)\s]|$)")
        text = place.sub(lambda _, target=target: references[target], text)  # type: ignore[misc]
    return text
