"""Derive titles, positions and slugs from the names of files and folders."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from models.fields import unique_slug
from models.front_matter import text_of
from models.normalization import normalize
from models.projects.documents.linking.tree_names import NUMBER_PREFIX, file_slug
from sitegen.sources.source_file import SourceFile

# Fields of front matter that set the last part of a page's address, by precedence.
ADDRESS_FIELDS = ("slug", "permalink", "url", "id")


def to_title(name: str) -> str:
    words = normalize("NFC", name).strip()
    # With spaces, a hyphen is part of a word.
    if " " not in words:
        words = re.sub(r"[-_]+", " ", words)
    words = " ".join(words.split())
    return words[:1].upper() + words[1:]


class NumberPrefixes:
    """
    The number prefixes that order the files and folders of a folder.

    A number that no other name in the folder has is part of the name, as in
    2-factor-login, unless it begins with a zero.
    """

    def __init__(self, paths: Iterable[Path]) -> None:
        all_paths = {ancestor for path in paths for ancestor in (path, *path.parents)}
        prefixes = {path: NUMBER_PREFIX.match(path.name) for path in all_paths}
        counts = Counter(path.parent for path, prefix in prefixes.items() if prefix)
        self._positions = {
            path: int(prefix[1])
            for path, prefix in prefixes.items()
            if prefix and (counts[path.parent] > 1 or path.name[0] == "0")
        }

    def position(self, path: Path) -> int | None:
        return self._positions.get(path)

    def without(self, path: Path) -> str:
        """Return the name of the file or folder without its number prefix."""
        is_numbered = path in self._positions
        return NUMBER_PREFIX.sub("", path.name, count=1) if is_numbered else path.name


def base_name(file: SourceFile, prefixes: NumberPrefixes) -> str:
    """Return the name without number and suffix; that of an index is its folder's."""
    folder = file.path.parent
    if file.is_index and folder.name:
        return prefixes.without(folder)
    return Path(prefixes.without(file.path)).stem


def slugs(files: Sequence[SourceFile], prefixes: NumberPrefixes) -> list[str]:
    """
    Return a unique slug for each file: its name, or its name with its folders.

    All files that share a name get their folders, so that no slug depends on the
    order of the files.
    """
    names = [
        file_slug(_requested_name(file) or base_name(file, prefixes)) for file in files
    ]
    counts = Counter(names)
    taken = {slug for slug in names if counts[slug] == 1}
    slugs = []
    for file, slug in zip(files, names, strict=True):
        if counts[slug] > 1:
            slug = unique_slug(file_slug(_name_with_folders(file, prefixes)), taken)
            taken.add(slug)
        slugs.append(slug)
    return slugs


def _requested_name(file: SourceFile) -> str:
    """Return the last part of the address that the front matter sets."""
    for name in ADDRESS_FIELDS:
        address = text_of(file.front_matter, name).rstrip("/").rsplit("/", 1)[-1]
        # /:year/:title/ is a pattern for many pages, not a name.
        if address and ":" not in address:
            return address.removesuffix(".html")
    return ""


def _name_with_folders(file: SourceFile, prefixes: NumberPrefixes) -> str:
    folder = file.path.parent
    parent = folder.parent if file.is_index and folder.name else folder
    folders = [path for path in (parent, *parent.parents) if path.name]
    names = [prefixes.without(path) for path in reversed(folders)]
    return "-".join([*names, _requested_name(file) or base_name(file, prefixes)])
