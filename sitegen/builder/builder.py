"""Run builds in a thread, whenever something was written or time changes a page."""

import gc
import logging
import threading
import time
from collections.abc import Callable, Collection
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from models.changes import behind, failed_pages, marks
from models.errors import StorageBusy
from models.logs import LogLine
from models.runtime.faults import Fault, output_state
from models.runtime.leader_election import Leadership, SingleServer
from models.runtime.reports import BuildProgress
from models.status.snapshot.last_change import next_page_change, next_state_change
from models.storage.database import reading
from sitegen.builder.build import build, output_folders
from sitegen.builder.report import BuildReport
from sitegen.docs.outline import DocsOutline, stored_outline
from sitegen.output.folder import OutputError, OutputFolders
from sitegen.output.inspection import Inspection, output_faults
from sitegen.output.manifest import SHARED
from sitegen.page import BuildContext
from sitegen.theme.switcher import Languages

log = logging.getLogger("masthead.builds")

# A single change is built at once. While changes follow each other, the builder pauses
# after each build for as long as the build took, up to this limit: that leaves half of
# the time to those who write, and one build shows many changes.
MAX_PAUSE_SECONDS = 0.05
# Quiet changes, such as measurements that change no state, never end. After each build
# they wait for so many times the processor time that it took, so that builds take at
# most a tenth of a core from those who write. The limit is below MAX_WAIT.
DEFERRAL_RATIO = 10
MAX_DEFERRAL_SECONDS = 20.0
# Nor do they wait longer than this part of the time in which a measurement is fresh.
FRESHNESS_SHARE = 10
# How often a builder that does not build looks whether it leads by now: what wakes it
# may come before the report that says so.
STAND_BY_SECONDS = 0.5
# The site is reported as behind when a change has waited for this long.
MAX_WAIT = timedelta(seconds=30)


class Timing(NamedTuple):
    """
    How long the builder waits, in seconds.

    A deferrable change, such as a measurement that changes no state, waits for more of
    its kind, and longer after a costly build. After a tick the builder checks for
    changes without being woken. It also inspects some files after each tick, woken or
    not.
    """

    deferral: float = 5.0
    tick: float = 15.0


TIMING = Timing()


