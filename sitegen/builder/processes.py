"""Run the two processes of a server that build: the documents, and the status page."""

import os
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, suppress
from datetime import datetime
from pathlib import Path
from threading import Event, Thread
from typing import Any, Protocol

from models.changes import built_generations, marks, note_published
from models.runtime.build_progress import BuildProgress
from models.runtime.builder_report import BuilderReporter, ReportedLeadership
from models.runtime.clock_watch import ClockWatch
from models.runtime.faults import Fault
from models.runtime.leader_election import Leadership, SingleServer, join_election
from models.runtime.scheduler import Scheduler
from models.runtime.server_locks import ServerLocks
from models.runtime.server_state import BUILDER, DOCS, ServerState
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
ANNOUNCE_SECONDS = 0.05
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


def build_docs(
    state: ServerState, clock: Callable[[], datetime], create_context: CreateContext
) -> None:
    """Build the documents until a signal ends the process, perhaps in a build."""
    os.nice(DOCS_NICENESS)
    open_database(state.database)
    leadership: Leadership = ReportedLeadership(state.table, BUILDER)
    if not is_postgresql(state.database):
        leadership = SingleServer(state.wake_builder)
    builder = Builder(
        ["docs"],
        clock,
        create_context,
        on_output_changed=state.docs_built_pipe.send,
        leadership=leadership,
    )
    state.wake_pipes["docs"].start_receiving(builder.wake)
    with _reporter(state, DOCS, builder, leadership, {"build": builder.progress}):
        builder.start()
        builder.has_started.wait()
        state.table.report_started(DOCS)
        Event().wait()


def build_status(
    state: ServerState,
    settings: Settings,
    clock: Callable[[], datetime],
    create_context: CreateContext,
    create_notifier: Callable[[Callable[[], bool]], Notifier],
    jobs: Iterable[Job],
    on_job: Callable[[str, datetime], None],
    announce: Callable[[], None],
) -> None:
    """
    Build the status page, publish the site, and run the jobs that one process runs.

    `create_notifier` gets a function that tells whether this server is the leader,
    `on_job` each job that has run, and when. `announce` is called once the site can
    be read.
    """
    open_database(state.database)
    # The pages of a site that was served at another URL have links to that one.
    output = Path(settings.output)
    can_be_read = is_site_complete(output) and was_built_for(output, settings.site_url)

    def on_write(area: str, is_deferrable: bool) -> None:
        # Without an area, this server may have become the leader, which the process of
        # documents must know before it wakes.
        if not area:
            reporter.report()
        state.wake_builder(area, is_deferrable)

    election = join_election(state.database, on_write)
    notifier = create_notifier(lambda: election.is_leader)

    def on_built() -> None:
        publisher.wake()
        notifier.wake()

    def on_docs_built(_: bool) -> None:
        on_built()
        # All pages lead to the documents.
        builder.wake()

    def on_published(generations: Mapping[str, int]) -> None:
        note_published(settings.publish_location, generations)
        notifier.wake()

    publisher = Publisher(
        settings,
        clock,
        find_generations=built_generations,
        on_published=on_published,
    )
    scheduler = Scheduler(clock, on_job)
    builder = Builder(
        ["status"],
        clock,
        create_context,
        lambda at: scheduler.schedule_once(at, builder.wake),
        on_built,
        leadership=election,
    )
    server_locks = ServerLocks(settings.database, settings.output)
    clock_watch = ClockWatch(clock)
    own_jobs: list[Job] = [
        (15, "server-locks", server_locks.acquire),
        (15, "clock", clock_watch.compare),
        (DAY_SECONDS, "bodies", BodyCache().remove_unused),
        (
            CLOCK_EVENTS_SECONDS,
            "clock-events",
            _clock_events(settings, clock, election, builder),
        ),
        (IMPORTS_SECONDS, "imports", _wake_for_imports(state, election)),
    ]
    for job in (*own_jobs, *jobs):
        scheduler.add_job(*job)
    reporter = _reporter(
        state,
        BUILDER,
        builder,
        election,
        {"build": builder.progress, "publish": publisher.progress},
        server_locks.faults,
        clock_watch.faults,
        publisher.faults,
        notifier.faults,
    )
    with server_locks, election, publisher, reporter, notifier:
        builder.start()
        state.wake_pipes["status"].start_receiving(builder.wake)
        state.docs_built_pipe.start_receiving(on_docs_built)
        arguments = (state, can_be_read, announce)
        Thread(target=_announce, args=arguments, daemon=True).start()
        try:
            with scheduler.running():
                state.table.report_started(BUILDER)
                Event().wait()
        finally:
            builder.stop()


def _reporter(
    state: ServerState,
    name: str,
    builder: Builder,
    leadership: Leadership,
    progress: Mapping[str, BuildProgress],
    *list_faults: Callable[[], list[Fault]],
) -> BuilderReporter:
    sources = (builder.faults, *list_faults)
    return BuilderReporter(
        state.table,
        name,
        progress=progress,
        list_faults=lambda: [fault for source in sources for fault in source()],
        leadership=leadership,
        is_output_current=lambda: builder.is_output_current,
        has_started=builder.has_started.is_set,
    )


def _clock_events(
    settings: Settings,
    clock: Callable[[], datetime],
    leadership: Leadership,
    builder: Builder,
) -> Callable[[], None]:
    """Return a job that tells of windows that begin or end."""

    def record() -> None:
        if leadership.is_leader and record_clock_events(
            clock(),
            freshness=settings.freshness,
            reminder_after=settings.reminder_after,
        ):
            builder.wake()

    return record


def _wake_for_imports(state: ServerState, leadership: Leadership) -> Callable[[], None]:
    """
    Return a job that wakes the builders for what a command has imported.

    No pipe leads here from a command. Every import marks the documents, and no change
    of documents may wait.
    """
    seen_mark = 0

    def wake() -> None:
        nonlocal seen_mark
        with reading():
            mark = marks()["docs"]
        if mark != seen_mark and leadership.is_leader:
            state.wake_builder("", False)
            seen_mark = mark

    return wake


def _announce(
    state: ServerState, can_be_read: bool, announce: Callable[[], None]
) -> None:
    """Announce the server, after the first build if the site was not complete."""
    while not (can_be_read or state.builders.has_started):
        time.sleep(ANNOUNCE_SECONDS)
    if not state.is_announced.is_set():
        state.is_announced.set()
        # The server goes on if nobody reads its output.
        with suppress(OSError):
            announce()
