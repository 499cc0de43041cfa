"""What the processes of a server share, and the pipes by which they wake each other."""

import os
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from models.changes import AREAS
from models.runtime.reports import Reports

MAX_DEFAULT_PROCESSES = 4


def api_processes(count: int) -> list[str]:
    """Name the processes that serve the API; by default one for each two cores."""
    cores = len(os.sched_getaffinity(0))
    count = count or max(1, min(cores // 2, MAX_DEFAULT_PROCESSES))
    return [f"api-{number + 1}" for number in range(count)]


class WakePipe:
    """
    A pipe that carries one byte for each change; it is made before the processes.

    A byte that is lost delays a page until the builder's next tick and loses nothing,
    since the change's mark is in the database.
    """

    def __init__(self) -> None:
        self._reader, self._writer = os.pipe()
        os.set_blocking(self._writer, False)

    def send(self, is_deferrable: bool = False) -> None:
        """Announce a change, which the builder may show later if it is deferrable."""
        # A full pipe already announces thousands of changes.
        with suppress(BlockingIOError):
            os.write(self._writer, bytes([is_deferrable]))

    def start_receiving(self, wake_builder: Callable[[bool], object]) -> None:
        """Call the function for each change from now on, in a thread."""

        def receive() -> None:
            while changes := os.read(self._reader, 4096):
                wake_builder(all(changes))

        threading.Thread(target=receive, name="wake-pipe", daemon=True).start()


@dataclass(frozen=True)
class ServerState:
    """The reports of a server's processes and their pipes, created before the fork."""

    reports: Reports
    database: str
    # These wake the builder of each area, and what follows when documents are built.
    wake_pipes: Mapping[str, WakePipe] = field(
        default_factory=lambda: {area: WakePipe() for area in AREAS}
    )
    docs_built_pipe: WakePipe = field(default_factory=WakePipe)

    def wake_builder(self, area: str, is_deferrable: bool) -> None:
        """Wake the builder of an area, both if it is empty."""
        for name, pipe in self.wake_pipes.items():
            if area in ("", name):
                pipe.send(is_deferrable)
