"""Publish in a background thread of the server whenever the site has been built."""

import logging
import threading
import time
from collections.abc import Callable
from datetime import datetime

from models.errors import StorageBusy
from models.logs import LogLine
from models.runtime.faults import Fault
from models.runtime.reports import BuildProgress
from models.settings import Settings
from sitegen.output.folder import OutputError
from sitegen.output.publishing.publication import (
    Publication,
    PublicationStopped,
    PublishReport,
)
from sitegen.output.publishing.targets import PublishError, TargetBusy

log = logging.getLogger("masthead.publishing")

# The pause after each publication, so that several builds are published together.
PAUSE_SECONDS = 1.0
# The pause after a failure doubles from the first to the second value.
FIRST_RETRY_SECONDS, MAX_RETRY_SECONDS = 1.0, 300.0
# The pause while another publisher uses the target.
BUSY_SECONDS = 5.0
# How long a stopping server waits for the publication that is running.
STOP_SECONDS = 10.0


class Publisher:
    """Publishes what was built; builds do not wait for it."""

    def __init__(
        self,
        settings: Settings,
        clock: Callable[[], datetime],
        *,
        find_generations: Callable[[], dict[str, int]] = dict,
        on_published: Callable[[dict[str, int]], None] = lambda _: None,
        pause_seconds: float = PAUSE_SECONDS,
        first_retry_seconds: float = FIRST_RETRY_SECONDS,
    ) -> None:
        self._settings = settings
        self._clock = clock
        # Returns the generation up to which the pages of each area are built, which
        # the other is given once they are published.
        self._find_generations = find_generations
        self._on_published = on_published
        self._pause_seconds = pause_seconds
        self._first_retry_seconds = first_retry_seconds
        self._wake_event = threading.Event()
        self._stop_event = threading.Event()
        self._fault: Fault | None = None
        self.progress = BuildProgress()
        self._retry_seconds = first_retry_seconds
        self._publication: Publication | None = None
        self._thread = threading.Thread(target=self._run, name="publisher", daemon=True)

    def __enter__(self) -> None:
        if self._settings.publish:
            self._thread.start()

    def __exit__(self, *_: object) -> None:
        """Stop before the next file; the next publication continues from there."""
        self._stop_event.set()
        self._wake_event.set()
        if self._thread.is_alive():
            self._thread.join(STOP_SECONDS)

    def wake(self) -> None:
        """Publish soon, because the output has changed."""
        if self._settings.publish:
            self.progress.request(self._clock())
            self._wake_event.set()

    def faults(self) -> list[Fault]:
        return [self._fault] if self._fault else []

    def _run(self) -> None:
        while True:
            self._wake_event.wait()
            self._wake_event.clear()
            if self._stop_event.is_set():
                return
            pause = self._publish_and_handle_errors()
            # Retry after a failure, even if nothing is built meanwhile.
            if pause > self._pause_seconds:
                self._wake_event.set()
            self._stop_event.wait(pause)

    def _publish_and_handle_errors(self) -> float:
        """Publish, record what went wrong, and return the seconds to pause."""
        self.progress.start(self._clock())
        is_complete = False
        try:
            if self._publication is None:
                is_stopping = self._stop_event.is_set
                self._publication = Publication(self._settings, is_stopping)
            is_complete = self._publish(self._publication)
        except PublicationStopped:
            pass
        except TargetBusy as error:
            # Several hosts may publish to one target: one does, and the others wait.
            log.info(LogLine(publish="waits", reason=error))
            return BUSY_SECONDS
        except Exception as error:
            self.progress.broken += 1
            detail = f"The site could not be published: {error}"
            is_expected = isinstance(error, PublishError | OutputError)
            self._record(Fault("publish-failed", detail), with_trace=not is_expected)
        finally:
            self.progress.finish(is_complete=is_complete)
        if is_complete:
            self._retry_seconds = self._first_retry_seconds
            return self._pause_seconds
        pause = self._retry_seconds
        self._retry_seconds = min(pause * 2, MAX_RETRY_SECONDS)
        return pause

    def _publish(self, publication: Publication) -> bool:
        """Publish, and return whether the hook succeeded too."""
        started_at, started = self._clock(), time.perf_counter()
        generations = self._find_generations()
        report = publication.run()
        self._note(generations)
        seconds = time.perf_counter() - started
        self.progress.record(started_at, seconds)
        if report.sent or report.removed:
            _log_report(report, seconds)
        if report.hook_failure:
            self._record(Fault("hook-failed", report.hook_failure))
            return False
        if self._fault:
            log.info(LogLine(state=self._fault.state, is_over=True))
            self._fault = None
        return True

    def _note(self, generations: dict[str, int]) -> None:
        try:
            self._on_published(generations)
        except StorageBusy as error:
            # The site is published, so this is no fault: it is noted the next time.
            log.warning(LogLine(publish="not-noted", reason=error))
            self._wake_event.set()

    def _record(self, fault: Fault, *, with_trace: bool = False) -> None:
        self._fault = fault
        line = LogLine(publish="failed", state=fault.state, reason=fault.detail)
        log.error(line, exc_info=with_trace)


def _log_report(report: PublishReport, seconds: float) -> None:
    log.info(
        LogLine(
            publish="done",
            sent=len(report.sent),
            removed=len(report.removed),
            bytes=report.bytes,
            ms=round(seconds * 1000),
        )
    )