class Builder:
    """
    Builds areas when woken and when the next change is due, one build at a time.

    `create_context()` returns what the pages of a build share. `schedule(at)` is
    called with the next time at which time alone may change a state, so that somebody
    wakes the builder then; other changes by time alone wait for a tick.
    `on_output_changed()` is called after each build that changed the output, and after
    the first build. `leadership()` says which of several servers with one database
    builds.
    """

    def __init__(
        self,
        areas: Collection[str],
        clock: Callable[[], datetime],
        create_context: Callable[[], BuildContext],
        schedule: Callable[[datetime], None] = lambda _: None,
        on_output_changed: Callable[[], None] = lambda: None,
        *,
        leadership: Callable[[], Leadership] = lambda: SingleServer(lambda *_: None),
        timing: Timing = TIMING,
    ) -> None:
        self._areas = areas
        self._clock = clock
        self._create_context = create_context
        self._schedule = schedule
        self._on_output_changed = on_output_changed
        self._leadership = leadership
        self._timing = timing
        # Another server has built since this one did, so the files here may be old.
        self._is_outdated = False
        self._woken = threading.Event()
        self._is_urgent = threading.Event()
        self._stopping = False
        self._fault: Fault | None = None
        # The marks that this process has built. The database also has those that
        # another process built into its own folder.
        self._built_marks: dict[str, int] = {}
        self._built_at: datetime | None = None
        # What all pages lead to of the documents.
        self._outline: DocsOutline | None = None
        self._has_failed_pages = False
        self._inspections = {area: Inspection() for area in (*areas, SHARED)}
        self._inspect_at = time.monotonic() + timing.tick
        self._languages: Languages = ()
        self._folders: OutputFolders | None = None
        self._waiting_since: datetime | None = None
        self._next_change: datetime | None = None
        self._paused_until = self._deferred_until = 0.0
        # Set after the first build, or when another server turns out to build.
        self.has_started = threading.Event()
        self.progress = BuildProgress()
        self._thread = threading.Thread(target=self._run, name="builder", daemon=True)

    def start(self) -> None:
        """Start the thread, which first builds the areas."""
        self._thread.start()

    def stop(self) -> None:
        self._stopping = True
        self.wake()
        self._thread.join()

    def wake(self, is_deferrable: bool = False) -> None:
        """
        Request a build, because something was written or a time has come.

        A deferrable change may wait for more of its kind; any other takes it along.
        The database has its mark, so it is not lost if this process dies.
        """
        now = self._clock()
        self._waiting_since = self._waiting_since or now
        self.progress.request(now)
        if not is_deferrable:
            self._is_urgent.set()
        self._woken.set()

    @property
    def is_output_current(self) -> bool:
        """Return whether the folder has what readers get: built here, and last."""
        return not (self._leadership().is_led_elsewhere or self._is_outdated)

    def faults(self) -> list[Fault]:
        """Return the faults that the areas have now."""
        faults = [self._fault] if self._fault else []
        if self._folders is not None:
            for area in self._inspections:
                faults += output_faults(self._folders[area])
        since = self._waiting_since
        if since is not None and self._clock() - since > MAX_WAIT:
            detail = f"The site has been behind since {since:%H:%M:%S} UTC."
            faults.append(Fault("site-behind", detail))
        with reading():
            pages = failed_pages()
        return faults + [
            Fault("pages-failed", f"{page.path} failed: {page.reason}")
            for page in pages
            if page.area in self._inspections
        ]

    def _run(self) -> None:
        has_built = False
        while not self._stopping:
            if not self._leadership().is_leader:
                has_built = False
                self._stand_by()
            elif has_built:
                self._wait()
            else:
                # Anything may have changed while this process did not build.
                self._attempt(lambda: True)
                has_built, self._is_outdated = True, False
                self.has_started.set()

    def _stand_by(self) -> None:
        """Wait while another server builds; nothing is behind here meanwhile."""
        if self._leadership().is_decided:
            self.has_started.set()
        self._is_outdated = self._is_outdated or self._leadership().is_led_elsewhere
        self._fault, self._waiting_since = None, None
        self._has_failed_pages = False
        self.progress.withdraw()
        self._woken.wait(min(self._timing.tick, STAND_BY_SECONDS))
        self._woken.clear()

    def _wait(self) -> None:
        """Wait until woken or for a tick, then build what has changed."""
        # A tick also finds changes for which nobody woke the builder, for example
        # because the scheduler's clock was set back.
        is_woken = self._woken.wait(self._timing.tick)
        if is_woken:
            pause = self._deferred_until - time.monotonic()
            self._is_urgent.wait(max(self._timing.deferral, pause))
        time.sleep(max(0.0, self._paused_until - time.monotonic()))
        # Cleared before anything is read: later changes wake the builder again.
        self._is_urgent.clear()
        self._woken.clear()
        if self._stopping or not self._leadership().is_leader:
            return
        if is_woken:
            self._attempt(self._is_behind)
        # Where measurements never cease, every wait ends before its tick.
        if not is_woken or time.monotonic() >= self._inspect_at:
            self._attempt(self._inspect)

    def _inspect(self) -> bool:
        """
        Return whether to build: also if a file was damaged, or if the site in another
        language has other pages, to which the pages here lead search engines.
        """
        self._inspect_at = time.monotonic() + self._timing.tick
        is_damaged = False
        if self._folders is not None:
            for area, inspection in self._inspections.items():
                is_damaged |= inspection.step(self._folders[area])
        languages = self._create_context().theme.switcher.languages()
        return is_damaged or self._languages != languages or self._is_behind()

    def _is_behind(self) -> bool:
        """Return whether something was written, or a page has changed with time."""
        if self._fault is not None or self._has_failed_pages:
            return True
        with reading():
            current, late = marks(), behind()
        if any(
            area in late or current[area] != self._built_marks.get(area)
            for area in self._areas
        ):
            return True
        return "status" in self._areas and self._is_status_due(self._create_context())

    def _is_status_due(self, context: BuildContext) -> bool:
        """
        Return whether a page shows something else without a write to its area.

        Time changes pages, which a clock set back does, too; and all pages lead to the
        documents.
        """
        if self._next_change is None or self._built_at is None:
            return True
        is_due = context.now >= self._next_change or context.now < self._built_at
        return is_due or self._outline != stored_outline(Path(context.settings.output))

    def _attempt(self, is_needed: Callable[[], bool]) -> None:
        """Build if needed, and store the error if it fails: a tick tries again."""
        waiting_since, self._waiting_since = self._waiting_since, None
        self.progress.start(self._clock())
        is_complete = False
        try:
            is_complete = not is_needed() or self._build()
            if self._fault is not None:
                log.info(LogLine(state=self._fault.state, is_over=True))
            self._fault = None
        except Exception as error:
            state = _fault_state(error)
            self._fault = Fault(state, f"The site could not be built: {error}")
            self._waiting_since = waiting_since or self._clock()
            self.progress.broken += 1
            # The message of a known error is enough.
            has_traceback = state == "build-failed"
            line = LogLine(build="failed", state=state, reason=error)
            log.error(line, exc_info=has_traceback)
        finally:
            self.progress.finish(is_complete=is_complete)

    def _build(self) -> bool:
        """Build the areas; return whether no page failed."""
        started, started_cpu = time.perf_counter(), time.thread_time()
        context = self._create_context()
        # A corrected template takes effect without a restart.
        if self._has_failed_pages and context.theme.reload():
            context.process_cache.clear()
        self._folders = output_folders(context)
        self._languages = context.theme.switcher.languages()
        self._outline = stored_outline(self._folders.path)
        report = build(context, self._areas)
        seconds = time.perf_counter() - started
        if report.written:
            self._paused_until = time.monotonic() + min(seconds, MAX_PAUSE_SECONDS)
        _log_build(self._areas, report, seconds)
        self._note_build(context, report, time.thread_time() - started_cpu)
        self.progress.record(context.now, seconds)
        if "status" in self._areas:
            # Jinja's macros refer to themselves, and so keep the data of their pages.
            # The collector would wait until those of many builds take much memory. Of
            # ten thousand documents, it would look at too much for each publication.
            gc.collect()
        return not self._has_failed_pages

    def _note_build(
        self, context: BuildContext, report: BuildReport, cpu_seconds: float
    ) -> None:
        """Note what is built, and when the next build is due."""
        if report.written or report.removed or self._built_at is None:
            self._on_output_changed()
        self._built_marks = report.marks
        self._built_at = context.now
        self._has_failed_pages = bool(report.failed)
        freshness = context.settings.freshness
        if report.written:
            pause = deferral_pause(cpu_seconds, freshness)
            self._deferred_until = max(self._deferred_until, time.monotonic() + pause)
        if "status" in self._areas:
            with reading():
                self._next_change = next_page_change(context.now, freshness)
                next_urgent_change = next_state_change(context.now, freshness)
            self._schedule(next_urgent_change)


def _fault_state(error: Exception) -> str:
    """Name the fault that made a build fail."""
    if isinstance(error, OutputError):
        return error.state
    if isinstance(error, StorageBusy):
        return str(error.members.get("state", "database-locked"))
    return output_state(error) if isinstance(error, OSError) else "build-failed"


def deferral_pause(cpu_seconds: float, freshness: timedelta) -> float:
    """Return for how many seconds deferrable changes wait after such a build."""
    return min(
        DEFERRAL_RATIO * cpu_seconds,
        MAX_DEFERRAL_SECONDS,
        freshness.total_seconds() / FRESHNESS_SHARE,
    )


def _log_build(areas: Collection[str], report: BuildReport, seconds: float) -> None:
    log.info(
        LogLine(
            build="done",
            areas=",".join(areas),
            written=len(report.written),
            unchanged=report.unchanged,
            removed=len(report.removed),
            failed=len(report.failed),
            ms=round(seconds * 1000),
        )
    )
