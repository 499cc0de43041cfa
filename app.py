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
from models.commands.telling import print_json
from models.settings import SettingError, Settings
from sitegen.files import Folder, OutputError
from sitegen.outcome import Report
from sitegen.standing import glance, made_of, note


def utc_now() -> datetime:
    return datetime.now(UTC)


GO_ON = -1


def nothing_to_build(words: list[str]) -> bool:
    """Tell of a build that finds nothing to do, where a glance can tell."""
    started = perf_counter()
    if words not in (["build"], ["build", "--json"]):
        return False
    try:
        report = glance(Settings.from_environment(os.environ), utc_now())
    except (SettingError, OutputError):
        return False  # The command will say it in a sentence.
    if report is not None:
        print_report(report, perf_counter() - started, as_json="--json" in words)
    return report is not None


def print_report(report: Report, seconds: float, *, as_json: bool) -> None:
    if as_json:
        print_json(report.told(seconds))
        return
    for remark in report.remarks():
        print(remark, file=sys.stderr)
    print(report.summary(seconds))


def at_a_glance() -> int:
    return 0 if nothing_to_build(sys.argv[1:]) else GO_ON


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
from typing import Any, TextIO, get_args

from apscheduler.jobstores.base import JobLookupError
from apscheduler.schedulers.background import BackgroundScheduler

from api.commands import convert, keys, openapi, probe, status
from api.http import create_app
from api.metrics import Metrics
from api.openapi import described
from api.server import limited_server
from models import changes
from models.commands import backup, migrate
from models.commands.declaring import Given, add_command, add_json, commands_of
from models.commands.ending import CommandError, interrupted_import
from models.commands.opening import on_trial, open_existing, open_instance
from models.commands.telling import progress
from models.database import read_once, reading, writing
from models.errors import Refusal
from models.idempotency import forget_answers
from models.integrity import faults
from models.lease import Tenure
from models.logs import Line, OneLine
from models.platform.secrets import HIDDEN
from models.platform.uses import Uses
from models.projects.documents import Collection
from models.projects.exchange import Import, ImportReport, import_documents
from models.projects.words import By
from models.release import VERSION
from models.status.hours import roll_up
from models.status.measurements import record_measurements
from models.status.moments import next_told
from models.status.retention import prune
from sitegen.bodies import Bodies
from sitegen.build import build
from sitegen.builder import Builder
from sitegen.export.folder import ExportError
from sitegen.export.writer import Export, export_into
from sitegen.inspection import differences
from sitegen.looks import Looks
from sitegen.page import Edition, declare_pages
from sitegen.preview import Preview
from sitegen.sources import report as reports
from sitegen.sources.tree import Tree, read_tree
from sitegen.workers import collect_seldom

log = logging.getLogger("masthead.jobs")

TICK_SECONDS = 15
CLOCK_SECONDS = 5
TIDY_SECONDS = 300
DAY_SECONDS = 86_400
WHOLE = "whole: database, audit chains, output"


def main(arguments: list[str] | None = None) -> int:
    return ended(lambda: _run(parser().parse_args(arguments)))


def _run(asked: argparse.Namespace) -> int:
    """Run the command; what a person did wrong ends it with a sentence and 2."""
    try:
        settings = Settings.from_environment(os.environ)
        log_to(sys.stderr, settings.log_level)
        given = Given(settings, utc_now, partial(described, settings))
        return int(asked.run(given, asked) or 0)
    except (CommandError, SettingError, OutputError, ExportError, Refusal) as error:
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
    made = command("build", build_site, "bring the output folder up to date")
    made.add_argument("--full", action="store_true", help="make every page again")
    add_json(made)
    told = "bring the database's tables up to date"
    migrate.declare(add_command(commands, "migrate", told))
    add_json(command("check", check, "check database, audit chains and output"))
    openapi.declare(add_command(commands, "openapi", "print the OpenAPI document"))
    told = "write a consistent copy of the database"
    backup.declare(add_command(commands, "backup", told))
    _add_export(command("export", export, "write everything into a folder of files"))
    told = "measure targets and tell the API, from anywhere"
    probe.declare(add_command(commands, "probe", told))
    keys.declare(add_command(commands, "keys", "manage API keys"))
    made = command("docs", print, "bring documents in")
    made = made.add_subparsers(required=True, metavar="COMMAND")
    _add_import(command("import", import_docs, "bring in a Markdown tree", made))
    status.declare(add_command(commands, "status", "bring a status page in"))
    told = "make measurements of what another tool says"
    convert.declare(add_command(commands, "convert", told))
    return top


def _add_address(made: argparse.ArgumentParser) -> None:
    made.add_argument("--host", help="address to listen on (MASTHEAD_HOST)")
    made.add_argument("--port", type=int, help="port (MASTHEAD_PORT)")


def _add_export(made: argparse.ArgumentParser) -> None:
    folder = "a folder that is empty, or is to be made"
    made.add_argument("folder", type=Path, metavar="FOLDER", help=folder)
    samples = "every raw measurement, and not its hourly counters alone"
    made.add_argument("--samples", action="store_true", help=samples)
    add_json(made)


