"""Where everything meets: time, settings, the application, the builder, commands."""

import signal

# While the rest is loaded there is nothing to clean up after Ctrl-C; and who is to
# run on without a terminal is not interrupted at all.
if __name__ == "__main__" and signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.SIG_DFL)

import os
import sys
from collections.abc import Callable
from datetime import UTC, datetime

from models.commands.ending import ended
from models.settings import SettingError, Settings
from sitegen.commands.quick_build import nothing_to_build
from sitegen.output.folder import Folder, OutputError


def utc_now() -> datetime:
    return datetime.now(UTC)


GO_ON = -1


def at_a_glance() -> int:
    is_done = nothing_to_build(sys.argv[1:], os.environ, utc_now())
    return 0 if is_done else GO_ON


if __name__ == "__main__":
    # What a shell has closed is nowhere, and not missing.
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "r+"))  # noqa: SIM115
    # Most builds from cron end here: to load what follows takes longer than the glance.
    if (code := ended(at_a_glance)) != GO_ON:
        sys.exit(code)

import logging
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import Any, TextIO

from api.commands.listen import add_address
from models.commands.declaring import CommandContext, add_command, commands_of
from models.commands.ending import CommandError
from models.errors import Refusal
from models.logs import LogfmtFormatter
from models.platform.secrets import REDACTED_PATTERN
from sitegen.build.gc_tuning import collect_seldom

# The room in which a command lives, and what it does: keys is api/commands/keys.py. It
# is loaded when it is asked for, since most need little of what a server needs.
ELSEWHERE = {
    "build": ("sitegen", "bring the output folder up to date"),
    "migrate": ("api", "bring the database's tables up to date"),
    "publish": ("sitegen", "bring what was built to where it is published"),
    "check": ("sitegen", "check database, audit chains and output"),
    "openapi": ("api", "print the OpenAPI document"),
    "backup": ("api", "write a consistent copy of the database"),
    "move": ("api", "copy everything into an empty database, of either engine"),
    "export": ("sitegen", "write everything into a folder of files"),
    "probe": ("api", "measure targets and tell the API, from anywhere"),
    "keys": ("api", "manage API keys"),
    "docs": ("sitegen", "bring documents in"),
    "status": ("api", "bring a status page in"),
    "convert": ("api", "make measurements of what another tool says"),
}
# Who shows or serves what the API says of itself needs all its operations.
DESCRIBING = {"serve", "demo", "build", "openapi"}


def main(arguments: Sequence[str] | None = None) -> int:
    words = sys.argv[1:] if arguments is None else arguments
    return ended(lambda: _run(_asked(words)))


def _asked(words: Sequence[str]) -> Namespace:
    """Read the words; what their command needs is loaded by then."""
    if DESCRIBING.intersection(words[:1]):
        import_module("api.operation").declare_operations()
    return parser(words).parse_args(words)


def _run(arguments: Namespace) -> int:
    """Run the command; what a person did wrong ends it with a sentence and 2."""
    try:
        settings = Settings.from_environment(os.environ)
        log_to(sys.stderr, settings.log_level)
        given = CommandContext(settings, utc_now, partial(_described, settings))
        _settle()
        return int(arguments.run(given, arguments) or 0)
    except (CommandError, SettingError, OutputError, Refusal) as error:
        print(f"masthead: {error}", file=sys.stderr)
    except UnicodeError:
        print("masthead: What was given is not text in UTF-8.", file=sys.stderr)
    return 2


