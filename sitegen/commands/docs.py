"""The command `docs import`: import a folder of Markdown files."""

import os
import sys
from argparse import ArgumentParser, Namespace
from contextlib import nullcontext
from datetime import datetime
from pathlib import Path
from typing import get_args

from models.display_text import escape_line
from models.projects.document_imports.document_import import import_documents
from models.projects.document_imports.options import ImportOptions, ImportReport
from models.projects.documents.documents import Collection
from models.projects.documents.linking.outside_links import is_website_url
from models.projects.documents.paths import (
    page_address,
    path_of_file,
    paths_of_files,
)
from models.projects.fields import Actor
from models.projects.files.file_import import FileSource, prepared_files
from models.projects.projects.projects import docs_project
from models.runtime.commands import INTERRUPTED, CommandContext, CommandError
from models.runtime.startup import dry_run_settings, open_instance
from models.settings import Settings
from sitegen.sources import report as reports
from sitegen.sources.addresses.old_addresses import unanswered
from sitegen.sources.link_check import notes_on_links
from sitegen.sources.notations.own_components import ComponentError, open_components
from sitegen.sources.tree import Note, Tree, read_tree

HELP = "import documents"

# Files of the tree that cannot be used, with the reason.
Refused = list[tuple[FileSource, str]]


def declare(parser: ArgumentParser) -> None:
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    help = "import a folder of Markdown files"
    description = "Import a folder of Markdown files."
    import_parser = commands.add_parser("import", help=help, description=description)
    import_parser.set_defaults(run=import_docs)
    import_parser.add_argument(
        "folder", type=Path, metavar="FOLDER", help="folder of the Markdown files"
    )
    import_parser.add_argument(
        "--collection",
        required=True,
        choices=get_args(Collection),
        help="collection in which the documents appear",
    )
    import_parser.add_argument(
        "--path",
        default="",
        help="path in the collection below which the pages are (default: its root)",
    )
    import_parser.add_argument(
        "--to",
        metavar="URL",
        help="import into the server at this URL, with the key in MASTHEAD_KEY_FILE",
    )
    import_parser.add_argument(
        "--publish", action="store_true", help="publish the imported documents"
    )
    import_parser.add_argument(
        "--tree", metavar="NAME", help="name of the tree (default: the folder's name)"
    )
    import_parser.add_argument(
        "--base",
        metavar="URL",
        help="where the tree is published, to which links to missing pages lead",
    )
    import_parser.add_argument(
        "--include-from",
        type=Path,
        action="append",
        default=[],
        metavar="FOLDER",
        help="another folder of files that are included or shown; can be repeated",
    )
    import_parser.add_argument(
        "--unknown",
        choices=("remove", "show"),
        default="remove",
        help="what becomes of the tags of unknown components (default: remove)",
    )
    import_parser.add_argument(
        "--prune",
        action="store_true",
        help="unpublish and archive documents of the tree whose files are gone",
    )
    import_parser.add_argument(
        "--take-over",
        action="store_true",
        help="also import documents that people changed since the last import",
    )
    import_parser.add_argument(
        "--dry-run",
        action="store_true",
        help="print what would be imported, and import nothing",
    )
    import_parser.add_argument(
        "--report-addresses",
        type=Path,
        metavar="SITEMAP",
        help="also say which addresses in the sitemap of the former website would not"
        " lead to the pages",
    )
    import_parser.add_argument(
        "--strict",
        action="store_true",
        help="exit with 1 on any remark, not only if a file or document was left alone",
    )
    import_parser.add_argument(
        "--json", action="store_true", help="print the result as JSON"
    )


def import_docs(context: CommandContext, arguments: Namespace) -> int:
    _require_usable(arguments)
    try:
        tree = _read_tree(context, arguments)
        if not (tree.sources or tree.skipped or tree.drafts):
            raise CommandError(
                f"The folder {arguments.folder} contains no Markdown files."
            )
        run = _import_over_api if arguments.to else _import_here
        report, refused = run(context, arguments, tree)
    except KeyboardInterrupt:
        print(f"masthead: Interrupted. {_outcome(arguments)}", file=sys.stderr)
        return INTERRUPTED
    tree.skipped += [
        # A picture may lie beside the folder, where its generator keeps them.
        Note(os.path.relpath(source.path, arguments.folder), reason)
        for source, reason in refused
    ]
    if arguments.strict or arguments.dry_run:
        tree.notes += notes_on_links(
            tree,
            name=_tree_name(arguments),
            collection=arguments.collection,
            below=arguments.path,
            base=arguments.base,
            edit_url=context.settings.edit_url,
            progress=context.show_progress("page with links"),
        )
    if arguments.report_addresses:
        tree.notes += _notes_on_addresses(arguments, tree)
    remarks = list(reports.remarks(tree, report))
    if arguments.json:
        result = reports.to_json(tree, report) | {"dryRun": arguments.dry_run}
        context.print_json(result)
    else:
        _print_report(tree, report, remarks, is_dry_run=arguments.dry_run)
    is_incomplete = tree.skipped or report.held
    return 1 if is_incomplete or (arguments.strict and remarks) else 0