def _add_import(made: argparse.ArgumentParser) -> None:
    collections = get_args(Collection)
    folder, where = "the folder of the files", "where the pages appear"
    made.add_argument("folder", type=Path, metavar="FOLDER", help=folder)
    made.add_argument("--collection", required=True, choices=collections, help=where)
    made.add_argument("--publish", action="store_true", help="publish what came in")
    made.add_argument("--tree", metavar="NAME", help="instead of the folder's name")
    for name, help in (
        ("--prune", "withdraw and archive what came from this tree and is gone"),
        ("--dry-run", "tell what would be done, and keep nothing"),
        ("--strict", "exit 1 on any remark, not only when a file was left out"),
    ):
        made.add_argument(name, action="store_true", help=help)
    add_json(made)


def editions(settings: Settings) -> Callable[[datetime], Edition]:
    """Return what gives the edition of an instant; templates are read once."""
    if settings.templates and not Path(settings.templates).is_dir():
        raise CommandError(
            f"MASTHEAD_TEMPLATES: there is no folder {settings.templates}."
        )
    declare_pages()
    problems, description = described(settings)
    bodies, looks = Bodies(), Looks(settings)
    memory: dict[Any, Any] = {}
    return lambda now: Edition(
        now=now,
        settings=settings,
        looks=looks,
        bodies=bodies,
        memory=memory,
        problems=problems,
        openapi=description,
    )


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
    folder = Path(__file__).parent / "manual"
    words = ["docs", "import", str(folder), "--collection", "guides", "--publish"]
    _import(settings, parser().parse_args(words), read_tree(folder))


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

    builder, uses = Builder(utc_now, editions(settings), due), Uses()
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


def build_site(settings: Settings, asked: argparse.Namespace) -> int:
    made, now = made_of(settings), utc_now()
    open_existing(settings, utc_now())
    read_once()
    started = perf_counter()
    report = build(editions(settings)(now), full=asked.full, progress=progress("page"))
    with reading():
        until = next_told(now, settings.freshness)
    note(settings, made, until, report)
    print_report(report, perf_counter() - started, as_json=asked.json)
    return 1 if report.failed else 0


def check(settings: Settings, asked: argparse.Namespace) -> int:
    open_existing(settings, utc_now())
    with reading():
        found = faults()
        found += [f"{each.path} could not be made." for each in changes.failed_pages()]
    found += differences(Folder(settings.output))
    if asked.json:
        print_json({"whole": not found, "faults": found})
    else:
        print(*found, "not whole" if found else WHOLE, sep="\n")
    return 1 if found else 0


def export(settings: Settings, asked: argparse.Namespace) -> None:
    open_existing(settings, utc_now())
    read_once()
    wanted = Export(utc_now(), VERSION, settings.site_url, asked.samples)
    entries = export_into(asked.folder, wanted, progress("record"))
    told = {
        "files": len(entries),
        "records": sum(each.records for each in entries),
        "bytes": sum(each.bytes for each in entries),
    }
    if asked.json:
        print_json(told)
    else:
        print(", ".join(f"{name} {value}" for name, value in told.items()))


def import_docs(settings: Settings, asked: argparse.Namespace) -> int:
    if not asked.folder.is_dir():
        raise CommandError(f"There is no folder {asked.folder}.")
    try:
        tree = read_tree(asked.folder, progress("file"))
        if not tree.sources and not tree.skipped:
            raise CommandError(f"The folder {asked.folder} holds no Markdown files.")
        with on_trial(settings, asked.dry_run) as used:
            report = _import(used, asked, tree)
    except KeyboardInterrupt:
        return interrupted_import()
    remarks = list(reports.remarks(tree, report))
    _print_import(asked, tree, report, remarks)
    return 1 if tree.skipped or (asked.strict and remarks) else 0


def _print_import(
    asked: argparse.Namespace, tree: Tree, report: ImportReport, remarks: list[str]
) -> None:
    if asked.json:
        print_json(reports.told(tree, report) | {"dryRun": asked.dry_run})
        return
    print(*remarks, sep="\n", end="\n" * bool(remarks), file=sys.stderr)
    if asked.dry_run:
        print(*reports.changes(report), "A dry run: nothing was kept.", sep="\n")
    print(reports.summary(tree, report))


def _import(settings: Settings, asked: argparse.Namespace, tree: Tree) -> ImportReport:
    open_instance(settings, utc_now())
    wanted = Import(
        collection=asked.collection,
        now=utc_now(),
        by=By("account", settings.docs_owner_id),
        tree=asked.tree or asked.folder.resolve().name,
        publish=asked.publish,
        prune=asked.prune,
        held=frozenset(each.path for each in tree.skipped),
        is_trial=asked.dry_run,
    )
    return import_documents(tree.sources, wanted, progress("document"))


if __name__ == "__main__":
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    collect_seldom()
    sys.exit(main())
