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
from time import perf_counter

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
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Event, Thread
from typing import Any, TextIO

from apscheduler.jobstores.base import JobLookupError
from apscheduler.schedulers.background import BackgroundScheduler

from api.commands import convert, keys, openapi, probe, status
from api.http import create_app
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
from models.idempotency import forget_answers
from models.lease import Tenure
from models.logs import Line, OneLine
from models.platform.secrets import HIDDEN
from models.platform.uses import Uses
from models.projects.exchange import Import, import_documents
from models.projects.words import By
from models.status.hours import roll_up
from models.status.measurements import record_measurements
from models.status.retention import prune
from sitegen.bodies import Bodies
from sitegen.builder import Builder
from sitegen.commands import build, check, docs, export
from sitegen.garbage import collect_seldom
from sitegen.page import Edition, editions
from sitegen.preview import Preview
from sitegen.sources.tree import read_tree

log = logging.getLogger("masthead.jobs")

TICK_SECONDS = 15
CLOCK_SECONDS = 5
TIDY_SECONDS = 300
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

    _add_address(command("serve", serve, "serve the API and the built site"))
    _add_address(command("demo", demo, "load the sample world and serve it"))
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


def _add_address(made: argparse.ArgumentParser) -> None:
    made.add_argument("--host", help="address to listen on (MASTHEAD_HOST)")
    made.add_argument("--port", type=int, help="port (MASTHEAD_PORT)")


def _editions(settings: Settings) -> Callable[[datetime], Edition]:
    return editions(settings, *described(settings))


# A name, what is done, and how many seconds lie between two times.
Job = tuple[str, Callable[[], None], int]


def serve(settings: Settings, asked: argparse.Namespace) -> None:
    settings = _addressed(settings, asked)
    with _listening(settings) as listener:
        _require_output(settings)
        open_instance(settings, utc_now())
        _serve(settings, listener)


def demo(settings: Settings, asked: argparse.Namespace) -> None:
    """The sample world: its content is the cast of the tests."""
    from tests import world

    settings = _addressed(settings, asked)
    with _listening(settings) as listener:
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
        beat = ("beat", lambda: _beat(settings, world.beat), 30)
        _serve(settings, listener, jobs=[beat])


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


def _addressed(settings: Settings, asked: argparse.Namespace) -> Settings:
    given = {"host": asked.host, "port": asked.port}
    return replace(settings, **{n: v for n, v in given.items() if v is not None})


def _listening(settings: Settings) -> socket.socket:
    """Take the port before anything else is done."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    try:
        return socket.create_server((settings.host, settings.port), family=family)
    except OSError as error:
        raise CommandError(
            f"Cannot listen on {settings.host}:{settings.port}: {error.strerror}."
            " Choose another with --port."
        ) from error


def _require_output(settings: Settings) -> None:
    """A folder that cannot be written is better known now than at the first build."""
    with Folder(settings.output).locked():
        pass


def _serve(
    settings: Settings, listener: socket.socket, jobs: Iterable[Job] = ()
) -> None:
    """Serve, build and keep the clock, until told to stop."""
    # However late, a job is run once: what it makes up for is in the database.
    late = {"misfire_grace_time": None, "coalesce": True}
    scheduler = BackgroundScheduler(timezone=UTC, job_defaults=late)

    def due(at: datetime) -> None:
        once = {"id": "due", "replace_existing": True}
        scheduler.add_job(builder.wake, "date", run_date=at, **once)

    builder, uses = Builder(utc_now, _editions(settings), due), Uses()
    metrics = Metrics(settings, utc_now, builder.progress)
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
    for job in (*_own_jobs(settings, uses, tenure), *jobs):
        _schedule(scheduler, job, metrics)
    for told_to_end in (signal.SIGTERM, signal.SIGINT):
        signal.signal(told_to_end, lambda *_: sys.exit(0))
    with tenure, following(utc_now, partial(run_now, scheduler)):
        builder.start()
        scheduler.start()
        print(f"listening on http://{settings.host}:{settings.port}", flush=True)
        try:
            server.run()
        finally:
            scheduler.shutdown(wait=False)
            builder.stop()
            server.close()
            uses.write()


@contextmanager
def following(
    clock: Callable[[], datetime],
    set_back: Callable[[datetime], None],
    seconds: float = CLOCK_SECONDS,
) -> Iterator[None]:
    """Call `set_back` whenever the clock shows less than it did a while ago."""
    over = Event()

    def follow() -> None:
        before = clock()
        while not over.wait(seconds):
            now = clock()
            if now < before:
                log.warning(Line(event="clock-set-back", seconds=before - now))
                set_back(now)
            before = now

    Thread(target=follow, name="clock", daemon=True).start()
    try:
        yield
    finally:
        over.set()


def run_now(scheduler: BackgroundScheduler, now: datetime) -> None:
    """Run every job: each waits for an instant of a clock that was set back."""
    for job in scheduler.get_jobs():
        with suppress(JobLookupError):
            job.modify(next_run_time=now)


def _own_jobs(settings: Settings, uses: Uses, tenure: Tenure) -> list[Job]:
    return [
        ("tenure", tenure.take, TICK_SECONDS),
        ("uses", uses.write, 60),
        ("tidy", partial(_tidy, settings), TIDY_SECONDS),
        ("bodies", Bodies().forget, DAY_SECONDS),
    ]


def _schedule(scheduler: BackgroundScheduler, job: Job, metrics: Metrics) -> None:
    """Run the job now and from time to time; one that fails is the scheduler's."""
    name, work, seconds = job

    def run() -> None:
        started = perf_counter()
        work()
        metrics.job_done(name)
        level = logging.INFO if seconds >= 60 else logging.DEBUG
        log.log(level, Line(job=name, ms=(perf_counter() - started) * 1000))

    now = utc_now()
    scheduler.add_job(run, "interval", seconds=seconds, name=name, next_run_time=now)


def _tidy(settings: Settings) -> None:
    """What time makes due; each may be missed, repeated or broken off."""
    now = utc_now()
    with writing():
        forget_answers(now)
    roll_up(now)
    prune(now, settings.raw_retention)


if __name__ == "__main__":
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    collect_seldom()
    sys.exit(main())
