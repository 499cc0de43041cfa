"""Run the two processes of a server that build: the documents, and the status page."""

import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from threading import Event
from typing import Any, Protocol

from models.changes import built_generations, marks, note_published
from models.errors import StorageBusy
from models.runtime.clock_watch import ClockWatch
from models.runtime.faults import Fault
from models.runtime.leader_election import Leadership, SingleServer, join_election
from models.runtime.reports import BUILDER, DOCS, Report, reporting
from models.runtime.scheduler import Scheduler
from models.runtime.server_locks import ServerLocks
from models.runtime.server_state import ServerState
from models.settings import Settings
from models.status.clock_events import record_clock_events
from models.storage.database import open_database, reading
from models.storage.engines.engine import is_postgresql
from sitegen.builder.builder import Builder
from sitegen.docs.body_cache import BodyCache
from sitegen.output.folder import is_site_complete
from sitegen.output.publishing.publisher import Publisher
from sitegen.page import BuildContext
from sitegen.search.sitemaps import was_built_for

DAY_SECONDS = 86_400
# How soon after its time a window is told to have started or ended.
CLOCK_EVENTS_SECONDS = 5
# How soon the builders see what a command has imported.
IMPORTS_SECONDS = 1
# Many pages may have failed.
MAX_FAULTS = 50
# The API and the status page go first when there are fewer cores than processes.
DOCS_NICENESS = 10

CreateContext = Callable[[], BuildContext]
# Seconds between two runs, name, work.
Job = tuple[int, str, Callable[[], None]]


class Notifier(AbstractContextManager[Any], Protocol):
    """What notifies subscribers while it is entered."""

    def wake(self) -> None:
        """Look at once for what can be delivered."""

    def faults(self) -> list[Fault]: ...


def can_be_served(settings: Settings) -> bool:
    """Return whether the output folder has a whole site that was built for this URL."""
    output = Path(settings.output)
    # The pages of a site that was served at another URL have links to that one.
    return is_site_complete(output) and was_built_for(output, settings.site_url)


def build_docs(
    state: ServerState, clock: Callable[[], datetime], create_context: CreateContext
) -> None:
    """Build the documents until a signal ends the process, perhaps in a build."""
    os.nice(DOCS_NICENESS)
    open_database(state.database)
    alone = SingleServer(state.wake_builder)
    is_shared = is_postgresql(state.database)
    leadership = state.reports.leadership if is_shared else lambda: alone
    builder = Builder(
        ["docs"],
        clock,
        create_context,
        on_output_changed=state.docs_built_pipe.send,
        leadership=leadership,
    )
    state.wake_pipes["docs"].start_receiving(builder.wake)

    def report() -> None:
        found = _report_of(builder, leadership(), builder.faults)
        state.reports.write(DOCS, found)

    with reporting(report):
        builder.start()
        Event().wait()


class StatusProcess:
    """
    Builds the status page, publishes the site, and runs the jobs of a single process.

    `create_notifier` gets a function that returns whether this server is the leader,
    `on_job` each job that has run, and when.
    """

    def __init__(
        self,
        state: ServerState,
        settings: Settings,
        clock: Callable[[], datetime],
        create_context: CreateContext,
        create_notifier: Callable[[Callable[[], bool]], Notifier],
        on_job: Callable[[str, datetime], None],
    ) -> None:
        self._state, self._settings, self._clock = state, settings, clock
        open_database(state.database)
        self._election = join_election(state.database, self._on_write)
        self._notifier = create_notifier(lambda: self._election.is_leader)
        self._publisher = Publisher(
            settings,
            clock,
            find_generations=built_generations,
            on_published=self._on_published,
        )
        self._scheduler = Scheduler(clock, on_job)
        self._builder = Builder(
            ["status"],
            clock,
            create_context,
            lambda at: self._scheduler.schedule_once(at, self._builder.wake),
            self._on_built,
            leadership=lambda: self._election,
        )
        self._server_locks = ServerLocks(settings.database, settings.output)
        self._clock_watch = ClockWatch(clock)
        self._imports_mark = 0

    def run(self, jobs: Iterable[Job]) -> None:
        """Run until a signal ends the process; the jobs run beside its own."""
        builder, state = self._builder, self._state
        for job in (*self._own_jobs(), *jobs):
            self._scheduler.add_job(*job)
        with (
            self._server_locks,
            self._election,
            self._publisher,
            reporting(self._report),
            self._notifier,
        ):
            builder.start()
            state.wake_pipes["status"].start_receiving(builder.wake)
            state.docs_built_pipe.start_receiving(self._on_docs_built)
            try:
                with self._scheduler.running():
                    Event().wait()
            finally:
                builder.stop()

    def _own_jobs(self) -> Iterable[Job]:
        yield 15, "server-locks", self._server_locks.acquire
        yield 15, "clock", self._clock_watch.compare
        yield DAY_SECONDS, "bodies", BodyCache().remove_unused
        yield CLOCK_EVENTS_SECONDS, "clock-events", self._record_clock_events
        yield IMPORTS_SECONDS, "imports", self._wake_for_imports

    def _on_write(self, area: str, is_deferrable: bool) -> None:
        # Without an area, this server may have become the leader, which the process of
        # documents must know before it wakes.
        if not area:
            self._report()
        self._state.wake_builder(area, is_deferrable)

    def _on_built(self) -> None:
        self._publisher.wake()
        self._notifier.wake()

    def _on_docs_built(self, _: bool) -> None:
        self._on_built()
        # All pages lead to the documents.
        self._builder.wake()

    def _on_published(self, generations: Mapping[str, int]) -> None:
        note_published(self._settings.publish_location, generations)
        self._notifier.wake()

    def _report(self) -> None:
        report = _report_of(
            self._builder,
            self._election,
            *(
                self._builder.faults,
                self._server_locks.faults,
                self._clock_watch.faults,
            ),
            *(self._publisher.faults, self._notifier.faults),
        )
        report.publish = self._publisher.progress
        self._state.reports.write(BUILDER, report)

    def _record_clock_events(self) -> None:
        """Record which windows have begun or ended."""
        if self._election.is_leader and record_clock_events(
            self._clock(),
            freshness=self._settings.freshness,
            reminder_after=self._settings.reminder_after,
        ):
            self._builder.wake()

    def _wake_for_imports(self) -> None:
        """
        Wake the builders for what a command has imported.

        No pipe leads here from a command. Every import marks the documents, and no
        change of documents may wait.
        """
        with reading():
            mark = marks()["docs"]
        if mark != self._imports_mark and self._election.is_leader:
            self._state.wake_builder("", False)
            self._imports_mark = mark


def _report_of(
    builder: Builder, leadership: Leadership, *list_faults: Callable[[], list[Fault]]
) -> Report:
    try:
        faults = [fault for source in list_faults for fault in source()]
    except StorageBusy:
        # Each process reports the faults of the database itself.
        faults = []
    return Report(
        has_started=builder.has_started.is_set(),
        is_output_current=builder.is_output_current,
        is_leader=leadership.is_leader,
        is_decided=leadership.is_decided,
        is_led_elsewhere=leadership.is_led_elsewhere,
        build=builder.progress,
        faults=faults[:MAX_FAULTS],
    )