def _require_usable(arguments: Namespace) -> None:
    """Raise CommandError for an option whose folder, file, path or URL is none."""
    if not arguments.folder.is_dir():
        raise CommandError(f"There is no folder {arguments.folder}.")
    if arguments.base is not None and not is_website_url(arguments.base):
        raise CommandError(
            f"--base {arguments.base} must be a URL such as https://docs.example.com."
        )
    if path_of_file(arguments.path) != arguments.path:
        raise CommandError(
            f"--path {arguments.path} must be a path such as cli/v2, without slashes"
            " around it."
        )
    for folder in arguments.include_from:
        if not folder.is_dir():
            raise CommandError(f"There is no folder {folder}, from --include-from.")
    if arguments.report_addresses and not arguments.report_addresses.is_file():
        raise CommandError(f"There is no file {arguments.report_addresses}.")


def _read_tree(context: CommandContext, arguments: Namespace) -> Tree:
    folder = context.settings.components
    try:
        with open_components(Path(folder)) if folder else nullcontext() as components:
            return read_tree(
                arguments.folder,
                context.show_progress("file"),
                name=arguments.tree,
                include_from=arguments.include_from,
                now=context.clock(),
                base=arguments.base,
                removes_unknown=arguments.unknown == "remove",
                own_components=components,
            )
    except ComponentError as error:
        raise CommandError(f"MASTHEAD_COMPONENTS: {error}") from None


def _notes_on_addresses(arguments: Namespace, tree: Tree) -> list[Note]:
    """
    Print how much of the former website's sitemap answers, and return a note on each
    address that does not.
    """
    path = arguments.report_addresses
    sitemap = path.read_text(encoding="utf-8", errors="replace")
    places = paths_of_files([source.path for source in tree.sources], arguments.path)
    answered = {page_address(arguments.collection, each) for each in places.values()}
    answered |= {alias for source in tree.sources for alias in source.aliases}
    count, lost = unanswered(sitemap, answered)
    answers = f"{count - len(lost)} of its {count} addresses lead to pages."
    print(f"note: {escape_line(path.name)}: {answers}", file=sys.stderr)
    return [Note(path.name, f"{address} leads nowhere.") for address in lost]


def _import_here(
    context: CommandContext, arguments: Namespace, tree: Tree
) -> tuple[ImportReport, Refused]:
    """Import the tree into the database of this machine."""
    with dry_run_settings(context.settings, arguments.dry_run) as settings:
        now = context.clock()
        open_instance(settings, now)
        options = _import_options(settings, arguments, tree, now)
        show_files = context.show_progress("picture or file")
        with prepared_files(docs_project(), tree.files, show_files) as files:
            report = import_documents(
                tree.sources, options, context.show_progress("document"), files
            )
    return report, files.refused


def _import_over_api(
    context: CommandContext, arguments: Namespace, tree: Tree
) -> tuple[ImportReport, Refused]:
    """Import the tree into another server, which knows the actor and the limits."""
    settings = context.settings
    options = _import_options(settings, arguments, tree, context.clock())
    report, refused = context.import_over_api(
        arguments.to,
        settings.key_file,
        tree.sources,
        tree.files,
        options,
        context.show_progress,
    )
    return report, refused


def _outcome(arguments: Namespace) -> str:
    """Return what an interrupted import has left behind."""
    if arguments.to:
        return "Run it again to go on: what was sent is kept for a day."
    # The import is one transaction, which was rolled back.
    return "Nothing was imported."


def _import_options(
    settings: Settings, arguments: Namespace, tree: Tree, now: datetime
) -> ImportOptions:
    return ImportOptions(
        collection=arguments.collection,
        now=now,
        actor=Actor("account", settings.docs_owner_id),
        tree=_tree_name(arguments),
        base=arguments.base,
        path=arguments.path,
        publish=arguments.publish,
        prune=arguments.prune,
        take_over=arguments.take_over,
        skipped_paths=frozenset(note.path for note in tree.skipped),
        is_dry_run=arguments.dry_run,
        files_max_bytes=settings.files_max_bytes,
    )


def _tree_name(arguments: Namespace) -> str:
    name: str = arguments.tree or arguments.folder.resolve().name
    return name


def _print_report(
    tree: Tree, report: ImportReport, remarks: list[str], *, is_dry_run: bool
) -> None:
    for line in (*remarks, *reports.drafts(tree)):
        print(escape_line(line), file=sys.stderr)
    if is_dry_run:
        print(
            *reports.changes(report),
            "This was a dry run: nothing was imported.",
            sep="\n",
        )
    print(reports.summary(tree, report))
