"""The builder: one thread that brings the site up to date when it is woken."""

import logging
import threading
import time
from collections.abc import Callable
from datetime import datetime, timedelta

from models.changes import AREAS, behind, failed_pages
from models.database import reading
from models.status.moments import next_told
from sitegen.build import build
from sitegen.files import OutputError
from sitegen.outcome import Report
from sitegen.page import Edition

log = logging.getLogger("masthead.builds")

# A change alone is built at once. While changes follow each other, the builder rests
# as long as its last build took, but no longer than this: it leaves half of the time
# to those who write, and many changes make one build.
COMPANY_SECONDS = 0.05
# How long measurements that change no state wait for more of their kind.
GATHER_SECONDS = 5.0
# From when on an area that waits for its build is a trouble and not a queue.
PATIENCE = timedelta(seconds=30)


class Builder:
    """
    Builds when woken and when the next change is due, one build at a time.

    `edition(now)` gives what the pages share. `due(at)` is told when time alone
    will change the page, so that somebody wakes the builder then.
    """

    def __init__(
        self,
        clock: Callable[[], datetime],
        edition: Callable[[datetime], Edition],
        due: Callable[[datetime], None] = lambda _: None,
        *,
        gather: float = GATHER_SECONDS,
    ) -> None:
        self._clock = clock
        self._edition = edition
        self._due = due
        self._gather = gather
        self._woken = threading.Event()
        self._hurried = threading.Event()
        self._stopping = False
        self._failure: str | None = None
        self._waiting_since: datetime | None = None
        self._next_change: datetime | None = None
        self._rests_until = 0.0
        self._thread = threading.Thread(target=self._run, name="builder", daemon=True)

    def start(self) -> None:
        """Build everything once, since anything may have happened while away."""
        self._thread.start()

    def stop(self) -> None:
        self._stopping = True
        self.wake()
        self._thread.join()

    def wake(self, area: str = "", is_quiet: bool = False) -> None:  # noqa: ARG002
        """
        Say that something was written, or that an instant has come.

        What is quiet may wait for more of its kind; whatever else comes takes it
        along. Its mark stands, so a death in between loses nothing.
        """
        self._waiting_since = self._waiting_since or self._clock()
        if not is_quiet:
            self._hurried.set()
        self._woken.set()

    def troubles(self) -> list[str]:
        """Return, in sentences, what is wrong with the site now."""
        found = [self._failure] if self._failure else []
        since = self._waiting_since
        if since is not None and self._clock() - since > PATIENCE:
            found.append(f"The site has been behind since {since:%H:%M:%S}Z.")
        with reading():
            pages = failed_pages()
        return found + [f"{each.path} failed: {each.reason}" for each in pages]

    def _run(self) -> None:
        self._turn(lambda: set(AREAS))
        while not self._stopping:
            self._woken.wait()
            self._hurried.wait(self._gather)
            time.sleep(max(0.0, self._rests_until - time.monotonic()))
            # Before anything is read: what comes from here on is another turn's.
            self._hurried.clear()
            self._woken.clear()
            if not self._stopping:
                self._turn(self._areas)

    def _areas(self) -> set[str]:
        """Return what was written to, and the status page when its time has come."""
        if self._failure is not None:
            return set(AREAS)
        with reading():
            found = behind()
        due = self._next_change is None or self._clock() >= self._next_change
        return found | ({"status"} if due else set())

    def _turn(self, areas: Callable[[], set[str]]) -> None:
        """Build, and note what went wrong: the thread lives, the next wake tries."""
        waiting, self._waiting_since = self._waiting_since, None
        try:
            found = areas()
            if found:
                self._build(found)
            self._failure = None
        except Exception as error:
            self._failure = f"The site could not be built: {error}"
            self._waiting_since = waiting or self._clock()
            # A folder that cannot be written has said all in its sentence.
            trace = not isinstance(error, OutputError)
            log.error("build=failed reason=%s", error, exc_info=trace)

    def _build(self, areas: set[str]) -> None:
        started, edition = time.perf_counter(), self._edition(self._clock())
        report = build(edition, sorted(areas))
        seconds = time.perf_counter() - started
        if report.written:
            self._rests_until = time.monotonic() + min(seconds, COMPANY_SECONDS)
        with reading():
            self._next_change = next_told(edition.now, edition.settings.freshness)
        self._due(self._next_change)
        _log(areas, report, seconds)


def _log(areas: set[str], report: Report, seconds: float) -> None:
    log.info(
        "build=done areas=%s written=%d unchanged=%d removed=%d failed=%d ms=%.0f",
        ",".join(sorted(areas)),
        len(report.written),
        report.unchanged,
        len(report.removed),
        len(report.failed),
        seconds * 1000,
    )
