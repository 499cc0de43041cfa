"""Compose the application: settings, clock, command line, processes of a server."""

import signal

# Until everything is imported, Ctrl+C ends the process at once. A process that was
# started with SIGINT ignored, as under nohup, keeps ignoring it.
if __name__ == "__main__" and signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.SIG_DFL)

import gc
import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from importlib import import_module
from socket import socket

from api.client.document_import import import_over_api
from api.commands.listener import (
    add_server_options,
    open_listener,
    site_url_warning,
    with_options,
)
from api.commands.terminal import (
    exit_code_of,
    prepare_process,
    print_json,
    show_progress,
)
from api.console.sessions.signing_in import read_proxy_key
from api.http.application import BODY_LIMITS, CREDENTIAL_OF, LOOK_UPS, create_app
from api.http.metrics import Metrics, RequestCounts
from api.http.server.server import limited_server
from api.notifications.senders import create_dispatcher
from api.openapi.document import describe_api
from api.operation import declare_operations
from api.retention import delete_expired
from models.errors import Refusal, StorageBusy
from models.idempotency import RequestsInProgress
from models.locales import load_locale
from models.logs import configure_logging
from models.notifications.subscriptions.readers import subscription_faults
from models.platform.key_uses import KeyUses
from models.platform.rate_limits import MemoryRateLimiter, RateLimiter, rate_limiter_for
from models.platform.secrets import REDACTED_PATTERN
from models.runtime.commands import CommandContext, CommandError
from models.runtime.leader_election import join_election
from models.runtime.reports import BUILDER, DOCS, Report, Reports
from models.runtime.scheduler import Scheduler
from models.runtime.server_state import ServerState, api_processes
from models.runtime.startup import (
    empty_site_hints,
    open_instance,
    record_site_url,
    require_connections,
)
from models.runtime.supervisor import (
    SupervisedProcess,
    Supervisor,
    call_in_child,
    ending_by_signals,
    heeded_signals,
)
from models.runtime.temporary_files import choose_folder, temporary_faults
from models.settings import SettingError, Settings, is_site_url_set, url_of
from models.status.measurements.sources import shared_source_faults
from models.storage.database import open_database
from models.storage.engines.engine import is_postgresql
from sitegen.builder.preview import Preview
from sitegen.builder.processes import StatusProcess, build_docs, can_be_served
from sitegen.messages.renderer import message_renderer
from sitegen.output.folder import OutputError, OutputFolder
from sitegen.page import BuildContext, context_factory, require_templates
from sitegen.theme.console_theme import console_theme
from sitegen.theme.site_theme import reader_page_renderer

# The package of each command: keys is api/commands/keys.py.
COMMANDS = {
    **dict.fromkeys(("backup", "convert", "incident", "keys", "maintenance"), "api"),
    **dict.fromkeys(("migrate", "move", "notify", "openapi", "probe", "status"), "api"),
    **dict.fromkeys(("build", "check", "docs", "export", "publish"), "sitegen"),
}
# Errors whose messages are sentences for whoever runs a command.
KNOWN_ERRORS = (CommandError, SettingError, OutputError, Refusal)
TIDY_SECONDS, USES_SECONDS, DEMO_SECONDS = 300, 60, 30


