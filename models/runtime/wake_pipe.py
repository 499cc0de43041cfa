"""Wake the builder from the other processes of its server."""

import os
import threading
from collections.abc import Callable
from contextlib import suppress

from models.changes import AREAS

# The codes of a change that the builder should show soon, and of one that can wait.
_SOON, _DEFERRABLE = 0, 1


class WakePipe:
    """
    A pipe that carries one byte for each change; it is made before the processes.

    A byte that is lost delays a page until the builder's next tick and loses nothing,
    since the change's mark is in the database.
    """

    def __init__(self) -> None:
        self._reader, self._writer = os.pipe()
        os.set_blocking(self._writer, False)

    def send(self, area: str, is_deferrable: bool) -> None:
        """Announce that an area was written to."""
        code = 2 * AREAS.index(area) + (_DEFERRABLE if is_deferrable else _SOON)
        # A full pipe already announces thousands of changes.
        with suppress(BlockingIOError):
            os.write(self._writer, bytes([code]))

    def start_receiving(self, wake_builder: Callable[[str, bool], None]) -> None:
        """Call the function for each change from now on, in a thread."""
        threading.Thread(
            target=self._receive, args=(wake_builder,), name="wake-pipe", daemon=True
        ).start()

    def _receive(self, wake_builder: Callable[[str, bool], None]) -> None:
        while codes := os.read(self._reader, 4096):
            for code in set(codes):
                area, is_deferrable = divmod(code, 2)
                wake_builder(AREAS[area], is_deferrable == _DEFERRABLE)
