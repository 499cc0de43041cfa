"""The command `build`: brings the output folder up to date."""

from argparse import ArgumentParser, Namespace
from time import perf_counter

from models.commands.declaring import Given, add_json
from models.commands.opening import open_existing
from models.commands.telling import progress
from models.database import read_once, reading
from models.status.moments import next_told
from sitegen.build import build
from sitegen.commands.glance import print_report
from sitegen.page import editions
from sitegen.standing import made_of, note


def declare(parser: ArgumentParser) -> None:
    parser.add_argument("--full", action="store_true", help="make every page again")
    add_json(parser)
    parser.set_defaults(run=build_site)


def build_site(given: Given, asked: Namespace) -> int:
    settings, now = given.settings, given.clock()
    made = made_of(settings)
    open_existing(settings, now)
    read_once()
    started = perf_counter()
    edition = editions(settings, *given.described())(now)
    report = build(edition, full=asked.full, progress=progress("page"))
    with reading():
        until = next_told(now, settings.freshness)
    note(settings, made, until, report)
    print_report(report, perf_counter() - started, as_json=asked.json)
    return 1 if report.failed else 0
