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
from sitegen.commands.glance import nothing_to_build
from sitegen.files import Folder, OutputError


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

import argparse
import logging
import socket
from functools import partial
from pathlib import Path
from typing import Any, TextIO

from api.commands import convert, keys, openapi, probe, status
from api.commands.listening import add_address, addressed, listening
from api.http import create_app
from api.jobs import Jobs, tidy
from api.metrics import Metrics
from api.openapi import described
from api.server import limited_server
from models import changes
from models.commands import backup, migrate
from models.commands.declaring import Given, add_command, commands_of
from models.commands.ending import CommandError
from models.commands.opening import open_instance
from models.commands.telling import progress
from models.database import writing
from models.errors import Refusal
from models.lease import Tenure
from models.logs import OneLine
from models.platform.secrets import HIDDEN
from models.platform.uses import Uses
from models.projects.exchange import Import, import_documents
from models.projects.words import By
from models.status.measurements import record_measurements
from sitegen.bodies import Bodies
from sitegen.builder import Builder
from sitegen.commands import build, check, docs, export
from sitegen.garbage import collect_seldom
from sitegen.page import editions
from sitegen.preview import Preview
from sitegen.sources.tree import read_tree

DAY_SECONDS = 86_400


def main(arguments: list[str] | None = None) -> int:
    return ended(lambda: _run(parser().parse_args(arguments)))


def _run(asked: argparse.Namespace) -> int:
    """Run the command; what a person did wrong ends it with a sentence and 2."""
    try:
        settings = Settings.from_environment(os.environ)
        log_to(sys.stderr, settings.log_level)
        given = Given(settings, utc_now, partial(described, settings))
        return int(asked.run(given, asked) or 0)
    except (CommandError, SettingError, OutputError, Refusal) as error:
        print(f"masthead: {error}", file=sys.stderr)
    except UnicodeError:
        print("masthead: What was given is not text in UTF-8.", file=sys.stderr)
    return 2


def log_to(stream: TextIO, level: str) -> None:
    """Log in lines; what others have to say is kept short."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(OneLine(HIDDEN))
    logging.basicConfig(level=level.upper(), handlers=[handler])
    logging.captureWarnings(True)
    # No line tells them, and to find them out costs more than to write the line.
    logging._srcfile = None
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
    for talkative in ("apscheduler", "peewee.migrations", "waitress"):
        logging.getLogger(talkative).setLevel(logging.WARNING)
    # It warns of each request that has to wait for a thread.
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)


def parser() -> argparse.ArgumentParser:
    """Return the command line; README's table of commands is held to it."""
    codes = "0 done, 1 something was found wrong, 2 it cannot be done, 130 interrupted"
    top = argparse.ArgumentParser(prog="app.py", epilog=f"Exit codes: {codes}.")
    top.description = "A docs site and a status page from one small write API."
    commands = commands_of(top)

    def command(
        name: str, run: Callable[..., Any], help: str, into: Any = commands
    ) -> Any:
        return add_command(into, name, help, lambda g, asked: run(g.settings, asked))

    add_address(command("serve", serve, "serve the API and the built site"))
    add_address(command("demo", demo, "load the sample world and serve it"))
    build.declare(add_command(commands, "build", "bring the output folder up to date"))
    told = "bring the database's tables up to date"
    migrate.declare(add_command(commands, "migrate", told))
    told = "check database, audit chains and output"
    check.declare(add_command(commands, "check", told))
    openapi.declare(add_command(commands, "openapi", "print the OpenAPI document"))
    told = "write a consistent copy of the database"
    backup.declare(add_command(commands, "backup", told))
    told = "write everything into a folder of files"
    export.declare(add_command(commands, "export", told))
    told = "measure targets and tell the API, from anywhere"
    probe.declare(add_command(commands, "probe", told))
    keys.declare(add_command(commands, "keys", "manage API keys"))
    docs.declare(add_command(commands, "docs", "bring documents in"))
    status.declare(add_command(commands, "status", "bring a status page in"))
    told = "make measurements of what another tool says"
    convert.declare(add_command(commands, "convert", told))
    return top


Beat = Callable[[], None]


def serve(settings: Settings, asked: argparse.Namespace) -> None:
    settings = addressed(settings, asked)
    with listening(settings) as listener:
        _require_output(settings)
        open_instance(settings, utc_now())
        _serve(settings, listener)


def demo(settings: Settings, asked: argparse.Namespace) -> None:
    """The sample world: its content is the cast of the tests."""
    from tests import world

    settings = addressed(settings, asked)
    with listening(settings) as listener:
        _require_output(settings)
        open_instance(settings, utc_now())
        world.populate(utc_now())
        _import_manual(settings)
        key = keys.issue_admin("demo@masthead.example", ["*"], "Demo key", utc_now())
        site = f"http://{settings.host}:{settings.port}"
        print(
            f"site     {site}/\nstatus   {site}/status/\nAPI      {site}/openapi.json"
        )
        print(f"key      {key}")
        _serve(settings, listener, lambda: _beat(settings, world.beat))


def _import_manual(settings: Settings) -> None:
    folder, by = Path(__file__).parent / "manual", By("account", settings.docs_owner_id)
    wanted = Import("guides", utc_now(), by, tree=folder.name, publish=True)
    import_documents(read_tree(folder).sources, wanted, progress("document"))


def _beat(settings: Settings, beat: Callable[[datetime], list[Any]]) -> None:
    now = utc_now()
    with writing():
        for batch in beat(now):
            record_measurements(batch, now, retention=settings.raw_retention)
        changes.mark("status")


def _require_output(settings: Settings) -> None:
    """A folder that cannot be written is better known now than at the first build."""
    with Folder(settings.output).locked():
        pass


def _serve(
    settings: Settings, listener: socket.socket, beat: Beat | None = None
) -> None:
    """Serve, build and keep the clock, until told to stop."""
    edition = editions(settings, *described(settings))
    builder = Builder(utc_now, edition, lambda at: jobs.at(at, builder.wake))
    metrics, uses = Metrics(settings, utc_now, builder.progress), Uses()
    tenure = Tenure(settings.database, settings.output)
    application = create_app(
        settings,
        clock=utc_now,
        changed=builder.wake,
        troubles=lambda: tenure.troubles() + builder.troubles(),
        uses=uses,
        site=Preview(settings.output),
        metrics=metrics,
    )
    server = limited_server(application, listener, threads=settings.threads)
    jobs = Jobs(utc_now, metrics.job_done)
    jobs.every(15, "tenure", tenure.take)
    jobs.every(60, "uses", uses.write)
    jobs.every(300, "tidy", lambda: tidy(settings, utc_now()))
    jobs.every(DAY_SECONDS, "bodies", Bodies().forget)
    if beat:
        jobs.every(30, "beat", beat)
    for told_to_end in (signal.SIGTERM, signal.SIGINT):
        signal.signal(told_to_end, lambda *_: sys.exit(0))
    address = f"http://{settings.host}:{settings.port}"
    with tenure:
        builder.start()
        try:
            with jobs.running():
                print(f"listening on {address}", flush=True)
                server.run()
        finally:
            builder.stop()
            server.close()
            uses.write()


if __name__ == "__main__":
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    collect_seldom()
    sys.exit(main())
