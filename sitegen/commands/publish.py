"""The command `publish`: brings the target that was named up to date."""

import sys
from argparse import ArgumentParser, Namespace
from time import perf_counter

from models.commands.declaring import CommandContext, add_json
from models.commands.ending import CommandError
from models.commands.telling import print_json, progress
from sitegen.output.publishing.publication import Publication, Report
from sitegen.output.publishing.targets import PublishError


def declare(parser: ArgumentParser) -> None:
    for name, help in (
        ("--dry-run", "tell what would travel, and send nothing"),
        ("--verify", "ask the target for every file, and not for its note alone"),
        ("--changed", "print the addresses that changed, one a line, and nothing else"),
    ):
        parser.add_argument(name, action="store_true", help=help)
    add_json(parser)
    parser.set_defaults(run=publish)


def publish(given: CommandContext, arguments: Namespace) -> int:
    if not given.settings.publish:
        raise CommandError("MASTHEAD_PUBLISH names no folder and no bucket.")
    started = perf_counter()
    try:
        publication = Publication(given.settings)
        if arguments.dry_run:
            report = publication.trial(is_verified=arguments.verify)
        else:
            shown = progress("file")
            report = publication.run(is_verified=arguments.verify, progress=shown)
    except PublishError as error:
        raise CommandError(str(error)) from error
    _print(arguments, report, perf_counter() - started)
    return 1 if report.hook_failure else 0


def _print(arguments: Namespace, report: Report, seconds: float) -> None:
    if report.hook_failure:
        print(report.hook_failure, file=sys.stderr)
    if arguments.json:
        print_json(report.told(seconds) | {"dryRun": arguments.dry_run})
        return
    if arguments.changed:
        print(*report.changed, sep="\n", end="\n" * bool(report.changed))
        return
    if arguments.dry_run:
        print(*(f"send {path}" for path in report.sent), sep="\n", end="")
        print(*(f"\nremove {path}" for path in report.removed), sep="")
        print("A dry run: nothing was sent.")
    print(report.summary(seconds))
