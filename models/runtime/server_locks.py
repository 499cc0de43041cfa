"""A file that a running server holds: whoever comes second learns of it."""

import fcntl
import logging
import os
from contextlib import suppress
from pathlib import Path

from models.errors import StorageBusy
from models.instance import instance_id
from models.logs import Line
from models.runtime.faults import Fault
from models.storage.database import reading
from models.storage.engines.engine import is_served

# In the output folder; its dot hides it from whoever reads the site.
SERVER = ".masthead.server"

log = logging.getLogger("masthead")


class Lease:
    """Held from `take` to `release`, or to the death of the process."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._held: int | None = None

    def take(self, owner: str) -> bool:
        """Hold it; tell whether it can be had."""
        if self._held is None:
            found = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            try:
                fcntl.flock(found, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(found)
                return False
            self._held = found
        # A disk that was full has room now.
        if os.pread(self._held, 100, 0) != owner.encode():
            os.ftruncate(self._held, 0)
            os.pwrite(self._held, owner.encode(), 0)
        return True

    def release(self) -> None:
        if self._held is not None:
            os.close(self._held)
            self._held = None


class ServerLocks:
    """
    What a running server holds: its database, and the folder it builds into.

    A database that is a file is held; one that a server has is for many.
    """

    def __init__(self, database: str, output: str) -> None:
        path = None if is_served(database) else Path(database + "-server")
        self._database = Lease(path) if path else None
        self._output = Lease(Path(output) / SERVER)
        self._is_second = False

    def take(self) -> None:
        """Hold what can be had; called again and again, since others may go."""
        # What cannot be used is told by those who have to use it.
        with suppress(OSError, StorageBusy):
            with reading():
                id = instance_id()
            with suppress(OSError):
                self._output.take(id)
            is_second = self._database is not None and not self._database.take(id)
            if is_second != self._is_second:
                log.warning(Line(state="second-server", is_over=not is_second))
            self._is_second = is_second

    def troubles(self) -> list[Fault]:
        if not self._is_second:
            return []
        detail = "Another server runs on this database; rates are counted by each."
        return [Fault("second-server", detail)]

    def __enter__(self) -> None:
        self.take()

    def __exit__(self, *_: object) -> None:
        if self._database is not None:
            self._database.release()
        self._output.release()


def holder_of(path: Path) -> str | None:
    """Return who holds the lease; None for nobody, and for who could not say."""
    try:
        found = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(found, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return os.pread(found, 100, 0).decode("ascii", "replace") or None
    else:
        return None
    finally:
        os.close(found)
