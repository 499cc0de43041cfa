"""Lock by number across the processes of a server."""

import fcntl
import os
import weakref


class ByteLocks:
    """
    Locks with numbers below 2**62: each is a lock on one byte of a file in memory.

    The operating system releases a lock when its process ends, however it ends. The
    threads of a process share its locks. The object is created before the processes
    are forked.
    """

    def __init__(self) -> None:
        self._descriptor = os.memfd_create("masthead-locks")
        weakref.finalize(self, os.close, self._descriptor)

    def acquire(self, number: int) -> None:
        """Wait until no other process has the lock, and take it."""
        fcntl.lockf(self._descriptor, fcntl.LOCK_EX, 1, number, os.SEEK_SET)

    def try_acquire(self, number: int) -> bool:
        """Take the lock unless another process has it; return whether it was taken."""
        try:
            operation = fcntl.LOCK_EX | fcntl.LOCK_NB
            fcntl.lockf(self._descriptor, operation, 1, number, os.SEEK_SET)
        except OSError:
            return False
        return True

    def release(self, number: int) -> None:
        fcntl.lockf(self._descriptor, fcntl.LOCK_UN, 1, number, os.SEEK_SET)
