"""The command `publish`: publish the built site to its target."""

import sys
from argparse import ArgumentParser, Namespace
from time import perf_counter

from models.runtime.commands import CommandContext, CommandError
from sitegen.output.publishing.publication import Publication, PublishReport
from sitegen.output.publishing.targets import PublishError

HELP = "publish the built site to its target"


def declare(parser: ArgumentParser) -> None:
    for option, help in (
        ("--dry-run", "print what would be published, and publish nothing"),
        ("--verify", "check every file at the target"),
        ("--changed", "print only the changed URLs, one per line"),
        ("--json", "print the result as JSON"),
    ):
        parser.add_argument(option, action="store_true", help=help)
    parser.set_defaults(run=publish)


def publish(context: CommandContext, arguments: Namespace) -> int:
    if not context.settings.publish:
        raise CommandError("MASTHEAD_PUBLISH is not set to a folder or bucket.")
    started = perf_counter()
    try:
        publication = Publication(context.page_settings())
        if arguments.dry_run:
            report = publication.dry_run(verify=arguments.verify)
        else:
            report = publication.run(
                verify=arguments.verify, progress=context.show_progress("file")
            )
    except PublishError as error:
        raise CommandError(str(error)) from error
    seconds = perf_counter() - started
    if report.hook_failure:
        print(report.hook_failure, file=sys.stderr)
    if arguments.json:
        result = report.to_json(seconds) | {"dryRun": arguments.dry_run}
        context.print_json(result)
    elif arguments.changed:
        print(*report.changed, sep="\n", end="\n" * bool(report.changed))
    else:
        _print_report(report, seconds, is_dry_run=arguments.dry_run)
    return 1 if report.hook_failure else 0


def _print_report(report: PublishReport, seconds: float, *, is_dry_run: bool) -> None:
    if is_dry_run:
        for path in report.sent:
            print(f"send {path}")
        for path in report.removed:
            print(f"remove {path}")
        print("This was a dry run: nothing was published.")
    print(report.summary(seconds))
