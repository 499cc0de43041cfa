"""The command `build`: update the built site."""

import sys
from argparse import ArgumentParser, Namespace
from time import perf_counter

from models.runtime.commands import CommandContext
from models.runtime.startup import open_existing_instance
from sitegen.builder.build import build
from sitegen.page import context_factory

HELP = "update the built site"


def declare(parser: ArgumentParser) -> None:
    parser.add_argument("--full", action="store_true", help="render every page again")
    parser.add_argument(
        "--strict",
        action="store_true",
        help="exit with 1 on any warning, such as a link that leads nowhere",
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    parser.set_defaults(run=build_site)


def build_site(context: CommandContext, arguments: Namespace) -> int:
    now = context.clock()
    open_existing_instance(context.settings, now)
    started = perf_counter()
    create_context = context_factory(
        context.page_settings(), *context.describe_api(), context.clock
    )
    report = build(
        create_context(), full=arguments.full, progress=context.show_progress("page")
    )
    seconds = perf_counter() - started
    if arguments.json:
        context.print_json(report.to_json(seconds))
    else:
        for message in report.messages():
            print(message, file=sys.stderr)
        print(report.summary(seconds))
    return 1 if report.failed or (arguments.strict and report.warnings) else 0
