"""Write a file atomically: beside its path, then renamed into place."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from errno import EEXIST
from pathlib import Path

# The first bytes of an SQLite database.
SQLITE_MAGIC = b"SQLite format 3\0"

# Returns why a path must not be overwritten, "" if it may be.
FindConflict = Callable[[Path], str]


@contextmanager
def atomic_write(path: Path, find_conflict: FindConflict) -> Iterator[Path]:
    """
    Yield the path of an empty file, which is moved to `path` if the block succeeds.

    Only its owner can read it. Raise FileExistsError, and change nothing, if
    `find_conflict` returns a reason.
    """
    _require_no_conflict(path, find_conflict)
    draft = path.with_name(path.name + ".draft")
    draft.unlink(missing_ok=True)
    draft.touch(mode=0o600)
    try:
        yield draft
        _sync(draft)
        _require_no_conflict(path, find_conflict)
        draft.replace(path)
        _sync(path.parent)
    finally:
        draft.unlink(missing_ok=True)


def _require_no_conflict(path: Path, find_conflict: FindConflict) -> None:
    if conflict := find_conflict(path):
        raise FileExistsError(EEXIST, conflict)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def backup_conflict(path: Path) -> str:
    """Allow a backup to replace an earlier one, and nothing else."""
    if path.is_dir():
        return "it is a folder"
    return "" if _is_replaceable(path) else "the file there is not an earlier copy"


def new_file_conflict(path: Path) -> str:
    """Allow an empty file only; SQLite would apply an old log to the new file."""
    if path.is_dir():
        return "it is a folder"
    for file in (path, path.with_name(path.name + "-wal")):
        if file.exists() and not (file.is_file() and file.stat().st_size == 0):
            return f"{file} already exists"
    return ""


def _is_replaceable(path: Path) -> bool:
    """Return whether there is nothing, an empty file or a database."""
    if not path.is_file():
        return not path.exists() and not path.is_symlink()
    with path.open("rb") as file:
        return file.read(len(SQLITE_MAGIC)) in (b"", SQLITE_MAGIC)
