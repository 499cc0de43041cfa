"""The publisher: one thread that brings the target up to date when it is woken."""

import logging
import threading
import time
from collections.abc import Callable
from datetime import datetime

from models.logs import LogLine
from models.runtime.build_progress import BuildProgress
from models.runtime.faults import Fault
from models.settings import Settings
from sitegen.output.folder import OutputError
from sitegen.output.publishing.publication import Publication, Report, Stopped
from sitegen.output.publishing.targets import Busy, PublishError

log = logging.getLogger("masthead.publishing")

# Builds that follow each other make one publication: it rests so long after each.
REST_SECONDS = 1.0
# How long it waits after a failure: first, and at most; and for another's turn.
FIRST_SECONDS, MOST_SECONDS = 1.0, 300.0
TURN_SECONDS = 5.0
# What is under way is waited for so long when the service ends.
STOP_SECONDS = 10.0


class Publisher:
    """Publishes what was built; builds do not wait for it."""

    def __init__(
        self,
        settings: Settings,
        clock: Callable[[], datetime],
        *,
        rest: float = REST_SECONDS,
        first: float = FIRST_SECONDS,
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._rest, self._first = rest, first
        self._woken = threading.Event()
        self._stopping = threading.Event()
        self._failure: Fault | None = None
        self.progress = BuildProgress()
        self._wait = first
        self._publication: Publication | None = None
        self._thread = threading.Thread(target=self._run, name="publisher", daemon=True)

    def __enter__(self) -> None:
        if self._settings.publish:
            self._thread.start()

    def __exit__(self, *_: object) -> None:
        """Stop between two files; whoever publishes next goes on from there."""
        self._stopping.set()
        self._woken.set()
        if self._thread.is_alive():
            self._thread.join(STOP_SECONDS)

    def wake(self) -> None:
        """Say that the output is another."""
        if self._settings.publish:
            self.progress.request(self._clock())
            self._woken.set()

    def troubles(self) -> list[Fault]:
        return [self._failure] if self._failure else []

    def _run(self) -> None:
        while True:
            self._woken.wait()
            self._woken.clear()
            if self._stopping.is_set():
                return
            pause = self._turn()
            # What failed is tried again without anybody calling for it.
            if pause > self._rest:
                self._woken.set()
            self._stopping.wait(pause)

    def _turn(self) -> float:
        """Publish, note what went wrong, and return for how long to rest."""
        self.progress.start(self._clock())
        is_whole = False
        try:
            self._publication = self._publication or self._opened()
            is_whole = self._publish(self._publication)
        except Stopped:
            pass
        except Busy as error:
            # Of several hosts that publish the same, one does and the others wait.
            log.info(LogLine(publish="waits", reason=error))
            return TURN_SECONDS
        except Exception as error:
            self.progress.broken += 1
            told = f"The site could not be published: {error}"
            is_named = isinstance(error, PublishError | OutputError)
            self._tell(Fault("publish-failed", told), trace=not is_named)
        finally:
            self.progress.finish(is_complete=is_whole)
        wait, self._wait = self._wait, min(self._wait * 2, MOST_SECONDS)
        if is_whole:
            self._wait = self._first
        return self._rest if is_whole else wait

    def _opened(self) -> Publication:
        return Publication(self._settings, self._stopping.is_set)

    def _publish(self, publication: Publication) -> bool:
        """Publish, and tell whether everybody knows of it who should."""
        began, started = self._clock(), time.perf_counter()
        report = publication.run()
        seconds = time.perf_counter() - started
        self.progress.record(began, seconds)
        if report.sent or report.removed:
            _log(report, seconds)
        if report.hook_failure:
            self._tell(Fault("hook-failed", report.hook_failure))
            return False
        if self._failure:
            log.info(LogLine(state=self._failure.state, is_over=True))
            self._failure = None
        return True

    def _tell(self, fault: Fault, *, trace: bool = False) -> None:
        self._failure = fault
        told = LogLine(publish="failed", state=fault.state, reason=fault.detail)
        log.error(told, exc_info=trace)


def _log(report: Report, seconds: float) -> None:
    log.info(
        LogLine(
            publish="done",
            sent=len(report.sent),
            removed=len(report.removed),
            bytes=report.bytes,
            ms=round(seconds * 1000),
        )
    )
