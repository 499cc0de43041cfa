"""Compose the application: settings, clock, command line, server, site builder."""

import signal

# Until everything is imported, Ctrl+C ends the process at once. A process that was
# started with SIGINT ignored, as under nohup, keeps ignoring it.
if __name__ == "__main__" and signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.SIG_DFL)

import os
import sys
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from importlib import import_module
from typing import Any

from api.commands.listener import add_server_options
from api.commands.terminal import (
    TerminalStream,
    exit_code_of,
    print_json,
    show_progress,
)
from models.errors import Refusal, StorageBusy
from models.locales import load_locale
from models.logs import configure_logging
from models.platform.secrets import REDACTED_PATTERN
from models.runtime.commands import CommandContext, CommandError
from models.runtime.memory import limit_free_memory
from models.settings import SettingError, Settings, is_site_url_set, url_of
from sitegen.output.folder import OutputError, OutputFolder, is_site_complete

# The package and the help text of each command: keys is api/commands/keys.py. A
# command's module is imported only to run it, since most need little of the program.
COMMANDS = {
    "build": ("sitegen", "update the built site"),
    "migrate": ("api", "update the database to the current schema"),
    "publish": ("sitegen", "publish the built site to its target"),
    "check": ("sitegen", "check the database, the audit logs and the built site"),
    "openapi": ("api", "print the OpenAPI document"),
    "backup": ("api", "write a consistent copy of the database to a file"),
    "move": ("api", "copy everything into an empty database of either engine"),
    "export": ("sitegen", "export all stored data to a folder of plain files"),
    "probe": ("api", "measure targets and post the results to the API"),
    "keys": ("api", "create, list and check API keys"),
    "docs": ("sitegen", "import documents"),
    "status": ("api", "import a status page"),
    "incident": ("api", "open, update, resolve and list incidents of a server"),
    "maintenance": ("api", "plan, end and list maintenance windows of a server"),
    "notify": ("api", "test the notifications"),
    "convert": ("api", "convert the output of other monitoring tools to measurements"),
}
# The commands that serve the API, for which all operations must be declared.
COMMANDS_WITH_API = {"serve", "demo"}
# Errors whose messages are sentences for whoever runs a command.
KNOWN_ERRORS = (CommandError, SettingError, OutputError, Refusal)


def utc_now() -> datetime:
    return datetime.now(UTC)


def run_process() -> int:
    """Run the command line of this process, whose streams the shell may have closed."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "r+"))  # noqa: SIM115
    for name in ("stdout", "stderr"):
        setattr(sys, name, TerminalStream(getattr(sys, name)))
    return main()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line, which is that of the process by default."""
    words = sys.argv[1:] if arguments is None else arguments
    return exit_code_of(lambda: _run_command(_parse_arguments(words)))


def _parse_arguments(words: Sequence[str]) -> Namespace:
    if COMMANDS_WITH_API.intersection(words[:1]):
        import_module("api.operation").declare_operations()
    return build_parser(words).parse_args(words)


def _run_command(arguments: Namespace) -> int:
    """Run the command and return its exit code, which is 2 after a known error."""
    try:
        settings = Settings.from_environment(os.environ)
        configure_logging(sys.stderr, settings.log_level, REDACTED_PATTERN)
        context = CommandContext(
            settings=settings,
            follows_address=not is_site_url_set(os.environ),
            clock=utc_now,
            describe_api=partial(_describe_api, settings),
            print_json=print_json,
            import_over_api=_import_over_api,
            show_progress=show_progress,
        )
        if __name__ == "__main__":
            _prepare_process()
        return int(arguments.run(context, arguments) or 0)
    except KNOWN_ERRORS as error:
        print(f"masthead: {error}", file=sys.stderr)
    except UnicodeError:
        print("masthead: The input is not valid UTF-8.", file=sys.stderr)
    return 2


