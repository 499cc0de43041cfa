"""Decide the section, label, place and address of each page of a tree."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from posixpath import join, normpath

from models.front_matter import text_of
from models.projects.documents.paths import stem
from models.projects.documents.positions import stable_positions
from models.projects.documents.sections import SEPARATOR
from sitegen.sources.names import (
    ADDRESS_FIELDS,
    NumberPrefixes,
    base_name,
    to_title,
)
from sitegen.sources.navigation.entries import Entry, FileIndex
from sitegen.sources.navigation.folders import (
    LABELS,
    POSITIONS,
    FolderOrder,
    explicit_position,
)
from sitegen.sources.navigation.parents import has_parents, read_parents
from sitegen.sources.navigation.reading import read_categories, read_entries
from sitegen.sources.notations.emoji_names import to_emoji
from sitegen.sources.source_file import SourceFile
from sitegen.sources.titles import plain_title, split_heading

SECTION_LENGTH = 80
# As of titles.
LABEL_LENGTH = 200
# Fields of front matter that set the address of a page, by precedence: as a whole, and
# usually its last part only.
WHOLE_ADDRESSES, LAST_PARTS = ("permalink", "url"), ("slug", "id")
# Longer ones are left out.
MAX_LENGTH = 300
# The files by which a generator is known, and its folder of pages beside them.
CONTENT_FOLDERS = (
    ("book.toml", "src"),
    ("hugo.toml", "content"),
    ("hugo.yaml", "content"),
    ("astro.config.mjs", "src/content/docs"),
    ("mkdocs.yml", "docs"),
)


class Layout:
    """The pages of a tree in reading order, each with its section and label."""

    def __init__(self, folder: Path, files: Sequence[SourceFile]) -> None:
        self.prefixes = NumberPrefixes(file.path for file in files)
        self._addresses = Addresses(folder, self.prefixes)
        folders = {parent for file in files for parent in file.path.parents}
        self.navigation = read_categories(folder, folders)
        self._by_name = {file.name: file for file in files}
        self.index = FileIndex(self._by_name, self._title)
        order = FolderOrder(files, self.prefixes, self.navigation)
        self._labels: dict[str, str] = {}
        entries = self._entries(folder, files, order)
        self._labels = {entry.path: entry.label for entry in entries}
        self._sections = {
            entry.path: self._section(self._by_name[entry.path], entry.groups)
            for entry in entries
        }
        self.files = [
            self._by_name[path]
            for path in reading_order(self._sections.items())
            if path not in self.navigation.own_files
        ]
        hints = [explicit_position(file, POSITIONS) for file in self.files]
        positions = stable_positions(hints)
        self._positions = dict(
            zip((file.name for file in self.files), positions, strict=True)
        )

    def position(self, file: SourceFile) -> int:
        return self._positions[file.name]

    def is_numbered(self, file: SourceFile) -> bool:
        """Return whether the file does not set its position itself."""
        return explicit_position(file, POSITIONS) != self.position(file)

    def section(self, file: SourceFile) -> str | None:
        return self._sections[file.name] or None

    def label(self, file: SourceFile) -> str:
        """Return the label in a navigation file or in the front matter, or ""."""
        label = plain_title(text_of(file.front_matter, *LABELS))
        return truncate(self._labels.get(file.name) or label, LABEL_LENGTH)

    def title(self, file: SourceFile, heading: str) -> str:
        """Return the title of a page, given its heading of level 1 or ""."""
        titles = (
            plain_title(text_of(file.front_matter, "title")),
            heading,
            self.label(file),
            to_title(base_name(file, self.prefixes)),
        )
        return next(filter(None, titles), "")

    def _title(self, path: str) -> str:
        file = self._by_name[path]
        heading, _, level = split_heading(file.body)
        return self.title(file, to_emoji(heading) if level == 1 else "")

    def is_named(self, file: SourceFile) -> bool:
        """Return whether the author's navigation names the page."""
        return file.name in self._named

    def address(self, file: SourceFile) -> str | None:
        """Return the address on the authors' website, None if it is the path."""
        return self._addresses.address(file)

    def _entries(
        self, folder: Path, files: Sequence[SourceFile], order: FolderOrder
    ) -> list[Entry]:
        for file in files:
            for id in _ids(file, self.prefixes):
                self.index.add_id(id, file.name)
        entries = read_entries(folder, self.index, order.entries, self.navigation)
        if not entries and has_parents(files):
            entries = list(read_parents(files))
        self._named = {entry.path for entry in entries}
        return [*entries, *_others(entries, order)]

    def _section(self, file: SourceFile, groups: Iterable[str]) -> str:
        """Return the section in the front matter, "" for none, or the groups."""
        if "section" in file.front_matter:
            section = text_of(file.front_matter, "section")
        else:
            section = SEPARATOR.join(
                group.replace(SEPARATOR, "/") for group in groups if group
            )
        return truncate(section, SECTION_LENGTH)


