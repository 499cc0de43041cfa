"""Wake a builder from the other processes of its server."""

import os
import threading
from collections.abc import Callable
from contextlib import suppress


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
        threading.Thread(
            target=self._receive, args=(wake_builder,), name="wake-pipe", daemon=True
        ).start()

    def _receive(self, wake_builder: Callable[[bool], object]) -> None:
        while changes := os.read(self._reader, 4096):
            wake_builder(all(changes))
