"""A forked process with pipes, where a program would take long to load."""

import os
import signal
from collections.abc import Callable
from contextlib import suppress
from threading import Lock
from typing import IO

from models.runtime.forking import fork


class ForkedProcess:
    """
    A process that runs a function, with pipes to its input and from its output.

    It has what this process has imported and opened, and nothing of its threads. So
    fork it before this process opens a database or starts threads that take locks. Its
    attributes and methods are those of subprocess.Popen.
    """

    def __init__(self, run: Callable[[IO[bytes], IO[bytes]], None]) -> None:
        child_reader, writer = os.pipe()
        reader, child_writer = os.pipe()

        def run_child() -> None:
            # Ctrl-C goes to this process, which ends that one.
            os.setsid()
            # It would never read the end of its input while it could write to it.
            os.close(writer)
            os.close(reader)
            with open(child_reader, "rb") as requests, open(child_writer, "wb") as out:
                run(requests, out)

        self.stdin: IO[bytes] = open(writer, "wb")  # noqa: SIM115
        self.stdout: IO[bytes] = open(reader, "rb")  # noqa: SIM115
        self.returncode: int | None = None
        self._lock = Lock()
        try:
            self.pid = fork(run_child, signal.SIG_DFL)
        except OSError:
            self.stdin.close()
            self.stdout.close()
            raise
        finally:
            os.close(child_reader)
            os.close(child_writer)

    def poll(self) -> int | None:
        """Return the exit code, None while the process runs."""
        # Once it has been waited for, its id may be that of another process.
        with self._lock:
            if self.returncode is None:
                pid, status = os.waitpid(self.pid, os.WNOHANG)
                if pid:
                    self.returncode = os.waitstatus_to_exitcode(status)
            return self.returncode

    def wait(self) -> int:
        """Wait for the end of the process, and return its exit code."""
        with suppress(ChildProcessError):
            os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT)
        code = self.poll()
        assert code is not None
        return code

    def kill(self) -> None:
        with self._lock:
            if self.returncode is None:
                os.kill(self.pid, signal.SIGKILL)
