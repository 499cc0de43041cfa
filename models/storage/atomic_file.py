"""A file that is written beside its place, and comes there whole or not at all."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from errno import EEXIST
from pathlib import Path

# What a database of SQLite begins with.
MAGIC = b"SQLite format 3\0"

# Says what stands in the place and must not go, "" where nothing does.
Hindrance = Callable[[Path], str]


@contextmanager
def drafted(path: Path, hindrance: Hindrance) -> Iterator[Path]:
    """
    Lend an empty file that comes to the path when everything inside went well.

    It is for its owner alone. Raise FileExistsError, and touch nothing, where
    something stands that was not meant to go.
    """
    _require_room(path, hindrance)
    draft = path.with_name(path.name + ".draft")
    draft.unlink(missing_ok=True)
    draft.touch(mode=0o600)
    try:
        yield draft
        _sync(draft)
        _require_room(path, hindrance)
        draft.replace(path)
        _sync(path.parent)
    finally:
        draft.unlink(missing_ok=True)


def _require_room(path: Path, hindrance: Hindrance) -> None:
    if found := hindrance(path):
        raise FileExistsError(EEXIST, found)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def no_copy(path: Path) -> str:
    """Hinder what is no earlier copy: whatever else it is, it was not meant to go."""
    if path.is_dir():
        return "it is a folder"
    return "" if _may_go(path) else "something stands there that is no earlier copy"


def no_room(path: Path) -> str:
    """Hinder all but an empty file; a log would be taken for a part of what comes."""
    if path.is_dir():
        return "it is a folder"
    for each in (path, path.with_name(path.name + "-wal")):
        if each.exists() and not (each.is_file() and each.stat().st_size == 0):
            return f"{each} is there already"
    return ""


def _may_go(path: Path) -> bool:
    """Tell whether there is nothing, an empty file or a database."""
    if not path.is_file():
        return not path.exists() and not path.is_symlink()
    with path.open("rb") as file:
        return file.read(len(MAGIC)) in (b"", MAGIC)
