"""The command `build`: update the built site."""

from argparse import ArgumentParser, Namespace
from functools import partial
from time import perf_counter

from models.runtime.commands import CommandContext
from models.runtime.startup import open_existing_instance
from models.status.snapshot.last_change import next_page_change
from models.storage.database import limit_read_memory, reading
from sitegen.builder.build import build
from sitegen.builder.stored_openapi import stored_openapi
from sitegen.builder.up_to_date import inputs_digest, program_digest, record_build
from sitegen.commands.quick_build import print_report
from sitegen.page import context_factory


def declare(parser: ArgumentParser) -> None:
    parser.add_argument("--full", action="store_true", help="render every page again")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    parser.set_defaults(run=build_site)


def build_site(context: CommandContext, arguments: Namespace) -> int:
    now = context.clock()
    open_existing_instance(context.settings, now)
    settings = context.page_settings()
    program = program_digest()
    inputs = inputs_digest(settings, program)
    problems, create_openapi = context.describe_api()
    openapi = partial(stored_openapi, settings, program, create_openapi)
    limit_read_memory()
    started = perf_counter()
    build_context = context_factory(settings, problems, openapi)(now)
    report = build(
        build_context, full=arguments.full, progress=context.show_progress("page")
    )
    with reading():
        valid_until = next_page_change(now, settings.freshness)
    record_build(settings, inputs, valid_until, report)
    print_report(
        report,
        perf_counter() - started,
        print_json=context.print_json if arguments.json else None,
    )
    return 1 if report.failed else 0