def log_to(stream: TextIO, level: str) -> None:
    """Log in lines; what others have to say is kept short."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(LogfmtFormatter(REDACTED_PATTERN))
    logging.basicConfig(level=level.upper(), handlers=[handler])
    logging.captureWarnings(True)
    # No line tells them, and to find them out costs more than to write the line.
    logging._srcfile = None
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
    for talkative in ("apscheduler", "peewee.migrations", "waitress"):
        logging.getLogger(talkative).setLevel(logging.WARNING)
    # It warns of each request that has to wait for a thread.
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)


def parser(words: Sequence[str] | None = None) -> ArgumentParser:
    """
    Return the command line; README's table of commands is held to it.

    It knows the options of the command that the words begin with; without words, all.
    """
    codes = "0 done, 1 something was found wrong, 2 it cannot be done, 130 interrupted"
    top = ArgumentParser(prog="app.py", epilog=f"Exit codes: {codes}.")
    top.description = "A docs site and a status page from one small write API."
    commands = commands_of(top)
    # These two are named when they are run: for any other they are not even loaded.
    told = "serve the API and the built site"
    add_address(add_command(commands, "serve", told, lambda *given: serve(*given)))
    told = "load the sample world and serve it"
    add_address(add_command(commands, "demo", told, lambda *given: demo(*given)))
    for name, (room, told) in ELSEWHERE.items():
        made = add_command(commands, name, told)
        if words is None or name in words[:1]:
            import_module(f"{room}.commands.{name}").declare(made)
    return top


def _settle() -> None:
    """All is loaded, and stays: from here on there is something to clean up."""
    if __name__ != "__main__":
        return
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    collect_seldom()


def _described(settings: Settings) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    from api.openapi.document import described

    return described(settings)


# What follows is needed by who serves alone, and takes longer than most commands.
if __name__ == "__main__" and sys.argv[1:2] not in (["serve"], ["demo"]):
    sys.exit(main())

from pathlib import Path
from socket import socket

from api.commands.keys import issue_admin
from api.commands.listen import addressed, listening
from api.http.application import create_app
from api.http.metrics import Metrics
from api.http.server import Server, limited_server
from api.scheduler import Jobs, tidy
from models import changes
from models.commands.opening import open_instance
from models.commands.telling import progress
from models.platform.key_uses import KeyUses
from models.platform.shared_rate_limits import rate_limiter_for
from models.projects.documents.document_import import Import, import_documents
from models.projects.fields import Actor
from models.runtime.leader_election import join_election
from models.runtime.server_locks import ServerLocks
from models.status.measurements.measurements import record_measurements
from models.storage.database import writing
from sitegen.build.builder import Builder
from sitegen.build.preview import Preview
from sitegen.docs.body_cache import Bodies
from sitegen.output.publishing.publisher import Publisher
from sitegen.page import build_contexts
from sitegen.sources.tree import read_tree

DAY_SECONDS = 86_400


def serve(given: CommandContext, arguments: Namespace) -> None:
    given = addressed(given, arguments)
    with listening(given.settings) as listener:
        _open(given)
        _serve(given, listener)


def demo(given: CommandContext, arguments: Namespace) -> None:
    """The sample world: its content is the cast of the tests."""
    from tests import world

    given = addressed(given, arguments)
    with listening(given.settings) as listener:
        _open(given)
        world.populate(utc_now())
        _import_manual(given.settings)
        key = issue_admin("demo@masthead.example", ["*"], "Demo key", utc_now())
        site = f"http://{given.settings.host}:{given.settings.port}"
        print(
            f"site     {site}/\nstatus   {site}/status/\nAPI      {site}/openapi.json"
        )
        print(f"key      {key}")
        _serve(given, listener, partial(_beat, given.settings, world.beat))


def _open(given: CommandContext) -> None:
    # A folder that cannot be written is better known now than at the first build.
    with Folder(given.settings.output).locked():
        pass
    open_instance(given.settings, utc_now())


def _import_manual(settings: Settings) -> None:
    folder, actor = (
        Path(__file__).parent / "manual",
        Actor("account", settings.docs_owner_id),
    )
    wanted = Import("guides", utc_now(), actor, tree=folder.name, publish=True)
    import_documents(read_tree(folder).sources, wanted, progress("document"))


def _beat(settings: Settings, beat: Callable[[datetime], list[Any]]) -> None:
    now = utc_now()
    with writing():
        for batch in beat(now):
            record_measurements(batch, now, retention=settings.raw_retention)
        changes.mark("status")


def _jobs(
    settings: Settings, metrics: Metrics, server_locks: ServerLocks, uses: KeyUses
) -> Jobs:
    """Return the clock, with what it does on any server."""
    jobs = Jobs(utc_now, metrics.job_done)
    jobs.every(15, "tenure", server_locks.acquire)
    jobs.every(60, "uses", uses.write)
    jobs.every(300, "tidy", lambda: tidy(settings, utc_now()))
    jobs.every(DAY_SECONDS, "bodies", Bodies().forget)
    return jobs


def _serve(
    given: CommandContext, listener: socket, beat: Callable[[], None] | None = None
) -> None:
    """Serve, build and keep the clock, until told to stop."""
    settings = given.settings
    context = build_contexts(settings, *given.described())
    election = join_election(settings.database, lambda *told: builder.wake(*told))
    publisher = Publisher(settings, utc_now)
    builder = Builder(
        utc_now,
        context,
        lambda at: jobs.at(at, builder.wake),
        publisher.wake,
        election=election,
    )
    metrics = Metrics(settings, utc_now, builder.progress, publisher.progress)
    server_locks, uses = ServerLocks(settings.database, settings.output), KeyUses()
    application = create_app(
        settings,
        clock=utc_now,
        changed=election.notify,
        troubles=lambda: (
            server_locks.troubles() + builder.troubles() + publisher.troubles()
        ),
        uses=uses,
        site=Preview(settings.output, lambda: builder.is_shown),
        metrics=metrics,
        buckets=rate_limiter_for(settings.database),
    )
    server = limited_server(application, listener, threads=settings.threads)
    jobs = _jobs(settings, metrics, server_locks, uses)
    if beat:
        jobs.every(30, "beat", beat)
    with server_locks, election, publisher:
        builder.start()
        try:
            with jobs.running():
                _run_until_told(server, settings)
        finally:
            builder.stop()
            server.close()
            uses.write()


def _run_until_told(server: Server, settings: Settings) -> None:
    for told_to_end in (signal.SIGTERM, signal.SIGINT):
        signal.signal(told_to_end, lambda *_: sys.exit(0))
    print(f"listening on http://{settings.host}:{settings.port}", flush=True)
    server.run()


if __name__ == "__main__":
    sys.exit(main())
