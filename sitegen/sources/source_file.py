"""One file of a tree: its place, and its parts."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from models.front_matter import FrontMatter, UnreadableFile, split_front_matter

SUFFIXES = (".md", ".markdown", ".mdx")
INDEXES = ("index", "_index", "readme")
# No character of UTF-8 has more bytes than four; what is larger is not read.
MOST_CHARACTERS = 500_000
MOST_BYTES = 4 * MOST_CHARACTERS
TOO_LONG = f"The file has more than {MOST_CHARACTERS} characters."


@dataclass(frozen=True)
class File:
    """A file that was read; the path is relative to the tree."""

    path: Path
    front: FrontMatter
    body: str

    @property
    def name(self) -> str:
        return self.path.as_posix()

    @cached_property
    def is_index(self) -> bool:
        return self.path.stem.lower() in INDEXES


def read_file(folder: Path, path: Path) -> File:
    """Return the file, or raise Unusable."""
    front, body = split_front_matter(read_text(folder, path))
    if not front and not body.strip():
        raise UnreadableFile("The file is empty.")
    return File(path, front, body)


def read_text(folder: Path, path: Path) -> str:
    """Return what the file says, with plain line ends, or raise Unusable."""
    file = folder / path
    try:
        _require_inside(folder, file)
        if file.stat().st_size > MOST_BYTES:
            raise UnreadableFile(TOO_LONG)
        text = file.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UnreadableFile("The file is not UTF-8.") from None
    except (OSError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or "its links go round in a circle"
        raise UnreadableFile(f"The file cannot be read: {reason}.") from None
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if len(text) > MOST_CHARACTERS:
        raise UnreadableFile(TOO_LONG)
    return text


def _require_inside(folder: Path, file: Path) -> None:
    if not file.resolve().is_relative_to(folder.resolve()):
        raise UnreadableFile("The link leads out of the folder.")
    if not file.is_file():
        raise UnreadableFile("This is not a file, or a link to nothing.")
