"""Compare the clock of this host with that of PostgreSQL, which several hosts share."""

import logging
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta

from models.errors import StorageBusy
from models.logs import LogLine
from models.runtime.faults import Fault
from models.storage.database import database, independent_reads

# Hosts that synchronise their clocks are apart by milliseconds.
MAX_APART = timedelta(seconds=10)

log = logging.getLogger("masthead")


class ClockWatch:
    """
    Finds out whether the clock is apart from that of the database.

    Which of the two is wrong is unknown, so neither is corrected.
    """

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self._clock = clock
        self._ahead = timedelta()

    def compare(self) -> None:
        """Compare the clocks; called periodically, since one of them may be set."""
        # Who uses the database reports its faults.
        with suppress(StorageBusy), independent_reads():
            before = self._clock()
            at = database.clock_at() or before
            after = self._clock()
            # What the statement took is no difference.
            ahead = max(before - at, timedelta()) or min(after - at, timedelta())
            was_apart, self._ahead = self._is_apart, ahead
            if self._is_apart != was_apart:
                log.warning(
                    LogLine(state="clock-apart", is_over=was_apart, seconds=ahead)
                )

    @property
    def _is_apart(self) -> bool:
        return abs(self._ahead) > MAX_APART

    def faults(self) -> list[Fault]:
        if not self._is_apart:
            return []
        direction = "ahead of" if self._ahead > timedelta() else "behind"
        detail = (
            f"The clock of this host is {abs(self._ahead).total_seconds():.0f} s"
            f" {direction} that of PostgreSQL."
        )
        return [Fault("clock-apart", detail)]
