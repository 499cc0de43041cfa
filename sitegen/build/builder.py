"""The builder: one thread that brings the site up to date when it is woken."""

import logging
import threading
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import NamedTuple

from models.changes import AREAS, behind, failed_pages, marks
from models.errors import StorageBusy
from models.logs import LogLine
from models.runtime.build_progress import BuildProgress
from models.runtime.faults import Fault
from models.runtime.leader_election import LeaderElection, SingleServer
from models.status.snapshot.last_change import next_page_change
from models.storage.database import reading
from sitegen.build.build import build, folder_of
from sitegen.build.report import Report
from sitegen.output.folder import Folder, OutputError
from sitegen.output.inspection import Inspection, faults_of
from sitegen.page import BuildContext

log = logging.getLogger("masthead.builds")

# A change alone is built at once. While changes follow each other, the builder rests
# as long as its last build took, but no longer than this: it leaves half of the time
# to those who write, and many changes make one build.
COMPANY_SECONDS = 0.05
# From when on an area that waits for its build is a trouble and not a queue.
PATIENCE = timedelta(seconds=30)


class Pace(NamedTuple):
    """
    How the builder waits, in seconds.

    Measurements that change no state gather more of their kind. After a tick it looks
    round unasked.
    """

    gather: float = 5.0
    tick: float = 15.0


PACE = Pace()


