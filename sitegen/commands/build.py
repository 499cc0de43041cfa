"""The command `build`: brings the output folder up to date."""

from argparse import ArgumentParser, Namespace
from time import perf_counter

from models.commands.declaring import CommandContext, add_json
from models.commands.opening import open_existing
from models.commands.telling import progress
from models.status.snapshot.last_change import next_told
from models.storage.database import limit_read_memory, reading
from sitegen.build.build import build
from sitegen.build.up_to_date import made_of, note
from sitegen.commands.quick_build import print_report
from sitegen.page import build_contexts


def declare(parser: ArgumentParser) -> None:
    parser.add_argument("--full", action="store_true", help="make every page again")
    add_json(parser)
    parser.set_defaults(run=build_site)


def build_site(given: CommandContext, arguments: Namespace) -> int:
    settings, now = given.settings, given.clock()
    made = made_of(settings)
    open_existing(settings, now)
    limit_read_memory()
    started = perf_counter()
    context = build_contexts(settings, *given.described())(now)
    report = build(context, full=arguments.full, progress=progress("page"))
    with reading():
        until = next_told(now, settings.freshness)
    note(settings, made, until, report)
    print_report(report, perf_counter() - started, as_json=arguments.json)
    return 1 if report.failed else 0
