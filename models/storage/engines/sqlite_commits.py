"""
Tell whether anything was committed to an SQLite database, without a statement.

Every commit, by whichever program, changes the header of the WAL index, which is in the
file -shm beside the database: https://sqlite.org/walformat.html#the_wal_index_header.
The header is there twice. A commit writes the second copy first, and is visible to
readers only once both are written, so a stamp that was taken before a read changes with
every commit that the read did not see. A stamp that is taken while the header is being
written equals no other.
"""

import mmap
import os
import sys
from itertools import count
from threading import Lock
from time import monotonic
from typing import NamedTuple

HEADER_BYTES = 48
# Its first four bytes, and the place of the byte that is 1 once it is filled in.
VERSION = (3_007_000).to_bytes(4, sys.byteorder)
IS_INIT = 12
# How often the path is compared with the file that was mapped.
CHECK_SECONDS = 1

# Device and inode.
FileId = tuple[int, int]


class _WalIndex(NamedTuple):
    """A mapped WAL index. Stamps of different ones differ by their prefix."""

    prefix: bytes
    header: mmap.mmap


class _Mapped(NamedTuple):
    """The WAL index at the path of a database, when the database was this file."""

    database: FileId
    wal_index: _WalIndex


# SQLite locks this file with POSIX locks, and closing any descriptor of a file, also
# that of a map, drops all locks that the process has on it. So none is ever closed,
# even if the file was replaced; there is one for each file that a database ever had.
_indexes: dict[FileId, _WalIndex] = {}
_descriptors: list[int] = []
_lock = Lock()
_numbers = count()


class CommitStamps:
    """
    The stamps of one database, whose file may be replaced.

    A stamp may only be taken by a thread with an open connection. While any is open,
    no process truncates the file, which would make reading the map fatal, or deletes
    it. Once no process has one, SQLite deletes the file, and creates another later, so
    `note_connection` must be called after each connection is opened.
    """

    def __init__(self) -> None:
        self._mapped: _Mapped | None = None
        self._check_at = 0.0

    def note_connection(self) -> None:
        self._check_at = 0.0

    def stamp(self, path: str, database: FileId | None) -> bytes | None:
        """
        Return a value that every commit changes, None if there is none.

        `path` is that of the database, `database` the file that the connection of this
        thread has opened: it may have been replaced since.
        """
        if monotonic() >= self._check_at:
            # Set first: a connection that is opened meanwhile requires another check.
            self._check_at = monotonic() + CHECK_SECONDS
            self._mapped = _map(path)
        mapped = self._mapped
        if mapped is None or mapped.database != database:
            return None
        header = mapped.wal_index.header[HEADER_BYTES:]
        if not (header.startswith(VERSION) and header[IS_INIT]):
            return None
        return mapped.wal_index.prefix + header


def _map(path: str) -> _Mapped | None:
    """Return the WAL index at the path, mapped unless it was already."""
    index_path = f"{path}-shm"
    try:
        status, database_id = os.stat(index_path), _id(os.stat(path))
        if status.st_size < 2 * HEADER_BYTES:
            return None
        with _lock:
            index = _indexes.get(_id(status)) or _add_index(index_path)
    except (OSError, ValueError):
        return None
    return _Mapped(database_id, index)


def _add_index(path: str) -> _WalIndex:
    """Map the file that is at the path now."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    _descriptors.append(descriptor)
    header = mmap.mmap(descriptor, 2 * HEADER_BYTES, prot=mmap.PROT_READ)
    prefix = next(_numbers).to_bytes(8, sys.byteorder)
    index_id = _id(os.fstat(descriptor))
    return _indexes.setdefault(index_id, _WalIndex(prefix, header))


def _id(status: os.stat_result) -> FileId:
    return status.st_dev, status.st_ino