def _ids(file: SourceFile, prefixes: NumberPrefixes) -> Iterator[str]:
    """Yield the names by which a navigation may call a file besides its path."""
    folders = [path for path in reversed(file.path.parents) if path.name]
    parent = "/".join(prefixes.without(path) for path in folders)
    stem = Path(prefixes.without(file.path)).stem
    for name in (stem, text_of(file.front_matter, "id")):
        if name:
            yield f"{parent}/{name}".lstrip("/")
    for field in ADDRESS_FIELDS:
        address = text_of(file.front_matter, field)
        if "/" in address.strip("/") and ":" not in address:
            yield address.strip("/").removesuffix(".html")


def _others(entries: list[Entry], order: FolderOrder) -> Iterator[Entry]:
    """
    Yield the pages that the navigation does not name.

    They follow the others of their folder, if it is not the root and these are in one
    group.
    """
    named = {entry.path for entry in entries}
    groups_by_folder: dict[Path, set[tuple[str, ...]]] = {}
    for entry in entries:
        groups_by_folder.setdefault(Path(entry.path).parent, set()).add(entry.groups)
    for entry in order.entries():
        if entry.path in named:
            continue
        groups = groups_by_folder.get(Path(entry.path).parent, set())
        is_one = len(groups) == 1 and "/" in entry.path
        yield Entry(entry.path, "", next(iter(groups)) if is_one else entry.groups)


def reading_order(sections: Iterable[tuple[str, str]]) -> Iterator[str]:
    """
    Yield the paths, given with their sections, with those of a section together.

    A section, and a section inside it, stands where its first page does.
    """
    root: dict[str, object] = {}
    for path, section in sections:
        group = root
        for name in filter(None, section.split(SEPARATOR)):
            inner = group.setdefault(f"/{name}", {})
            group = inner if isinstance(inner, dict) else group
        group[path] = None
    yield from _flatten(root)


def _flatten(group: dict[str, object]) -> Iterator[str]:
    for name, inner in group.items():
        if isinstance(inner, dict):
            yield from _flatten(inner)
        else:
            yield name


def truncate(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"


class Addresses:
    """The addresses of the pages of a tree."""

    def __init__(self, folder: Path, prefixes: NumberPrefixes) -> None:
        self._prefixes = prefixes
        self._content_folder = next(
            (Path(root) for name, root in CONTENT_FOLDERS if (folder / name).is_file()),
            Path(),
        )

    def address(self, file: SourceFile) -> str | None:
        """Return the address of a page, None if it follows from the file's path."""
        address = "/" + stem(normpath("/" + self._declared_address(file)))
        is_usable = len(address) <= MAX_LENGTH and address.isprintable()
        return address if is_usable and address[1:] != stem(file.name) else None

    def _declared_address(self, file: SourceFile) -> str:
        if whole := _address_in(file, *WHOLE_ADDRESSES):
            return whole
        last = _address_in(file, *LAST_PARTS)
        # Some generators accept a whole address here, too.
        if "/" in last.strip("./"):
            return last
        name = last or stem(self._prefixes.without(file.path))
        return name if last[:1] == "/" else join(self._folder_address(file), name)

    def _folder_address(self, file: SourceFile) -> str:
        folder = file.path.parent
        content = self._content_folder
        above = set(content.parents) | {content}
        is_content = folder.is_relative_to(content)
        folders = [
            path
            for path in reversed([folder, *folder.parents])
            if path.name and not (is_content and path in above)
        ]
        # Jekyll's collections are in folders with an underscore.
        return "/".join(self._prefixes.without(path).lstrip("_") for path in folders)


def _address_in(file: SourceFile, *names: str) -> str:
    """Return the first of the fields that is an address, or ""."""
    addresses = (text_of(file.front_matter, name) for name in names)
    # /:year/:title/ is a pattern for many pages, not an address.
    return next(
        (address for address in addresses if address and ":" not in address), ""
    )
