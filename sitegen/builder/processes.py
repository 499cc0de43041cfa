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


def build_status(
    state: ServerState,
    settings: Settings,
    clock: Callable[[], datetime],
    create_context: CreateContext,
    create_notifier: Callable[[Callable[[], bool]], Notifier],
    jobs: Iterable[Job],
    on_job: Callable[[str, datetime], None],
) -> None:
    """
    Build the status page, publish the site, and run the jobs that one process runs.

    `create_notifier` gets a function that tells whether this server is the leader,
    `on_job` each job that has run, and when.
    """
    open_database(state.database)

    def on_write(area: str, is_deferrable: bool) -> None:
        # Without an area, this server may have become the leader, which the process of
        # documents must know before it wakes.
        if not area:
            report()
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
        leadership=lambda: election,
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

    def report() -> None:
        found = _report_of(
            builder,
            election,
            *(builder.faults, server_locks.faults, clock_watch.faults),
            *(publisher.faults, notifier.faults),
        )
        found.publish = publisher.progress
        state.reports.write(BUILDER, found)

    with server_locks, election, publisher, reporting(report), notifier:
        builder.start()
        state.wake_pipes["status"].start_receiving(builder.wake)
        state.docs_built_pipe.start_receiving(on_docs_built)
        try:
            with scheduler.running():
                Event().wait()
        finally:
            builder.stop()


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
