"""
Find the pictures and files that the documents of a tree refer to.

They lie in the folder of the tree, or where its generator keeps them beside that
folder: Docusaurus has documents in `docs/` and pictures in `website/static/`.
"""

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from pathlib import Path
from posixpath import dirname, join, normpath, splitext
from typing import NamedTuple
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
from models.response_headers import without_query
from sitegen.markdown.link_targets import LinkTarget, link_target
from sitegen.markdown.rendering import parse_tokens
from sitegen.markdown.work_limits import WorkLimitExceeded
from sitegen.sources.source_file import existing_file

# Folders in which generators keep files that pages name by an address from the root.
STATIC_FOLDERS = frozenset(("static", "public", "assets", "src"))
IGNORED_FOLDERS = frozenset(("node_modules", "_site"))
# The settings of a generator lie in its root, which has the folder of the documents or
# a folder with this name beside it.
SETTINGS = (
    "docusaurus.config.*",
    "astro.config.*",
    "hugo.*",
    "config.toml",
    "_config.yml",
)
SITE_FOLDER = "website"
MAX_PARENTS = 4
# Docusaurus writes this for the root of the tree.
_SITE_PREFIX = "@site/"
_ATTRIBUTE = re.compile(r"\b(?:src|href|poster)=[\"']([^\"'\n]+)[\"']")


class _Found(NamedTuple):
    """A file, and its path relative to the tree or to the root of the generator."""

    path: Path
    name: str


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
    files: dict[str, FileSource] = field(default_factory=dict)
    _found: dict[str, _Found | None] = field(default_factory=dict)

    def bring(self, text: str, path: Path) -> tuple[str, set[str]]:
        """
        Bring the files along that a document refers to.

        Return its text, in which references lead to the names that the files get, and
        the references to existing files.
        """
        present: set[str] = set()
        changed: dict[str, str] = {}
        for target in _targets(text):
            found = self._find(target, path.as_posix())
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

    def _add(self, found: _Found) -> str:
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

    def _find(self, target: str, path: str) -> _Found | None:
        path_of_target = unquote(without_query(target))
        for candidate in _candidates(path_of_target, path, self._roots):
            if candidate not in self._found:
                self._found[candidate] = self._existing(candidate)
            if (found := self._found[candidate]) is not None:
                return found
        return self._find_beside(path_of_target, path)

    def _find_beside(self, target: str, path: str) -> _Found | None:
        """Find a file where the generator keeps files outside of the tree."""
        if not target.startswith(("/", _SITE_PREFIX)):
            starts, relative = [self.folder / dirname(path)], target
        else:
            starts = [*self._static_folders, *self._static_folders.values()]
            relative = target.removeprefix(_SITE_PREFIX).lstrip("/")
        for start, (folder, root) in product(starts, self._static_folders.items()):
            if file := _file_inside(start / relative, folder):
                return _Found(file, file.relative_to(root).as_posix())
        return None

    @cached_property
    def _static_folders(self) -> dict[Path, Path]:
        """Return the folders of files outside of the tree, with their generator's."""
        folder = self.folder.resolve()
        parents = list(folder.parents)[:MAX_PARENTS]
        roots = [*parents, *(parent / SITE_FOLDER for parent in parents[:1])]
        generators = [
            root for root in roots if any(any(root.glob(name)) for name in SETTINGS)
        ]
        return {
            root / name: root
            for root in generators
            for name in (*sorted(STATIC_FOLDERS - {"src"}), "src/assets")
            # A symbolic link could lead to anything.
            if (root / name).is_dir()
            and (root / name).resolve() == root / name
            and not folder.is_relative_to(root / name)
        }

    @cached_property
    def _roots(self) -> list[str]:
        """Return the folders that an address from the root may be relative to."""
        roots = {"": None}
        for parent, folders, _ in os.walk(self.folder):
            folders[:] = sorted(
                name
                for name in folders
                if name[0] != "." and name not in IGNORED_FOLDERS
            )
            relative = Path(parent).relative_to(self.folder)
            for name in STATIC_FOLDERS.intersection(folders):
                roots[(relative / name).as_posix()] = None
                roots[relative.as_posix().removeprefix(".")] = None
        return sorted(roots, key=lambda root: (root.count("/"), root))

    def _existing(self, candidate: str) -> _Found | None:
        path = self.folder / candidate
        return _Found(path, candidate) if _file_inside(path, self.folder) else None


def _file_inside(path: Path, folder: Path) -> Path | None:
    """Return the file if there is one that symbolic links do not lead out of."""
    file = existing_file(path)
    return file if file and file.is_relative_to(folder.resolve()) else None


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


def _candidates(target: str, path: str, roots: Sequence[str]) -> Iterator[str]:
    """Yield the paths in the tree that a target may mean, the likeliest first."""
    is_absolute = target.startswith(("/", _SITE_PREFIX))
    relative = target.removeprefix(_SITE_PREFIX).lstrip("/")
    paths = [] if is_absolute else [dirname(path), splitext(path)[0]]
    for base in (*paths, *roots):
        yield from _inside(join(base, relative))
    # The tree may have been mounted below some address.
    parts = relative.split("/")
    for start in range(1, len(parts) - 1) if is_absolute else ():
        for base in roots:
            yield from _inside(join(base, *parts[start:]))


def _inside(path: str) -> Iterator[str]:
    normal = normpath(path)
    if not normal.startswith((".", "/")):
        yield normal


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