def utc_now() -> datetime:
    return datetime.now(UTC)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line, which is that of the process by default."""
    words = sys.argv[1:] if arguments is None else arguments
    return exit_code_of(lambda: run_command(build_parser(words).parse_args(words)))


def build_parser(words: Sequence[str] = ()) -> ArgumentParser:
    parser = ArgumentParser(
        prog="app.py",
        description="A docs site and a status page, maintained through one write API.",
        epilog="Exit codes: 0 success, 1 completed with problems, 2 failed,"
        " 130 interrupted, 141 broken pipe.",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def add_command(name: str, help: str) -> ArgumentParser:
        description = f"{help[0].upper()}{help[1:]}."
        return commands.add_parser(name, help=help, description=description)

    command = add_command("serve", "serve the API and the built site")
    command.set_defaults(run=serve)
    add_server_options(command)
    command = add_command("demo", "load sample content and serve it")
    command.set_defaults(run=demo)
    add_server_options(command)
    command.add_argument(
        "--into-existing",
        action="store_true",
        help="load it even into a database that has other content",
    )
    # A process imports its own command only; a server would keep the others in memory.
    named = {*words[:1]} & {"serve", "demo", *COMMANDS}
    for name, package in COMMANDS.items():
        if name in named or not named:
            module = import_module(f"{package}.commands.{name}")
            module.declare(add_command(name, module.HELP))
    return parser


def run_command(arguments: Namespace) -> int:
    """Run the command and return its exit code, which is 2 after a known error."""
    try:
        settings = Settings.from_environment(os.environ)
        configure_logging(sys.stderr, settings.log_level, REDACTED_PATTERN)
        context = CommandContext(
            settings=settings,
            follows_address=not is_site_url_set(os.environ),
            clock=utc_now,
            describe_api=partial(describe_api, settings.site_name),
            print_json=print_json,
            import_over_api=import_over_api,
            message_renderer=message_renderer,
            show_progress=show_progress,
        )
        return int(arguments.run(context, arguments) or 0)
    except KNOWN_ERRORS as error:
        print(f"masthead: {error}", file=sys.stderr)
    except UnicodeError:
        print("masthead: The input is not valid UTF-8.", file=sys.stderr)
    return 2


def serve(context: CommandContext, arguments: Namespace) -> None:
    """Serve the API and the built site until a signal ends the processes."""
    context = with_options(context, arguments)

    def prepare() -> list[str]:
        prepare_instance(context)
        return [listening_line(context.settings), *empty_site_hints()]

    run_server(context, prepare)


def demo(context: CommandContext, arguments: Namespace) -> None:
    """Load the sample content of the tests and serve it, with live measurements."""
    from tests import demo_content

    context = with_options(context, arguments)
    settings = context.settings

    def prepare() -> list[str]:
        demo_content.require_demo(settings, is_forced=arguments.into_existing)
        print("Loading the sample content and building the site …", flush=True)
        prepare_instance(context)
        lines = demo_content.load(settings, utc_now(), show_progress("document"))
        return [*lines, listening_line(settings)]

    run_server(context, prepare, lambda: demo_content.measure(settings, utc_now()))


def prepare_instance(context: CommandContext) -> None:
    settings = context.settings
    require_templates(settings)
    if settings.console == "on" and settings.console_key_file:
        read_proxy_key(settings.console_key_file)
    # Fail now, and not in the first build, if the output folder is not writable.
    with OutputFolder(settings.output).locked():
        pass
    open_instance(settings, utc_now())
    require_connections(settings, len(api_processes(settings.processes)))
    record_site_url(settings)
    if warning := site_url_warning(context):
        print(f"masthead: {warning}", file=sys.stderr)


def listening_line(settings: Settings) -> str:
    address = url_of(settings.host, settings.port)
    return f"listening on {address}{settings.site_path}"


def run_server(
    context: CommandContext,
    prepare: Callable[[], list[str]],
    measure_demo: Callable[[], None] | None = None,
) -> None:
    """
    Prepare the instance, then run the processes of the server until a signal.

    `prepare()` returns the lines to print once the site can be read. This process opens
    no database and starts no thread: neither survives a fork.
    """
    settings = context.settings
    declare_operations()
    with ending_by_signals(), open_listener(settings) as listener:
        choose_folder(os.environ.get("TMPDIR"))
        # What describing the API leaves in memory ends with the child, too.
        ready_lines, can_be_read, problems, openapi = call_in_child(
            lambda: [prepare(), can_be_served(settings), *context.describe_api()]
        )
        # Here, so that the processes share what it holds, and have it at once.
        create_context = context_factory(settings, problems, openapi, utc_now)
        # The collector would write to what the processes share, and so copy it.
        gc.freeze()
        names = api_processes(settings.processes)
        reports = Reports(names)
        state = ServerState(reports, settings.database)
        counts = RequestCounts([BUILDER, *names])
        limiter = rate_limiter_for(settings.database)
        server = Server(settings, listener, create_context, state, counts, limiter)
        processes = [
            SupervisedProcess(BUILDER, partial(server.run_builder, measure_demo)),
            SupervisedProcess(DOCS, server.run_docs, is_required=False),
            *(SupervisedProcess(name, partial(server.run_api, name)) for name in names),
        ]
        Supervisor(
            processes,
            reports,
            is_ready=lambda: can_be_read or reports.has_started(),
            announce=partial(print, *ready_lines, sep="\n", flush=True),
        ).run()


@dataclass
class Server:
    """What each process of a server runs, and what it needs."""

    settings: Settings
    listener: socket
    create_context: Callable[[], BuildContext]
    state: ServerState
    counts: RequestCounts
    rate_limiter: RateLimiter
    # Of its own: a crowd without keys must not displace the buckets of API keys, nor
    # cost the database anything.
    client_limiter: RateLimiter = field(default_factory=MemoryRateLimiter)
    in_progress: RequestsInProgress = field(default_factory=RequestsInProgress)

    def run_api(self, name: str) -> None:
        """Process requests, those for files of the site among them."""
        settings, reports = self.settings, self.state.reports
        open_database(settings.database)
        election = join_election(settings.database, self.state.wake_builder)
        uses = KeyUses()
        builds, publications = reports.build_progress, reports.publish_progress
        shared = builds, publications, self.counts, name, reports
        metrics = Metrics(settings, utc_now, *shared)
        application = create_app(
            settings,
            clock=utc_now,
            wake_builder=election.notify,
            list_faults=lambda: [
                *reports.faults(),
                *temporary_faults(),
                *shared_source_faults(utc_now()),
                *subscription_faults(utc_now()),
            ],
            key_uses=uses,
            load_openapi=lambda: self.create_context().openapi,
            preview=Preview(
                settings.output,
                # Only of several hosts may another one have the site.
                reports.is_current if is_postgresql(settings.database) else None,
                load_locale(settings.language, settings.templates),
            ),
            metrics=metrics,
            rate_limiter=self.rate_limiter,
            in_progress=self.in_progress,
            render_page=reader_page_renderer(settings),
            client_limiter=self.client_limiter,
            console_theme=console_theme(settings),
        )
        server = limited_server(
            application,
            self.listener,
            threads=settings.threads,
            admit_body=application.extensions[BODY_LIMITS],
            credential_of=application.extensions[CREDENTIAL_OF],
            look_ups=application.extensions[LOOK_UPS],
        )
        scheduler = Scheduler(utc_now, metrics.counts.record_job)
        scheduler.add_job(USES_SECONDS, "uses", uses.write)
        try:
            with scheduler.running():
                reports.write(name, Report(has_started=True))
                # A signal interrupts no look-up, which the loop processes itself.
                for number in heeded_signals():
                    signal.signal(number, lambda *_: server.stop())
                server.run()
        finally:
            server.close()
            # Whoever reads the times of the last uses can do without the last minute.
            with suppress(StorageBusy):
                uses.write()

    def run_docs(self) -> None:
        """Build the documents, which nothing else waits for."""
        self.listener.close()
        build_docs(self.state, utc_now, self.create_context)

    def run_builder(self, measure_demo: Callable[[], None] | None) -> None:
        """Build the status page, publish the site, notify, and run periodic jobs."""
        self.listener.close()
        settings = self.settings
        jobs = [(TIDY_SECONDS, "tidy", lambda: delete_expired(settings, utc_now()))]
        if measure_demo:
            jobs.append((DEMO_SECONDS, "demo-measurements", measure_demo))
        StatusProcess(
            self.state,
            settings,
            utc_now,
            self.create_context,
            partial(create_dispatcher, settings, utc_now, message_renderer(settings)),
            self.counts.open(BUILDER).record_job,
        ).run(jobs)


if __name__ == "__main__":
    prepare_process()
    sys.exit(main())
