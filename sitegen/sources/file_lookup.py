"""
Find the file that a link of a document means, in the tree or beside it.

An address from the root may begin at any static folder of the tree, and the tree may
have been mounted below some address. Each such pair is not tried: the files are listed
once, by all the addresses that they may have.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from posixpath import dirname, join, normpath, splitext
from typing import NamedTuple

from models.normalization import normalize
from models.projects.files.file_types import BY_SUFFIX, suffix_of
from sitegen.sources.source_file import existing_file, walk

# Folders in which generators keep files that pages name by an address from the root.
STATIC_FOLDERS = frozenset(("static", "public", "assets", "src"))
IGNORED_FOLDERS = frozenset(("node_modules", "_site"))
# The settings of a generator lie in its root, which has the folder of the documents or
# a folder with this name beside it.
SETTINGS = (
    "docusaurus.config.*",
    ".vitepress",
    ".vuepress",
    "astro.config.*",
    "hugo.*",
    "config.toml",
    "_config.yml",
)
SITE_FOLDER = "website"
MAX_PARENTS = 4
# Docusaurus writes this for the root of the tree.
SITE_PREFIX = "@site/"
# Of the static folders whose files are listed, so that each is listed a few times only.
MAX_FOLDER_DEPTH = 8
# Longer paths are looked up nowhere.
MAX_TARGET_LENGTH = 1_000


class FoundFile(NamedTuple):
    """A file, and its path relative to the tree or to the root of the generator."""

    path: Path
    name: str


class FileLookup:
    """
    Looks up the files of a tree, and those that its generator keeps beside it.

    Files may also be in one of the folders from which files are included.
    """

    def __init__(self, folder: Path, include_from: Sequence[Path] = ()) -> None:
        self._folder, self._include_from = folder, include_from
        self._found: dict[str, FoundFile | None] = {}

    def find(self, target: str, path: str) -> FoundFile | None:
        """Return the file that a target means in the document with this path."""
        if len(target) > MAX_TARGET_LENGTH:
            return None
        for candidate in self._candidates(target, path):
            if candidate not in self._found:
                self._found[candidate] = self._existing(candidate)
            if (found := self._found[candidate]) is not None:
                return found
        return self._find_beside(target, path)

    def _candidates(self, target: str, path: str) -> Iterator[str]:
        """Yield the paths in the tree that a target may mean, the likeliest first."""
        is_absolute = _is_absolute(target)
        relative = _without_root(target)
        bases = () if is_absolute else (dirname(path), splitext(path)[0])
        for base in (*bases, ""):
            candidate = normpath(join(base, relative))
            if not candidate.startswith(("../", "/")):
                yield candidate
        parts = [part for part in normpath(relative).split("/") if part != ".."]
        # The tree may have been mounted below some address.
        last_start = max(1, len(parts) - 1) if is_absolute else 1
        for start in range(last_start):
            if path_of_file := self._by_address.get("/".join(parts[start:])):
                yield path_of_file
        # An editor of notes finds a file by its name, wherever it is.
        paths = self._by_name.get(parts[-1], ()) if not is_absolute else ()
        if len(paths) == 1 and f"/{paths[0]}".endswith("/".join(["", *parts])):
            yield paths[0]

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        paths: dict[str, list[str]] = {}
        for _, path in self._files():
            paths.setdefault(path.rpartition("/")[2], []).append(path)
        return paths

    @cached_property
    def _by_address(self) -> dict[str, str]:
        """Return the paths of files, by their paths from each root of addresses."""
        listed = [
            (root.count("/"), root, path[len(root) :].lstrip("/"), path)
            for roots, path in self._files()
            for root in roots
        ]
        # Of the files with one address, that from the first root is last.
        listed.sort(reverse=True)
        return {address: path for _, _, address, path in listed}

    def _files(self) -> Iterator[tuple[tuple[str, ...], str]]:
        """Yield the files, each with the folders above it where addresses may begin."""
        roots_of: dict[str, tuple[str, ...]] = {"": ("",)}
        for folder, folders, names in walk(self._folder, _has_files):
            roots = roots_of.pop(folder)
            if STATIC_FOLDERS.intersection(folders):
                roots = _with_root(roots, folder)
            for name in folders:
                inner = join(folder, name)
                is_static = name in STATIC_FOLDERS
                roots_of[inner] = _with_root(roots, inner) if is_static else roots
            for name in names:
                if suffix_of(name) in BY_SUFFIX:
                    yield roots, join(folder, name)

    def _existing(self, candidate: str) -> FoundFile | None:
        # The names of files have decomposed letters on some systems.
        forms = candidate, normalize("NFC", candidate), normalize("NFD", candidate)
        for name in dict.fromkeys(forms):
            file = existing_file(self._folder / name)
            if file and file.is_relative_to(self._folder.resolve()):
                return FoundFile(self._folder / name, name)
        return None

    def _find_beside(self, target: str, path: str) -> FoundFile | None:
        """Find a file where the generator keeps files outside of the tree."""
        starts = [self._folder / dirname(path)]
        if _is_absolute(target):
            folders = self._static_folders
            starts = list(dict.fromkeys([*folders, *folders.values()]))
        relative = _without_root(target)
        for file in filter(None, (existing_file(start / relative) for start in starts)):
            for folder, root in self._static_folders.items():
                # A path or a symbolic link may lead out of it.
                if file.is_relative_to(folder):
                    return FoundFile(file, file.relative_to(root).as_posix())
        return None

    @cached_property
    def _static_folders(self) -> dict[Path, Path]:
        """Return the folders of files outside of the tree, with their generator's."""
        folder = self._folder.resolve()
        parents = list(folder.parents)[:MAX_PARENTS]
        roots = [*parents, *(parent / SITE_FOLDER for parent in parents[:1])]
        generators = [
            root for root in roots if any(any(root.glob(name)) for name in SETTINGS)
        ]
        named = [path.resolve() for path in self._include_from]
        included = {path: path.parent for path in named}
        return included | {
            root / name: root
            for root in generators
            for name in (*sorted(STATIC_FOLDERS - {"src"}), "src/assets")
            # A symbolic link could lead to anything.
            if (root / name).is_dir()
            and (root / name).resolve() == root / name
            and not folder.is_relative_to(root / name)
        }


def _is_absolute(target: str) -> bool:
    return target.startswith(("/", SITE_PREFIX))


def _without_root(target: str) -> str:
    return target.removeprefix(SITE_PREFIX).lstrip("/")


def _has_files(parent: str, name: str) -> bool:
    is_static = not STATIC_FOLDERS.isdisjoint(parent.split("/"))
    return name not in IGNORED_FOLDERS and (is_static or name[0] != ".")


def _with_root(roots: tuple[str, ...], folder: str) -> tuple[str, ...]:
    """Return the roots and the folder, unless it lies too deep."""
    is_new = folder not in roots and folder.count("/") < MAX_FOLDER_DEPTH
    return (*roots, folder) if is_new else roots
