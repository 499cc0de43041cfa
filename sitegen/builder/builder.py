"""Run builds in a thread, whenever something was written or time changes a page."""

import gc
import logging
import threading
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import NamedTuple

from models.changes import AREAS, behind, failed_pages, marks
from models.logs import LogLine
from models.runtime.build_progress import BuildProgress
from models.runtime.faults import Fault
from models.runtime.leader_election import LeaderElection, SingleServer
from models.status.snapshot.last_change import next_page_change, next_state_change
from models.storage.database import limit_read_memory, reading
from sitegen.builder.build import build, output_folder
from sitegen.builder.docs_process import DocsProcess
from sitegen.builder.docs_result import AREA, DocsResult
from sitegen.builder.fault_state import fault_state
from sitegen.builder.report import BuildReport
from sitegen.builder.separate_docs import SeparateDocs
from sitegen.output.folder import OutputFolder
from sitegen.output.inspection import Inspection, output_faults
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
QUIET_PAUSE_RATIO = 10
MAX_QUIET_PAUSE_SECONDS = 20.0
# Nor do they wait longer than this part of the time in which a measurement is fresh.
FRESHNESS_SHARE = 10
# The longest time without a manifest after a part of the documents. Usually the next
# part follows at once.
MAX_SUSPENSION_SECONDS = 1.0
# The site is reported as behind when a change has waited for this long.
MAX_WAIT = timedelta(seconds=30)


class Timing(NamedTuple):
    """
    How long the builder waits, in seconds.

    A quiet change, such as a measurement that changes no state, waits for more of its
    kind, and longer after a costly build. After a tick the builder checks for changes
    without being woken. It also inspects some files after each tick, woken or not.
    """

    quiet_delay: float = 5.0
    tick: float = 15.0


TIMING = Timing()