class Builder:
    """
    Builds when woken and when the next change is due, one build at a time.

    `edition(now)` gives what the pages share. `due(at)` is told when time alone
    will change the page, so that somebody wakes the builder then. `changed()` is
    told of each build after which the output is another, and of the first. `hosts`
    tell whether this server is the one that builds, of several on one database.
    """

    def __init__(
        self,
        clock: Callable[[], datetime],
        context: Callable[[datetime], BuildContext],
        due: Callable[[datetime], None] = lambda _: None,
        changed: Callable[[], None] = lambda: None,
        *,
        election: LeaderElection | None = None,
        pace: Pace = PACE,
    ) -> None:
        self._clock = clock
        self._edition = context
        self._due = due
        self._election = election or SingleServer(lambda *_: None)
        # What stands here may be of a time before another server built.
        self._is_old = False
        self._changed = changed
        self._pace = pace
        self._woken = threading.Event()
        self._hurried = threading.Event()
        self._stopping = False
        self._failure: Fault | None = None
        # What this process has built: another may note in the database what it has
        # built into a folder of its own.
        self._built: dict[str, int] = {}
        self._built_at: datetime | None = None
        self._has_failed = False
        self._inspection = Inspection()
        self._folder: Folder | None = None
        self._waiting_since: datetime | None = None
        self._next_change: datetime | None = None
        self._rests_until = 0.0
        self.progress = BuildProgress()
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
        now = self._clock()
        self._waiting_since = self._waiting_since or now
        self.progress.request(now)
        if not is_quiet:
            self._hurried.set()
        self._woken.set()

    @property
    def is_shown(self) -> bool:
        """Tell whether the folder has what readers get: built here, and not old."""
        return not (self._election.is_led_elsewhere or self._is_old)

    def troubles(self) -> list[Fault]:
        """Return what is wrong with the site now."""
        found = [self._failure] if self._failure else []
        found += faults_of(self._folder) if self._folder else []
        since = self._waiting_since
        if since is not None and self._clock() - since > PATIENCE:
            detail = f"The site has been behind since {since:%H:%M:%S}Z."
            found.append(Fault("site-behind", detail))
        with reading():
            pages = failed_pages()
        details = [f"{each.path} failed: {each.reason}" for each in pages]
        return found + [Fault("pages-failed", each) for each in details]

    def _run(self) -> None:
        has_looked = False
        while not self._stopping:
            if not self._election.is_leader:
                has_looked = False
                self._stand_by()
            elif has_looked:
                self._wait()
            else:
                # Anything may have happened while away.
                self._turn(lambda: set(AREAS))
                has_looked, self._is_old = True, False

    def _stand_by(self) -> None:
        """Another server builds: nothing is behind here, until that one is gone."""
        self._is_old = self._is_old or self._election.is_led_elsewhere
        self._failure, self._waiting_since, self._has_failed = None, None, False
        self.progress.withdraw()
        self._woken.wait(self._pace.tick)
        self._woken.clear()

    def _wait(self) -> None:
        """Wait for the next call, and build what it is about."""
        # A tick makes up for every wake that was missed, also by a scheduler
        # whose clock was set back.
        is_woken = self._woken.wait(self._pace.tick)
        if is_woken:
            self._hurried.wait(self._pace.gather)
        time.sleep(max(0.0, self._rests_until - time.monotonic()))
        # Before anything is read: what comes from here on is another turn's.
        self._hurried.clear()
        self._woken.clear()
        if not self._stopping and self._election.is_leader:
            self._turn(self._areas if is_woken else self._inspected)

    def _inspected(self) -> set[str]:
        """Return what has to be built, all when some file is not what it was."""
        if self._folder and self._inspection.glance(self._folder):
            return set(AREAS)
        return self._areas()

    def _areas(self) -> set[str]:
        """Return what was written to, and the status page when its time has come."""
        if self._failure is not None or self._has_failed:
            return set(AREAS)
        with reading():
            found = behind() | {a for a, n in marks().items() if n != self._built[a]}
        return found | ({"status"} if self._is_due(self._clock()) else set())

    def _is_due(self, now: datetime) -> bool:
        """Tell whether time has changed the page; a clock set back has, too."""
        if self._next_change is None or self._built_at is None:
            return True
        return now >= self._next_change or now < self._built_at

    def _turn(self, areas: Callable[[], set[str]]) -> None:
        """Build, and note what went wrong: the thread lives, the next wake tries."""
        waiting, self._waiting_since = self._waiting_since, None
        self.progress.start(self._clock())
        is_whole = False
        try:
            found = areas()
            is_whole = not found or self._build(found)
            if self._failure is not None:
                log.info(LogLine(state=self._failure.state, is_over=True))
            self._failure = None
        except Exception as error:
            state = _state_of(error)
            self._failure = Fault(state, f"The site could not be built: {error}")
            self._waiting_since = waiting or self._clock()
            self.progress.broken += 1
            # What has a name has said all in its sentence.
            trace = state == "build-failed"
            told = LogLine(build="failed", state=state, reason=error)
            log.error(told, exc_info=trace)
        finally:
            self.progress.finish(is_complete=is_whole)

    def _build(self, areas: set[str]) -> bool:
        """Build, and tell whether every page is true now."""
        started, context = time.perf_counter(), self._edition(self._clock())
        # Whoever mends a template need not start the service again.
        if self._has_failed and context.theme.reload():
            context.memory.clear()
        self._folder = folder_of(context)
        report = build(context, sorted(areas))
        if report.written or report.removed or self._built_at is None:
            self._changed()
        self._built |= report.numbers
        self._built_at = context.now
        self._has_failed = bool(report.failed)
        seconds = time.perf_counter() - started
        if report.written:
            self._rests_until = time.monotonic() + min(seconds, COMPANY_SECONDS)
        with reading():
            self._next_change = next_page_change(
                context.now, context.settings.freshness
            )
        self._due(self._next_change)
        self.progress.record(context.now, seconds)
        _log(areas, report, seconds)
        return not report.failed


def _state_of(error: Exception) -> str:
    if isinstance(error, OutputError):
        return error.state
    if isinstance(error, StorageBusy):
        return str(error.members.get("state", "database-locked"))
    return "build-failed"


def _log(areas: set[str], report: Report, seconds: float) -> None:
    log.info(
        LogLine(
            build="done",
            areas=",".join(sorted(areas)),
            written=len(report.written),
            unchanged=report.unchanged,
            removed=len(report.removed),
            failed=len(report.failed),
            ms=round(seconds * 1000),
        )
    )