def build_parser(words: Sequence[str] | None = None) -> ArgumentParser:
    """
    Return the parser of the command line.

    It knows the options of the command that `words` begins with; without words, the
    options of every command.
    """
    parser = ArgumentParser(
        prog="app.py",
        description="A docs site and a status page, maintained through one write API.",
        epilog="Exit codes: 0 success, 1 completed with problems, 2 failed,"
        " 130 interrupted, 141 broken pipe.",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def add_command(name: str, help: str) -> ArgumentParser:
        description = f"{help[0].upper()}{help[1:]}."
        command: ArgumentParser = commands.add_parser(
            name, help=help, description=description
        )
        return command

    # These two are defined below, where only they are imported for.
    command = add_command("serve", "serve the API and the built site")
    command.set_defaults(run=lambda *arguments: serve(*arguments))
    add_server_options(command)
    command = add_command("demo", "load sample content and serve it")
    command.set_defaults(run=lambda *arguments: demo(*arguments))
    add_server_options(command)
    command.add_argument(
        "--into-existing",
        action="store_true",
        help="load it even into a database that has other content",
    )
    for name, (package, help) in COMMANDS.items():
        command = add_command(name, help)
        if words is None or name in words[:1]:
            import_module(f"{package}.commands.{name}").declare(command)
    return parser


def _prepare_process() -> None:
    """Clean up after Ctrl+C from now on, and tune the use of memory."""
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    limit_free_memory()


def _describe_api(settings: Settings) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    from api.http.problem_types import describe_problems
    from api.openapi.document import current_openapi

    return describe_problems(), current_openapi(settings.site_name)


def _import_over_api(*arguments: Any) -> Any:
    from api.client.document_import import import_over_api

    return import_over_api(*arguments)


# The rest is only for the commands that serve, and importing it takes longer than
# running most other commands.
if __name__ == "__main__" and sys.argv[1:2] not in (["serve"], ["demo"]):
    sys.exit(run_process())

from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from socket import socket
from threading import Event, Thread

from api.commands.keys import issue_admin_key
from api.commands.listener import open_listener, site_url_warning, with_options
from api.console.sessions.proxy_key import read_proxy_key
from api.http.application import BODY_LIMITS, CREDENTIAL_OF, LOOK_UPS, create_app
from api.http.metrics import Metrics, RequestCounts
from api.http.server.server import limited_server
from api.notifications.dispatcher import Dispatcher
from api.notifications.senders import create_senders
from api.scheduler import Scheduler, delete_expired
from models import changes
from models.changes import (
    AREAS,
    built_generations,
    marks,
    note_published,
    published_generations,
)
from models.idempotency import RequestsInProgress
from models.notifications.subscriptions.readers import subscription_faults
from models.platform.key_uses import KeyUses
from models.platform.rate_limits import RateLimiter
from models.platform.shared_memory_rate_limits import SharedMemoryRateLimiter
from models.platform.shared_rate_limits import rate_limiter_for
from models.projects.document_imports.document_import import import_documents
from models.projects.document_imports.options import ImportOptions
from models.projects.documents.published import published_count
from models.projects.fields import Actor
from models.runtime.build_progress import BuildProgress, Progress
from models.runtime.builder_report import (
    BuilderReporter,
    BuilderState,
    ReportedLeadership,
)
from models.runtime.clock_watch import ClockWatch
from models.runtime.faults import Fault
from models.runtime.forking import call_in_child, ending_by_signals
from models.runtime.leader_election import (
    LeaderElection,
    Leadership,
    SingleServer,
    join_election,
)
from models.runtime.process_table import ProcessTable, SharedFlag, default_processes
from models.runtime.server_locks import ServerLocks
from models.runtime.startup import (
    is_new_or,
    open_instance,
    record_site_url,
    require_connections,
)
from models.runtime.supervisor import ProcessFailed, SupervisedProcess, Supervisor
from models.runtime.temporary_files import choose_folder, temporary_faults
from models.runtime.wake_pipe import WakePipe
from models.status.clock_events import record_clock_events
from models.status.measurements.measurements import record_measurements
from models.status.measurements.sources import shared_source_faults
from models.status.services.catalogue import services_in_display_order
from models.storage.database import (
    open_database,
    reading,
    without_password,
    writing,
)
from models.storage.engines.engine import is_postgresql
from sitegen.builder.builder import Builder
from sitegen.builder.preview import Preview
from sitegen.docs.body_cache import BodyCache
from sitegen.markdown.messages import parse_message
from sitegen.output.publishing.publisher import Publisher
from sitegen.page import (
    context_factory,
    load_generators,
    require_templates,
)
from sitegen.search.sitemaps import was_built_for
from sitegen.sources.tree import read_tree
from sitegen.theme.console_look import console_look
from sitegen.theme.reader_pages import reader_page_renderer

DAY_SECONDS = 86_400
DEMO_SECONDS = 30
# How soon after its time a window is told to have started or ended.
CLOCK_EVENTS_SECONDS = 5
# How soon the builders see what a command has imported.
IMPORTS_SECONDS = 1
# The processes that build: the status page, and the documents.
BUILDER, DOCS = "builder", "docs"
DOCS_NICENESS = 10
ANNOUNCE_SECONDS = 0.05

# Prepares the instance, and returns the lines to print once the site can be read.
Prepare = Callable[[], list[str]]


def serve(context: CommandContext, arguments: Namespace) -> None:
    """Serve the API and the built site until a signal ends the processes."""
    context = with_options(context, arguments)

    def prepare() -> list[str]:
        _prepare_instance(context)
        return [_listening_line(context.settings), *_setup_hints()]

    with ending_by_signals(), open_listener(context.settings) as listener:
        _serve(context, listener, prepare)


def _setup_hints() -> list[str]:
    """Return how to fill a site that is empty; its pages are for the public."""
    hints = []
    with reading():
        if not published_count():
            hints.append(
                "no documents are published; to import Markdown files, run"
                " app.py docs import FOLDER --collection guides --publish"
            )
        if not services_in_display_order():
            hints.append(
                "no services are listed; to add one, call"
                " POST /status/v1/admin/services/add"
            )
    return hints


def demo(context: CommandContext, arguments: Namespace) -> None:
    """Load the sample content of the tests and serve it, with live measurements."""
    from tests import world

    context = with_options(context, arguments)
    settings = context.settings

    def prepare() -> list[str]:
        is_welcome = arguments.into_existing or is_new_or(settings, world.is_demo)
        if not is_welcome:
            raise CommandError(
                f"The database {without_password(settings.database)} has content that"
                " is not the demo's. The demo would add its documents and an admin key"
                " to it and, if it has no services, sample services, incidents and"
                " measurements. Set MASTHEAD_DATABASE to a new file, or use"
                " --into-existing."
            )
        print("Loading the sample content and building the site …", flush=True)
        _prepare_instance(context)
        world.populate(utc_now())
        _import_manual(settings)
        key = issue_admin_key(world.DEMO_EMAIL, ["*"], "Demo key", utc_now())
        host, site = settings.server_url, settings.server_url + settings.site_path
        left_out = "no sample services were added: the database has other services"
        return [
            *([] if world.has_sample_services() else [left_out]),
            f"site     {site}/",
            f"status   {site}/status/",
            f"API      {host}/openapi.json",
            *([f"console  {host}/console/"] if settings.console == "on" else []),
            f"key      {key}",
            _listening_line(settings),
        ]

    record = partial(_record_demo_measurements, settings, world.sample_measurements)
    with ending_by_signals(), open_listener(settings) as listener:
        _serve(context, listener, prepare, record)


def _prepare_instance(context: CommandContext) -> None:
    settings = context.settings
    require_templates(settings)
    if settings.console == "on" and settings.console_key_file:
        read_proxy_key(settings.console_key_file)
    # Fail now, and not in the first build, if the output folder is not writable.
    with OutputFolder(settings.output).locked():
        pass
    open_instance(settings, utc_now())
    require_connections(settings, _process_count(settings))
    record_site_url(settings)
    if warning := site_url_warning(context):
        print(f"masthead: {warning}", file=sys.stderr)


def _listening_line(settings: Settings) -> str:
    address = url_of(settings.host, settings.port)
    return f"listening on {address}{settings.site_path}"


def _process_count(settings: Settings) -> int:
    return settings.processes or default_processes(len(os.sched_getaffinity(0)))


def _import_manual(settings: Settings) -> None:
    folder = Path(__file__).parent / "manual"
    actor = Actor("account", settings.docs_owner_id)
    options = ImportOptions("guides", utc_now(), actor, tree=folder.name, publish=True)
    import_documents(read_tree(folder).sources, options, show_progress("document"))


def _record_demo_measurements(
    settings: Settings, measurements_at: Callable[[datetime], list[Any]]
) -> None:
    now = utc_now()
    with writing():
        for batch in (batches := measurements_at(now)):
            record_measurements(batch, now, retention=settings.raw_retention)
        if batches:
            changes.mark("status")


def _serve(
    context: CommandContext,
    listener: socket,
    prepare: Prepare,
    record_demo: Callable[[], None] | None = None,
) -> None:
    """
    Prepare the instance, then run the processes of the server until a signal.

    This process opens no database and starts no thread: neither survives a fork.
    """
    settings = context.settings
    choose_folder(os.environ.get("TMPDIR"))
    ready_lines = call_in_child(prepare, KNOWN_ERRORS)
    # Here, so that a process that is started again has them at once.
    load_generators()
    # Here, and not once in each process.
    problems, openapi = context.describe_api()
    names = [f"api-{number + 1}" for number in range(_process_count(settings))]
    processes = [*names, BUILDER, DOCS]
    server = _Server(
        context,
        listener,
        ready_lines,
        problems,
        openapi,
        ProcessTable(processes),
        RequestCounts(processes),
        rate_limiter_for(settings.database),
    )
    runs = [
        SupervisedProcess(BUILDER, partial(server.run_builder, record_demo)),
        SupervisedProcess(DOCS, server.run_docs, is_required=False),
        *(SupervisedProcess(name, partial(server.run_api, name)) for name in names),
    ]
    try:
        Supervisor(runs, server.table).run()
    except ProcessFailed as error:
        raise CommandError(str(error)) from error


@dataclass(frozen=True)
class _Server:
    """What the processes of a server share, and what each of them runs."""

    context: CommandContext
    listener: socket
    # Printed once the site can be read.
    ready_lines: Sequence[str]
    # What the site publishes of the API: problem types, and the OpenAPI document.
    problems: Mapping[str, Any]
    openapi: Mapping[str, Any]
    table: ProcessTable
    counts: RequestCounts
    rate_limiter: RateLimiter
    # Of its own: a crowd without keys must not displace the buckets of API keys, nor
    # cost the database anything.
    client_limiter: RateLimiter = field(default_factory=SharedMemoryRateLimiter)
    in_progress: RequestsInProgress = field(default_factory=RequestsInProgress)
    # These wake the builder of each area, and what follows when documents are built.
    wake_pipes: Mapping[str, WakePipe] = field(
        default_factory=lambda: {area: WakePipe() for area in AREAS}
    )
    docs_built_pipe: WakePipe = field(default_factory=WakePipe)
    is_announced: SharedFlag = field(default_factory=SharedFlag)

    @property
    def settings(self) -> Settings:
        return self.context.settings

    @property
    def builders(self) -> BuilderState:
        return BuilderState(self.table, (BUILDER, DOCS), self.settings.database)

    def wake_builder(self, area: str, is_quiet: bool) -> None:
        """Wake the builder of an area, both if it is empty."""
        for name, pipe in self.wake_pipes.items():
            if area in ("", name):
                pipe.send(is_quiet)

    def run_api(self, name: str) -> None:
        """Process requests, those for files of the site among them."""
        settings = self.settings
        open_database(settings.database)
        builders = self.builders
        metrics = self._metrics(
            name, builders.build_progress, builders.publish_progress
        )
        uses = KeyUses()
        application = create_app(
            settings,
            clock=utc_now,
            wake_builder=join_election(settings.database, self.wake_builder).notify,
            list_faults=lambda: (
                builders.troubles()
                + self.table.faults()
                + temporary_faults()
                + shared_source_faults(utc_now())
                + subscription_faults(utc_now())
            ),
            key_uses=uses,
            load_openapi=lambda: self.openapi,
            preview=Preview(
                settings.output,
                lambda: builders.is_output_current,
                load_locale(settings.language, settings.templates),
            ),
            metrics=metrics,
            rate_limiter=self.rate_limiter,
            in_progress=self.in_progress,
            render_page=reader_page_renderer(settings),
            client_limiter=self.client_limiter,
            console_look=console_look(settings),
        )
        server = limited_server(
            application,
            self.listener,
            threads=settings.threads,
            admit_body=application.extensions[BODY_LIMITS],
            credential_of=application.extensions[CREDENTIAL_OF],
            look_ups=application.extensions[LOOK_UPS],
        )
        scheduler = Scheduler(utc_now, metrics.record_job)
        scheduler.add_job(60, "uses", uses.write)
        try:
            with scheduler.running():
                self.table.report_started(name)
                server.run()
        finally:
            server.close()
            # Whoever reads the times of the last uses can do without the last minute.
            with suppress(StorageBusy):
                uses.write()

    def run_docs(self) -> None:
        """Build the documents, which nothing else waits for."""
        settings = self.settings
        self.listener.close()
        # The API and the other builder go first when there are fewer cores.
        os.nice(DOCS_NICENESS)
        open_database(settings.database)
        leadership: Leadership = ReportedLeadership(self.table, BUILDER)
        if not is_postgresql(settings.database):
            leadership = SingleServer(self.wake_builder)
        builder = Builder(
            ["docs"],
            utc_now,
            context_factory(settings, self.problems, self.openapi, utc_now),
            on_output_changed=self.docs_built_pipe.send,
            leadership=leadership,
        )
        self.wake_pipes["docs"].start_receiving(builder.wake)
        with self._reporter(DOCS, builder, leadership):
            builder.start()
            builder.has_started.wait()
            self.table.report_started(DOCS)
            # A signal may end it in a build, which the next one repeats.
            Event().wait()

    def run_builder(self, record_demo: Callable[[], None] | None) -> None:
        """Build the status page, publish the site, and run the jobs of one process."""
        settings = self.settings
        self.listener.close()
        open_database(settings.database)
        # The pages of a site that was served at another URL have links to that one.
        can_be_read = is_site_complete(Path(settings.output)) and was_built_for(
            Path(settings.output), settings.site_url
        )
        election = join_election(settings.database, self.wake_builder)

        def on_built() -> None:
            publisher.wake()
            dispatcher.wake()

        def on_docs_built(_: bool) -> None:
            on_built()
            # All pages lead to the documents.
            builder.wake()

        def on_published(generations: Mapping[str, int]) -> None:
            note_published(settings.publish_location, generations)
            dispatcher.wake()

        publisher = Publisher(
            settings,
            utc_now,
            find_generations=built_generations,
            on_published=on_published,
        )
        builder = Builder(
            ["status"],
            utc_now,
            context_factory(settings, self.problems, self.openapi, utc_now),
            lambda at: scheduler.schedule_once(at, builder.wake),
            on_built,
            leadership=election,
        )
        dispatcher = self._create_dispatcher(election)
        metrics = self._metrics(BUILDER, builder.progress, publisher.progress)
        server_locks = ServerLocks(settings.database, settings.output)
        clock_watch = ClockWatch(utc_now)
        scheduler = Scheduler(utc_now, metrics.record_job)
        scheduler.add_job(15, "server-locks", server_locks.acquire)
        scheduler.add_job(15, "clock", clock_watch.compare)
        self._add_builder_jobs(scheduler, election, builder)
        if record_demo:
            scheduler.add_job(DEMO_SECONDS, "demo-measurements", record_demo)
        reporter = self._reporter(
            BUILDER,
            builder,
            election,
            publisher.progress,
            server_locks.troubles,
            clock_watch.troubles,
            publisher.troubles,
            dispatcher.troubles,
        )
        with server_locks, election, publisher, reporter, dispatcher:
            builder.start()
            self.wake_pipes["status"].start_receiving(builder.wake)
            self.docs_built_pipe.start_receiving(on_docs_built)
            Thread(target=self._announce, args=(can_be_read,), daemon=True).start()
            try:
                with scheduler.running():
                    self.table.report_started(BUILDER)
                    Event().wait()
            finally:
                builder.stop()

    def _reporter(
        self,
        name: str,
        builder: Builder,
        leadership: Leadership,
        publish_progress: BuildProgress | None = None,
        *list_faults: Callable[[], list[Fault]],
    ) -> BuilderReporter:
        sources = (builder.troubles, *list_faults)
        progress = {"build": builder.progress}
        if publish_progress:
            progress["publish"] = publish_progress
        return BuilderReporter(
            self.table,
            name,
            progress=progress,
            list_faults=lambda: [fault for list in sources for fault in list()],
            leadership=leadership,
            is_output_current=lambda: builder.is_output_current,
            has_started=builder.has_started.is_set,
        )

    def _add_builder_jobs(
        self, scheduler: Scheduler, election: LeaderElection, builder: Builder
    ) -> None:
        settings = self.settings

        def record_due_events() -> None:
            if election.is_leader and record_clock_events(
                utc_now(),
                freshness=settings.freshness,
                reminder_after=settings.reminder_after,
            ):
                builder.wake()

        seen_mark = 0

        def wake_for_imports() -> None:
            """
            Wake the builders for what a command has imported: no pipe leads here.

            Every import marks the documents, and no change of documents may wait.
            """
            nonlocal seen_mark
            with reading():
                mark = marks()["docs"]
            if mark != seen_mark and election.is_leader:
                self.wake_builder("", False)
                seen_mark = mark

        scheduler.add_job(300, "tidy", lambda: delete_expired(settings, utc_now()))
        scheduler.add_job(DAY_SECONDS, "bodies", BodyCache().remove_unused)
        scheduler.add_job(CLOCK_EVENTS_SECONDS, "clock-events", record_due_events)
        scheduler.add_job(IMPORTS_SECONDS, "imports", wake_for_imports)

    def _create_dispatcher(self, election: LeaderElection) -> Dispatcher:
        """Return what notifies subscribers, once readers see what it is about."""
        settings = self.settings

        def find_live() -> Mapping[str, int]:
            if settings.publish:
                return published_generations(settings.publish_location)
            return built_generations()

        return Dispatcher(
            utc_now,
            create_senders(settings, utc_now, parse_message),
            find_live=find_live,
            is_leader=lambda: election.is_leader,
        )

    def _announce(self, can_be_read: bool) -> None:
        """Print the lines, after the first build if the site was not complete."""
        builders = self.builders
        while not (can_be_read or builders.has_started):
            time.sleep(ANNOUNCE_SECONDS)
        if not self.is_announced.is_set():
            self.is_announced.set()
            # The server goes on if nobody reads its output.
            with suppress(OSError):
                print(*self.ready_lines, sep="\n", flush=True)

    def _metrics(self, name: str, build: Progress, publish: Progress) -> Metrics:
        return Metrics(
            self.settings,
            utc_now,
            build,
            publish,
            counts=self.counts,
            process=name,
            table=self.table,
        )


if __name__ == "__main__":
    sys.exit(run_process())
