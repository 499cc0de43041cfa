"""Find the Markdown files of a tree, and split each into front matter and body."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from posixpath import join
from typing import Any

from models.front_matter import (
    FrontMatter,
    UnreadableFile,
    UnreadableFrontMatter,
    is_draft,
    load_yaml,
    split_front_matter,
)
from sitegen.sources.home_pages import home_page

MKDOCS_FILES = ("mkdocs.yml", "mkdocs.yaml")
SUFFIXES = (".md", ".markdown", ".mdx")
# Formats of texts that are pages with some generator.
OTHER_FORMATS = {
    ".adoc": "AsciiDoc",
    ".asciidoc": "AsciiDoc",
    ".ipynb": "the format of Jupyter notebooks",
    ".org": "Org mode",
    ".rst": "reStructuredText",
    ".textile": "Textile",
}
INDEXES = ("index", "_index", "readme")
# A character of UTF-8 has at most four bytes; larger files are not read.
MAX_CHARACTERS = 500_000
MAX_BYTES = 4 * MAX_CHARACTERS
TOO_LONG = f"The file has more than {MAX_CHARACTERS} characters."


@dataclass(frozen=True)
class SourceFile:
    """A Markdown file; its path is relative to the tree."""

    path: Path
    front_matter: FrontMatter
    body: str
    # The whole file as it was read, in which remarks find their lines.
    text: str = ""
    # Why the front matter was left out.
    remark: str = ""
    is_draft: bool = False

    @property
    def name(self) -> str:
        return self.path.as_posix()

    @cached_property
    def is_index(self) -> bool:
        return self.path.stem.lower() in INDEXES


def read_file(folder: Path, path: Path) -> SourceFile:
    """Read a file; raise UnreadableFile if it cannot become a document."""
    text, remark = read_text(folder, path), ""
    try:
        front_matter, body = split_front_matter(text)
        draft = is_draft(front_matter)
    except UnreadableFrontMatter as error:
        front_matter, body, remark = {}, error.body, str(error)
        draft = error.is_draft
        if not body.strip():
            raise
    if not front_matter and not body.strip():
        raise UnreadableFile("The file is empty.")
    body = home_page(front_matter, body)
    return SourceFile(path, front_matter, body, text, remark, draft)


def read_text(folder: Path, path: Path) -> str:
    """Return the text with Unix line ends; raise UnreadableFile if there is none."""
    file = folder / path
    try:
        _require_inside(folder, file)
        if file.stat().st_size > MAX_BYTES:
            raise UnreadableFile(TOO_LONG)
        text = file.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UnreadableFile("The file is not UTF-8.") from None
    except (OSError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or "its symbolic links form a loop"
        raise UnreadableFile(f"The file cannot be read: {reason}.") from None
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if len(text) > MAX_CHARACTERS:
        raise UnreadableFile(TOO_LONG)
    return text


def existing_file(path: Path) -> Path | None:
    """Return the file that a path of an author leads to, or None."""
    try:
        return path.resolve() if path.is_file() else None
    except (OSError, RuntimeError, ValueError):
        # The name is too long or contains NUL, or symbolic links form a loop.
        return None


def _require_inside(folder: Path, file: Path) -> None:
    if not file.resolve().is_relative_to(folder.resolve()):
        raise UnreadableFile("The symbolic link points outside the folder.")
    if not file.is_file():
        raise UnreadableFile("This is not a regular file, or a broken symbolic link.")


def walk(
    folder: Path, is_read: Callable[[str, str], bool]
) -> Iterator[tuple[str, list[str], list[str]]]:
    """
    Yield the path of each folder in the tree, and the names of its folders and files.

    `is_read(parent, name)` says which folders are. Symbolic links to folders are not
    followed. Folders may be nested as deeply as the file system allows, which is more
    than `os.walk` can recurse.
    """
    waiting = [""]
    while waiting:
        parent = waiting.pop()
        path = folder / parent
        _, inner, names = next(os.walk(path), ("", [], []))
        folders = sorted(
            name
            for name in inner
            if is_read(parent, name) and not (path / name).is_symlink()
        )
        waiting += [join(parent, name) for name in reversed(folders)]
        yield parent, folders, sorted(names)


@lru_cache(maxsize=8)
def load_config(text: str) -> Any:
    """
    Parse a configuration in YAML, as `load_yaml` does.

    Several readers take their part of one file; none may change its values.
    """
    return load_yaml(text)
