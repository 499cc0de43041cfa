"""Where everything meets: time, settings, the application, the builder, commands."""

import signal

# While the rest is loaded there is nothing to clean up after Ctrl-C; and who is to
# run on without a terminal is not interrupted at all.
if __name__ == "__main__" and signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.SIG_DFL)

import json
import os
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from time import perf_counter

from models.settings import SettingError, Settings
from sitegen.files import Folder, OutputError
from sitegen.outcome import Report
from sitegen.standing import glance, made_of, note


def utc_now() -> datetime:
    return datetime.now(UTC)


# What a shell expects of a command that Ctrl-C ended, and of one that had more to
# say than was read.
INTERRUPTED, UNREAD = 130, 141
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


def print_json(told: object) -> None:
    print(json.dumps(told, indent=1, ensure_ascii=False))


def ended(run: Callable[[], int]) -> int:
    """Run it; what ends it from outside is told by the exit, and by no traceback."""
    try:
        code = run()
        sys.stdout.flush()
    except KeyboardInterrupt:
        print("masthead: Interrupted.", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        _say_no_more()
        return UNREAD
    except OSError as error:
        where = f"{error.filename}: {error.strerror}" if error.filename else str(error)
        print(f"masthead: {where}.", file=sys.stderr)
        _say_no_more()
        return 2
    return code


def _say_no_more() -> None:
    """What could not be said would be tried again at the end, and fail again."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


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
import sqlite3
from collections.abc import Iterable, Iterator, Sized
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread
from typing import Any, TextIO, get_args

from apscheduler.jobstores.base import JobLookupError
from apscheduler.schedulers.background import BackgroundScheduler
from peewee import PeeweeException
from pydantic import ValidationError
from tqdm import tqdm

from api.fetching import fetched
from api.http import VERSION, create_app, declare_operations
from api.kinds import KINDS
from api.metrics import Metrics
from api.openapi import document
from api.server import limited_server
from models import audit, changes
from models.base import milliseconds
from models.database import (
    NewerSchema,
    database,
    migrate,
    open_database,
    read_once,
    reading,
    writing,
)
from models.errors import Refusal, StorageBusy
from models.idempotency import forget_answers
from models.instance import BACKED_UP, make_secrets, set_mark
from models.integrity import copy_to, faults
from models.lease import Tenure
from models.logs import Line, OneLine
from models.platform import inventory
from models.platform.inventory import InventoriedKey
from models.platform.keys import CreateKey, adopt_key, any_key, issue_key
from models.platform.secrets import HIDDEN
from models.platform.uses import Uses
from models.projects.documents import Collection
from models.projects.exchange import Import, ImportReport, import_documents
from models.projects.projects import DocsSlugTaken, ensure_docs_project
from models.projects.words import By
from models.status.converting.samples import Names, pairs
from models.status.converting.tools import TOOLS, Asked, converted
from models.status.hours import roll_up
from models.status.measurements import record_measurements
from models.status.moments import next_told
from models.status.moving.arrival import ArrivalReport, bring_in
from models.status.moving.readers import cargo_of, files_in
from models.status.moving.statuspage import DOCUMENTS
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
# So often a long work says how far it is, where no terminal shows it.
TELL_SECONDS = 10
DAY_SECONDS = 86_400
WHOLE = "whole: database, audit chains, output"


class CommandError(Exception):
    """What a person did wrong, in a sentence; the command ends with it."""


def main(arguments: list[str] | None = None) -> int:
    return ended(lambda: _run(parser().parse_args(arguments)))


def _run(asked: argparse.Namespace) -> int:
    """Run the command; what a person did wrong ends it with a sentence and 2."""
    try:
        settings = Settings.from_environment(os.environ)
        log_to(sys.stderr, settings.log_level)
        return int(asked.run(settings, asked) or 0)
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
    commands = top.add_subparsers(required=True, metavar="COMMAND")

    def command(
        name: str, run: Callable[..., Any], help: str, into: Any = commands
    ) -> Any:
        made = into.add_parser(name, help=help, description=_sentence(help))
        made.set_defaults(run=run)
        return made

    _add_address(command("serve", serve, "serve the API and the built site"))
    _add_address(command("demo", demo, "load the sample world and serve it"))
    made = command("build", build_site, "bring the output folder up to date")
    made.add_argument("--full", action="store_true", help="make every page again")
    _add_json(made)
    told = "bring the database's tables up to date"
    _add_json(command("migrate", migrate_database, told))
    _add_json(command("check", check, "check database, audit chains and output"))
    command("openapi", print_openapi, "print the OpenAPI document")
    made = command("backup", backup, "write a consistent copy of the database")
    made.add_argument("file", type=Path, metavar="FILE", help="where the copy goes")
    _add_export(command("export", export, "write everything into a folder of files"))
    _add_probe(
        command("probe", probe, "measure targets and tell the API, from anywhere")
    )
    _add_key_commands(command)
    made = command("docs", print, "bring documents in")
    made = made.add_subparsers(required=True, metavar="COMMAND")
    _add_import(command("import", import_docs, "bring in a Markdown tree", made))
    _add_tools(command)
    return top


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}."


def _add_address(made: argparse.ArgumentParser) -> None:
    made.add_argument("--host", help="address to listen on (MASTHEAD_HOST)")
    made.add_argument("--port", type=int, help="port (MASTHEAD_PORT)")


def _add_json(made: argparse.ArgumentParser) -> None:
    made.add_argument("--json", action="store_true", help="tell it as JSON")


def _add_probe(made: argparse.ArgumentParser) -> None:
    made.add_argument("file", type=Path, metavar="FILE", help="what to measure, TOML")
    made.add_argument("--once", action="store_true", help="one round, told in a table")
    made.add_argument("--json", action="store_true", help="with --once: told in JSON")


def _add_export(made: argparse.ArgumentParser) -> None:
    folder = "a folder that is empty, or is to be made"
    made.add_argument("folder", type=Path, metavar="FOLDER", help=folder)
    samples = "every raw measurement, and not its hourly counters alone"
    made.add_argument("--samples", action="store_true", help=samples)
    _add_json(made)


def _add_tools(command: Callable[..., Any]) -> None:
    """What lets someone come from another tool, or keep it."""
    made = command("status", print, "bring a status page in")
    made = made.add_subparsers(required=True, metavar="COMMAND")
    help = "bring in another status page"
    _add_status_import(command("import", import_status, help, made))
    made = command("convert", print, "make measurements of what another tool says")
    made = made.add_subparsers(required=True, metavar="TOOL")
    for tool in TOOLS:
        help = f"read what {tool} says from standard input"
        _add_convert(command(tool, partial(convert, tool), help, made), tool)


def _add_status_import(made: argparse.ArgumentParser) -> None:
    help = "a folder, or the base address of a Statuspage"
    made.add_argument("source", metavar="SOURCE", help=help)
    help = "the service of what names none"
    made.add_argument("--otherwise", metavar="SLUG", help=help)
    for name, help in (
        ("--dry-run", "tell what would come, and keep nothing"),
        ("--json", "tell what came as JSON"),
    ):
        made.add_argument(name, action="store_true", help=help)


def _add_convert(made: argparse.ArgumentParser, tool: str) -> None:
    made.add_argument("--source", default=tool, help=f"who measured ({tool})")
    made.add_argument(
        "--service",
        action="append",
        default=[],
        metavar="NAME=SLUG",
        help="which service is meant by a name; repeatable",
    )
    if tool == "alertmanager":
        help = "the label that names the service (service)"
        made.add_argument("--label", default="service", help=help)


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
    _add_json(made)


def _add_key_commands(command: Callable[..., Any]) -> None:
    keys = command("keys", print, "manage API keys")
    keys = keys.add_subparsers(required=True, metavar="COMMAND")
    made = command("bootstrap", bootstrap, "issue the first admin key", keys)
    made.add_argument("--email", required=True, help="who answers for the key")
    made.add_argument("--scope", action="append", help="instead of *; repeatable")
    made.add_argument("--force", action="store_true", help="although there are keys")
    told = "list the keys and when each was last used"
    _add_json(command("list", list_keys, told, keys))
    told = "tell what a secret from standard input is"
    _add_json(command("check", check_key, told, keys))
    made = command("stale", list_stale_keys, "list active keys out of use", keys)
    made.add_argument("--days", type=int, default=90, help="not used for so long (90)")
    _add_json(made)


def open_instance(settings: Settings) -> list[str]:
    """
    Open the database, bring its tables up to date, make what must be there.

    Return the names of the migrations that were applied.
    """
    now = utc_now()
    try:
        open_database(settings.database)
        applied = migrate()
        with writing():
            make_secrets()
            if settings.bootstrap_key_sha256:
                adopt_key(settings.bootstrap_key_sha256, now)
        ensure_docs_project(
            now, slug=settings.docs_slug, owner_id=settings.docs_owner_id
        )
    except (OSError, PeeweeException, StorageBusy) as error:
        reason = error.__cause__ or error
        raise CommandError(
            f"The database {settings.database} cannot be used: {reason}."
        ) from error
    except (DocsSlugTaken, NewerSchema) as error:
        raise CommandError(str(error)) from error
    return applied


def open_existing(settings: Settings) -> None:
    """Open a database that must be there: a wrong path is not a new instance."""
    if not Path(settings.database).is_file():
        raise CommandError(
            f"There is no database at {settings.database}."
            " Start the server once, or run migrate."
        )
    open_instance(settings)


def editions(settings: Settings) -> Callable[[datetime], Edition]:
    """Return what gives the edition of an instant; templates are read once."""
    if settings.templates and not Path(settings.templates).is_dir():
        raise CommandError(
            f"MASTHEAD_TEMPLATES: there is no folder {settings.templates}."
        )
    declare_operations()
    declare_pages()
    told = {kind: asdict(problem) for kind, problem in KINDS.items()}
    openapi = document(settings.site_name, VERSION)
    bodies, looks = Bodies(), Looks(settings)
    memory: dict[Any, Any] = {}
    return lambda now: Edition(
        now=now,
        settings=settings,
        looks=looks,
        bodies=bodies,
        memory=memory,
        problems=told,
        openapi=openapi,
    )


# A name, what is done, and how many seconds lie between two times.
Job = tuple[str, Callable[[], None], int]


def serve(settings: Settings, asked: argparse.Namespace) -> None:
    settings = _addressed(settings, asked)
    with _listening(settings) as listener:
        _require_output(settings)
        open_instance(settings)
        _serve(settings, listener)


def demo(settings: Settings, asked: argparse.Namespace) -> None:
    """The sample world: its content is the cast of the tests."""
    from tests import world

    settings = _addressed(settings, asked)
    with _listening(settings) as listener:
        _require_output(settings)
        open_instance(settings)
        world.populate(utc_now())
        _import_manual(settings)
        key = _issue_admin("demo@masthead.example", ["*"], "Demo key")
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
    open_existing(settings)
    read_once()
    started = perf_counter()
    report = build(editions(settings)(now), full=asked.full, progress=_bar("page"))
    with reading():
        until = next_told(now, settings.freshness)
    note(settings, made, until, report)
    print_report(report, perf_counter() - started, as_json=asked.json)
    return 1 if report.failed else 0


def migrate_database(settings: Settings, asked: argparse.Namespace) -> None:
    applied = open_instance(settings)
    if asked.json:
        print_json({"applied": applied})
    else:
        print(f"applied {', '.join(applied)}" if applied else "nothing to apply")


def check(settings: Settings, asked: argparse.Namespace) -> int:
    open_existing(settings)
    with reading():
        found = faults()
        found += [f"{each.path} could not be made." for each in changes.failed_pages()]
    found += differences(Folder(settings.output))
    if asked.json:
        print_json({"whole": not found, "faults": found})
    else:
        print(*found, "not whole" if found else WHOLE, sep="\n")
    return 1 if found else 0


def print_openapi(settings: Settings, _: argparse.Namespace) -> None:
    declare_operations()
    print(json.dumps(document(settings.site_name, VERSION), indent=1, sort_keys=True))


def backup(settings: Settings, asked: argparse.Namespace) -> None:
    open_existing(settings)
    try:
        copy_to(asked.file)
    except OSError as error:
        raise CommandError(
            f"{asked.file} cannot be written: {error.strerror}."
        ) from error
    except sqlite3.Error as error:
        raise CommandError(f"{asked.file} cannot be written: {error}.") from error
    print(f"wrote {asked.file}", file=sys.stderr)
    try:
        with writing():
            set_mark(BACKED_UP, milliseconds(utc_now()))
    except StorageBusy as error:
        raise CommandError(f"When this was could not be noted: {error}") from error


def bootstrap(settings: Settings, asked: argparse.Namespace) -> None:
    open_instance(settings)
    with reading():
        has_key = any_key()
    if has_key and not asked.force:
        raise CommandError("There are keys already. Repeat with --force for one more.")
    if "@" not in asked.email[1:-1]:
        raise CommandError("--email must be an e-mail address: audits will name it.")
    secret = _issue_admin(asked.email, asked.scope or ["*"], "Bootstrap key")
    print(f"Issued to {asked.email}. It is shown once; keep it safe.", file=sys.stderr)
    print(secret)


def _issue_admin(email: str, scopes: list[str], name: str) -> str:
    try:
        wanted = CreateKey(name=name, scopes=scopes)
    except ValidationError as error:
        told = error.errors()[0]["msg"].removeprefix("Value error, ")
        raise CommandError(f"--scope: {told}") from error
    now = utc_now()
    with writing():
        key, secret = issue_key(wanted, now, issuer=email)
        audit.append(
            "platform",
            actor=email,
            action="add",
            target=key.audited,
            now=now,
            detail="by the command line",
        )
    return secret.text


def export(settings: Settings, asked: argparse.Namespace) -> None:
    open_existing(settings)
    read_once()
    wanted = Export(utc_now(), VERSION, settings.site_url, asked.samples)
    entries = export_into(asked.folder, wanted, _bar("record"))
    told = {
        "files": len(entries),
        "records": sum(each.records for each in entries),
        "bytes": sum(each.bytes for each in entries),
    }
    if asked.json:
        print_json(told)
    else:
        print(", ".join(f"{name} {value}" for name, value in told.items()))


def list_keys(settings: Settings, asked: argparse.Namespace) -> None:
    open_existing(settings)
    with reading():
        _print_keys(inventory.listed(utc_now()), asked)


def list_stale_keys(settings: Settings, asked: argparse.Namespace) -> None:
    if not 0 <= asked.days <= 3650:
        raise CommandError("--days must be from 0 to 3650.")
    open_existing(settings)
    now = utc_now()
    with reading():
        _print_keys(inventory.stale(now, now - timedelta(days=asked.days)), asked)


def _print_keys(keys: Iterable[InventoriedKey], asked: argparse.Namespace) -> None:
    if asked.json:
        print_json([each.told() for each in keys])
    else:
        print(*inventory.lines(keys), sep="\n")


def check_key(settings: Settings, asked: argparse.Namespace) -> int:
    """From standard input: what stands on a command line is seen by others."""
    open_existing(settings)
    secret = sys.stdin.readline().strip()
    with reading():
        opens, told = inventory.looked_at(secret, utc_now())
    if asked.json:
        print_json({"opens": opens, "told": told})
    else:
        print(*told, sep="\n")
    return 0 if opens else 1


def convert(tool: str, _: Settings, asked: argparse.Namespace) -> None:
    """Write a body a line; the API takes at most 200 measurements in one."""
    wanted = Asked(
        text=sys.stdin.buffer.read(),
        names=Names(pairs(asked.service)),
        now=utc_now(),
        source=asked.source,
        label=getattr(asked, "label", ""),
    )
    lines = list(converted(tool, wanted))
    print(*lines, sep="\n", end="\n" * bool(lines))
    for remark in wanted.names.remarks():
        print(remark, file=sys.stderr)
    if not lines:
        print("It says nothing of any service.", file=sys.stderr)


def import_docs(settings: Settings, asked: argparse.Namespace) -> int:
    if not asked.folder.is_dir():
        raise CommandError(f"There is no folder {asked.folder}.")
    try:
        tree = read_tree(asked.folder, _bar("file"))
        if not tree.sources and not tree.skipped:
            raise CommandError(f"The folder {asked.folder} holds no Markdown files.")
        with _on_trial(settings, asked.dry_run) as used:
            report = _import(used, asked, tree)
    except KeyboardInterrupt:
        return _interrupted()
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


def _interrupted() -> int:
    """An import is one transaction: what was begun is undone."""
    print("masthead: Interrupted. Nothing was imported.", file=sys.stderr)
    return INTERRUPTED


def import_status(settings: Settings, asked: argparse.Namespace) -> int:
    try:
        report = _moved_in(settings, asked)
    except KeyboardInterrupt:
        return _interrupted()
    if asked.json:
        print_json(asdict(report))
        return 1 if report.left_out else 0
    for remark in report.remarks():
        print(remark, file=sys.stderr)
    print(*report.lines(), sep="\n")
    if asked.dry_run:
        print("A dry run: nothing was kept.")
    return 1 if report.left_out else 0


def _moved_in(settings: Settings, asked: argparse.Namespace) -> ArrivalReport:
    if "://" in asked.source:
        files = fetched(f"{asked.source.rstrip('/')}/api/v2", DOCUMENTS)
    else:
        files = files_in(Path(asked.source))
    cargo = cargo_of(files)
    with _on_trial(settings, asked.dry_run) as used:
        open_instance(used)
        return bring_in(
            cargo,
            utc_now(),
            otherwise=asked.otherwise,
            is_trial=asked.dry_run,
            progress=_bar("incident"),
        )


@contextmanager
def _on_trial(settings: Settings, is_trial: bool) -> Iterator[Settings]:
    """Where there is no instance yet, a trial makes none."""
    if not is_trial or Path(settings.database).is_file():
        yield settings
        return
    with TemporaryDirectory() as folder:
        try:
            yield replace(settings, database=str(Path(folder) / "trial.db"))
        finally:
            database.close()


def _import(settings: Settings, asked: argparse.Namespace, tree: Tree) -> ImportReport:
    open_instance(settings)
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
    return import_documents(tree.sources, wanted, _bar("document"))


def probe(settings: Settings, asked: argparse.Namespace) -> int:
    # Its clients of HTTP and DNS need not be loaded by whoever serves.
    from api.probing import report
    from api.probing.plan import read_plan
    from api.probing.probe import Probe

    if asked.json and not asked.once:
        raise CommandError("--json tells one round: give --once with it.")
    stop = _told_to_stop()
    running = Probe(read_plan(asked.file, settings.probe_key), utc_now, stop)
    if not asked.once:
        running.run()
        return 0
    looks = running.once()
    if asked.json:
        print_json(report.facts(looks, running))
    else:
        print(*report.table(looks, running), sep="\n")
    return INTERRUPTED if stop.is_set() else int(not report.is_well(looks, running))


def _told_to_stop() -> Event:
    """Return what is set when a signal asks us to end; a second one ends us."""
    stop = Event()

    def end(number: int, _: Any) -> None:
        signal.signal(number, signal.SIG_DFL)
        # The thread that was interrupted may hold what it takes to set it.
        Thread(target=stop.set).start()

    for each in (signal.SIGTERM, signal.SIGINT):
        signal.signal(each, end)
    return stop


def _bar(unit: str) -> Callable[[Iterable[Any]], Iterable[Any]]:
    """Return what goes through things and shows how far it is."""
    if sys.stderr.isatty():
        return lambda things: tqdm(things, unit=unit, leave=False)
    return partial(_in_lines, unit)


def _in_lines(unit: str, things: Iterable[Any]) -> Iterator[Any]:
    """Where there is no terminal, say in a line from time to time how far it is."""
    of = f" of {len(things)}" if isinstance(things, Sized) else ""
    told_at = perf_counter()
    for number, each in enumerate(things, 1):
        yield each
        if perf_counter() >= told_at + TELL_SECONDS:
            told_at = perf_counter()
            print(f"{unit} {number}{of}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    collect_seldom()
    sys.exit(main())
