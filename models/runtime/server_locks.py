"""Lock the database file and the output folder of a running server."""

import fcntl
import logging
import os
from contextlib import suppress
from pathlib import Path

from models.errors import StorageBusy
from models.instance import instance_id
from models.logs import LogLine
from models.runtime.faults import Fault
from models.storage.database import reading
from models.storage.engines.engine import is_postgresql

# In the output folder; a name with a dot is not served.
LOCK_FILE = ".masthead.server"
MAX_OWNER_BYTES = 100

log = logging.getLogger("masthead")


class FileLock:
    """A lock on a file from `acquire` to `release`, or to the end of the process."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor: int | None = None

    def acquire(self, owner: str) -> bool:
        """Lock the file and write the owner into it; return whether that succeeded."""
        if self._descriptor is None:
            flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
            descriptor = os.open(self._path, flags, 0o644)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(descriptor)
                return False
            self._descriptor = descriptor
        # An earlier attempt may have failed on a full disk.
        if os.pread(self._descriptor, MAX_OWNER_BYTES, 0) != owner.encode():
            os.ftruncate(self._descriptor, 0)
            os.pwrite(self._descriptor, owner.encode(), 0)
        return True

    def release(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


class ServerLocks:
    """
    The locks of a running server, on its database file and its output folder.

    A PostgreSQL database is not locked, since several servers may share it.
    """

    def __init__(self, database: str, output: str) -> None:
        path = None if is_postgresql(database) else Path(database + "-server")
        self._database = FileLock(path) if path else None
        self._output = FileLock(Path(output) / LOCK_FILE)
        self._is_second = False

    def acquire(self) -> None:
        """Acquire what is free; called periodically, since other servers may stop."""
        # Those who use the database or the folder report its faults.
        with suppress(OSError, StorageBusy):
            with reading():
                id = instance_id()
            with suppress(OSError):
                self._output.acquire(id)
            is_second = self._database is not None and not self._database.acquire(id)
            if is_second != self._is_second:
                log.warning(LogLine(state="second-server", is_over=not is_second))
            self._is_second = is_second

    def faults(self) -> list[Fault]:
        if not self._is_second:
            return []
        detail = (
            "Another server runs on this database; each of them counts the rates of"
            " keys on its own."
        )
        return [Fault("second-server", detail)]

    def __enter__(self) -> None:
        self.acquire()

    def __exit__(self, *_: object) -> None:
        if self._database is not None:
            self._database.release()
        self._output.release()


def lock_owner(path: Path) -> str | None:
    """Return the owner of a locked file, None if it is free or the owner unknown."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return (
            os.pread(descriptor, MAX_OWNER_BYTES, 0).decode("ascii", "replace") or None
        )
    else:
        return None
    finally:
        os.close(descriptor)
