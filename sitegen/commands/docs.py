"""The command `docs import`: a Markdown tree comes in."""

import sys
from argparse import ArgumentParser, Namespace
from datetime import datetime
from pathlib import Path
from typing import get_args

from models.commands.declaring import CommandContext, add_command, add_json, commands_of
from models.commands.ending import CommandError, interrupted_import
from models.commands.opening import on_trial, open_instance
from models.commands.telling import print_json, progress
from models.projects.documents.document_import import (
    Import,
    ImportReport,
    import_documents,
)
from models.projects.documents.documents import Collection
from models.projects.fields import Actor
from models.settings import Settings
from sitegen.sources import report as reports
from sitegen.sources.tree import Tree, read_tree


def declare(parser: ArgumentParser) -> None:
    help = "bring in a Markdown tree"
    made = add_command(commands_of(parser), "import", help, import_docs)
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


def import_docs(given: CommandContext, arguments: Namespace) -> int:
    if not arguments.folder.is_dir():
        raise CommandError(f"There is no folder {arguments.folder}.")
    try:
        tree = read_tree(arguments.folder, progress("file"))
        if not tree.sources and not tree.skipped:
            raise CommandError(
                f"The folder {arguments.folder} holds no Markdown files."
            )
        with on_trial(given.settings, arguments.dry_run) as settings:
            now = given.clock()
            open_instance(settings, now)
            wanted = _wanted(settings, arguments, tree, now)
            report = import_documents(tree.sources, wanted, progress("document"))
    except KeyboardInterrupt:
        return interrupted_import()
    remarks = list(reports.remarks(tree, report))
    _print_import(arguments, tree, report, remarks)
    return 1 if tree.skipped or (arguments.strict and remarks) else 0


def _wanted(
    settings: Settings, arguments: Namespace, tree: Tree, now: datetime
) -> Import:
    return Import(
        collection=arguments.collection,
        now=now,
        actor=Actor("account", settings.docs_owner_id),
        tree=arguments.tree or arguments.folder.resolve().name,
        publish=arguments.publish,
        prune=arguments.prune,
        held=frozenset(each.path for each in tree.skipped),
        is_trial=arguments.dry_run,
    )


def _print_import(
    arguments: Namespace, tree: Tree, report: ImportReport, remarks: list[str]
) -> None:
    if arguments.json:
        print_json(reports.to_json(tree, report) | {"dryRun": arguments.dry_run})
        return
    print(*remarks, sep="\n", end="\n" * bool(remarks), file=sys.stderr)
    if arguments.dry_run:
        print(*reports.changes(report), "A dry run: nothing was kept.", sep="\n")
    print(reports.summary(tree, report))
