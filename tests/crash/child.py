"""Processes that die in the middle of their work."""

import os
import signal
from pathlib import Path
from threading import Lock

from models.storage.database import database, open_database
from sitegen.output.folder import OutputFolder


class Quick(OutputFolder):
    """
    A folder without syncs, because what a killed process has written is on the disk.
    """

    def _sync(self, descriptor):
        pass


class Steps:
    """The steps of a builder, which is killed before the last of them."""

    def __init__(self, last):
        self.left = last
        # Several threads sync files.
        self.lock = Lock()

    def next(self):
        with self.lock:
            self.left -= 1
            is_last = self.left == 0
        if is_last:
            os.kill(os.getpid(), signal.SIGKILL)


class Deadly(Quick):
    """A folder whose builder is killed before a step."""

    def __init__(self, steps, path, area):
        super().__init__(path, area)
        self.step = steps.next

    def mark_unfinished(self):
        self.step()
        super().mark_unfinished()

    def _sync(self, descriptor):
        self.step()
        super()._sync(descriptor)

    def _rename(self, draft, target):
        self.step()
        super()._rename(draft, target)

    def remove(self, path):
        self.step()
        super().remove(path)

    def finish(self, version, entries, made):
        self.step()
        super().finish(version, entries, made)

    def complete(self):
        self.step()
        super().complete()
        self.step()  # before the note in the database


def forked(work, path):
    """Do the work in a child that opens the database itself; return its pid."""
    if not database.is_closed():
        database.close()
    pid = os.fork()
    if pid == 0:
        try:
            open_database(path)
            work()
            os._exit(0)
        finally:
            os._exit(1)
    return pid


def survives(work, path):
    """Return whether a child that does the work completed it; it must not fail."""
    _, status = os.waitpid(forked(work, path), 0)
    killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
    assert killed or os.waitstatus_to_exitcode(status) == 0
    return not killed


def forget(path):
    """Delete a database with all its files."""
    for ending in ("", "-wal", "-shm"):
        Path(path + ending).unlink(missing_ok=True)