class Builder:
    """
    Builds when woken and when the next change is due, one build at a time.

    `create_context(now)` returns what the pages of a build share. `schedule(at)` is
    called with the next time at which time alone may change a state, so that somebody
    wakes the builder then; other changes by time alone wait for a tick.
    `on_output_changed()` is called after each build that changed the output, and after
    the first build. `election` decides which of several servers with one database
    builds. `create_docs_process(on_response)` returns a process that builds the
    documents, so that nothing else waits for them; without it, they are built here.
    """

    def __init__(
        self,
        clock: Callable[[], datetime],
        create_context: Callable[[datetime], BuildContext],
        schedule: Callable[[datetime], None] = lambda _: None,
        on_output_changed: Callable[[], None] = lambda: None,
        *,
        election: LeaderElection | None = None,
        timing: Timing = TIMING,
        create_docs_process: Callable[[Callable[[], None]], DocsProcess] | None = None,
    ) -> None:
        self._clock = clock
        self._create_context = create_context
        self._schedule = schedule
        self._on_output_changed = on_output_changed
        self._election = election or SingleServer(lambda *_: None)
        self._timing = timing
        # Another server has built since this one did, so the files here may be old.
        self._is_outdated = False
        self._woken = threading.Event()
        self._is_urgent = threading.Event()
        self._stopping = False
        self._fault: Fault | None = None
        self._docs = (
            SeparateDocs(create_docs_process(self._look_again))
            if create_docs_process
            else None
        )
        # The marks that this process has built. The database also has those that
        # another process built into its own folder.
        self._built_marks: dict[str, int] = {}
        self._built_at: datetime | None = None
        self._version, self._was_docs_turn = "", True
        # The areas with pages that failed; "" for those that no area has alone.
        self._failed_areas: set[str] = set()
        self._inspection = Inspection()
        self._inspect_at = time.monotonic() + timing.tick
        self._languages: Languages = ()
        self._folder: OutputFolder | None = None
        self._waiting_since: datetime | None = None
        self._next_change: datetime | None = None
        self._paused_until = self._quiet_until = 0.0
        # Set after the first build, or when another server turns out to build.
        self.has_started = threading.Event()
        self.progress = BuildProgress()
        self._thread = threading.Thread(target=self._run, name="builder", daemon=True)

    def start(self) -> None:
        """Start the thread, which first builds everything."""
        if self._docs is not None:
            self._docs.process.start()
        self._thread.start()

    def stop(self) -> None:
        self._stopping = True
        self.wake()
        self._thread.join()
        if self._docs is not None:
            self._docs.process.stop()

    def wake(self, area: str = "", is_quiet: bool = False) -> None:  # noqa: ARG002
        """
        Request a build, because something was written or a time has come.

        A quiet change may wait for more of its kind; any other change takes it along.
        The database has its mark, so it is not lost if this process dies.
        """
        now = self._clock()
        self._waiting_since = self._waiting_since or now
        self.progress.request(now)
        if is_quiet:
            self._woken.set()
        else:
            self._look_again()

    def _look_again(self) -> None:
        """Have the thread look at once for what to do."""
        self._is_urgent.set()
        self._woken.set()

    @property
    def is_output_current(self) -> bool:
        """Tell whether the folder has what readers get: it was built here, and last."""
        return not (self._election.is_led_elsewhere or self._is_outdated)

    def troubles(self) -> list[Fault]:
        """Return the faults that the site has now."""
        faults = [self._fault] if self._fault else []
        if self._docs and (fault := self._docs.process.fault):
            faults.append(fault)
        faults += output_faults(self._folder) if self._folder else []
        since = self._waiting_since
        if since is not None and self._clock() - since > MAX_WAIT:
            detail = f"The site has been behind since {since:%H:%M:%S} UTC."
            faults.append(Fault("site-behind", detail))
        with reading():
            pages = failed_pages()
        return faults + [
            Fault("pages-failed", f"{page.path} failed: {page.reason}")
            for page in pages
        ]

    def _run(self) -> None:
        has_built_all = False
        while not self._stopping:
            if not self._election.is_leader:
                has_built_all = False
                self._stand_by()
            elif has_built_all:
                self._wait()
            else:
                # Anything may have changed while this process did not build.
                self._build_areas(self._all_areas)
                has_built_all, self._is_outdated = True, False
            if has_built_all and (not self._docs or self._docs.has_settled):
                self.has_started.set()
        if self._is_suspended:
            self._attempt(self._complete)

    def _stand_by(self) -> None:
        """Wait while another server builds; nothing is behind here meanwhile."""
        if self._election.is_decided:
            self.has_started.set()
        self._is_outdated = self._is_outdated or self._election.is_led_elsewhere
        self._fault, self._waiting_since, self._failed_areas = None, None, set()
        self.progress.withdraw()
        self._woken.wait(self._timing.tick)
        self._woken.clear()

    def _wait(self) -> None:
        """Wait until woken or for a tick, then build what has changed."""
        if self._is_suspended and not self._is_urgent.wait(MAX_SUSPENSION_SECONDS):
            self._attempt(self._complete)
        # A tick also finds changes for which nobody woke the builder, for example
        # because the scheduler's clock was set back.
        is_woken = self._woken.wait(self._timing.tick)
        if is_woken:
            pause = self._quiet_until - time.monotonic()
            self._is_urgent.wait(max(self._timing.quiet_delay, pause))
        time.sleep(max(0.0, self._paused_until - time.monotonic()))
        # Cleared before anything is read: later changes wake the builder again.
        self._is_urgent.clear()
        self._woken.clear()
        if self._stopping or not self._election.is_leader:
            return
        if is_woken:
            self._build_areas(self._areas_behind)
        # Where measurements never cease, every wait ends before its tick.
        if not is_woken or time.monotonic() >= self._inspect_at:
            self._build_areas(self._inspect)

    def _inspect(self) -> set[str]:
        """
        Return the areas to build: all if a file was damaged, or if the site in another
        language has other pages, to which the pages here lead search engines.
        """
        self._inspect_at = time.monotonic() + self._timing.tick
        is_damaged = self._folder and self._inspection.step(self._folder)
        if is_damaged or self._languages != self._read_languages():
            return self._all_areas()
        return self._areas_behind()

    def _all_areas(self) -> set[str]:
        self._languages = self._read_languages()
        return set(AREAS)

    def _read_languages(self) -> Languages:
        return self._create_context(self._clock()).theme.switcher.languages()

    def _areas_behind(self) -> set[str]:
        """Return the areas that were written to, and status if its time has come."""
        if self._fault is not None or self._failed_areas:
            return set(AREAS)
        with reading():
            areas = behind() | {
                area
                for area, mark in marks().items()
                if mark != self._built_marks.get(area)
            }
        return areas | ({"status"} if self._is_due(self._clock()) else set())

    def _is_due(self, now: datetime) -> bool:
        """Tell whether time has changed a page, which a clock set back does, too."""
        if self._next_change is None or self._built_at is None:
            return True
        return now >= self._next_change or now < self._built_at

    def _build_areas(self, find_areas: Callable[[], set[str]]) -> None:
        """Build the areas, with documents in the process that has them."""

        def build_areas() -> bool:
            areas = find_areas()
            if self._docs is not None:
                return self._build_beside(self._docs, areas)
            return not areas or self._build(areas)

        self._attempt(build_areas)

    @property
    def _is_suspended(self) -> bool:
        return self._folder is not None and self._folder.is_suspended

    def _complete(self) -> bool:
        """Write the manifest of the documents that are in place without one."""
        return not self._is_suspended or self._build(self._areas_behind() - {AREA})

    def _attempt(self, build_site: Callable[[], bool]) -> None:
        """
        Build, and store the error if that fails: the next wake tries again.

        `build_site` tells whether the site is complete.
        """
        waiting_since, self._waiting_since = self._waiting_since, None
        self.progress.start(self._clock())
        is_complete = False
        try:
            is_complete = build_site()
            if self._fault is not None:
                log.info(LogLine(state=self._fault.state, is_over=True))
            self._fault = None
        except Exception as error:
            state = fault_state(error)
            self._fault = Fault(state, f"The site could not be built: {error}")
            self._waiting_since = waiting_since or self._clock()
            self.progress.broken += 1
            # The message of a known error is enough.
            has_traceback = state == "build-failed"
            line = LogLine(build="failed", state=state, reason=error)
            log.error(line, exc_info=has_traceback)
        finally:
            self.progress.finish(is_complete=is_complete)

    def _build_beside(self, docs: SeparateDocs, areas: set[str]) -> bool:
        """Build all but documents here, and put those in place that are ready."""
        result, others = docs.result(), areas - {AREA}
        # Other pages go first; if they always change, documents have every second turn.
        is_docs_turn = result is not None and not (others and self._was_docs_turn)
        is_complete = True
        turns = [others, {AREA} if is_docs_turn else set()]
        if docs.is_next_last:
            # It changes other pages, too.
            turns = [set.union(*turns)]
        for areas_now in filter(None, turns):
            is_complete = self._build(areas_now, result)
            self._was_docs_turn = is_docs_turn
        with reading():
            is_behind = marks()[AREA] != self._built_marks.get(AREA)
        is_same_version = docs.is_version(self._version)
        is_needed = (
            is_behind or not is_same_version or (result is None and AREA in areas)
        )
        if is_needed and not docs.is_pending:
            # The process may compare with the manifest.
            is_complete = self._complete() and is_complete
            context = self._create_context(self._clock())
            docs.request(context.now, context.theme.version)
        if docs.result() is not None:
            self._look_again()
        return is_complete and not docs.is_pending

    def _build(self, areas: set[str], result: DocsResult | None = None) -> bool:
        """Build the areas; tell whether no page failed."""
        started, started_cpu = time.perf_counter(), time.thread_time()
        # A build reads much of the database once, which need not stay in memory.
        limit_read_memory()
        context = self._create_context(self._clock())
        # A corrected template takes effect without a restart.
        is_other_theme = result and result.theme != context.theme.version
        if (self._failed_areas or is_other_theme) and context.theme.reload():
            context.process_cache.clear()
        self._folder = output_folder(context)
        report = build(context, sorted(areas), separate_docs=self._docs)
        seconds = time.perf_counter() - started
        if report.written:
            self._paused_until = time.monotonic() + min(seconds, MAX_PAUSE_SECONDS)
        _log_build(areas, report, seconds)
        if not report.is_suspended:
            self._note_build(context, report, time.thread_time() - started_cpu)
            self.progress.record(context.now, seconds)
            # Jinja's macros refer to themselves, and so keep the data of their pages.
            # The collector would wait until those of many builds take much memory.
            gc.collect()
        return not self._failed_areas

    def _note_build(
        self, context: BuildContext, report: BuildReport, cpu_seconds: float
    ) -> None:
        """Note what is built, and when the next build is due."""
        if report.written or report.removed or self._built_at is None:
            self._on_output_changed()
        self._built_marks |= report.marks
        self._built_at = context.now
        self._version = report.version
        # Of an area that was not built, the failed pages are still those of before.
        self._failed_areas &= set(AREAS) - report.marks.keys()
        self._failed_areas |= {area for _, area, _ in report.failed}
        if report.written:
            pause = quiet_pause(cpu_seconds, context.settings.freshness)
            self._quiet_until = max(self._quiet_until, time.monotonic() + pause)
        freshness = context.settings.freshness
        with reading():
            self._next_change = next_page_change(context.now, freshness)
            next_urgent_change = next_state_change(context.now, freshness)
        self._schedule(next_urgent_change)


def quiet_pause(cpu_seconds: float, freshness: timedelta) -> float:
    """Return for how long quiet changes wait after a build of this cost, in seconds."""
    return min(
        QUIET_PAUSE_RATIO * cpu_seconds,
        MAX_QUIET_PAUSE_SECONDS,
        freshness.total_seconds() / FRESHNESS_SHARE,
    )


def _log_build(areas: set[str], report: BuildReport, seconds: float) -> None:
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
