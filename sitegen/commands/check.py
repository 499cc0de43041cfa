"""The command `check`: check the database, the audit logs and the built site."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from models import changes
from models.display_text import escape_line
from models.runtime.commands import CommandContext
from models.runtime.startup import open_existing_instance
from models.storage.database import reading
from models.storage.integrity import integrity_problems
from sitegen.output.inspection import differences

HELP = "check the database, the audit logs and the built site"


def declare(parser: ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    parser.set_defaults(run=check)


def check(context: CommandContext, arguments: Namespace) -> int:
    open_existing_instance(context.settings, context.clock())
    with reading():
        problems = integrity_problems()
        problems += [
            f"{page.path} could not be rendered." for page in changes.failed_pages()
        ]
    problems += differences(Path(context.settings.output))
    if arguments.json:
        context.print_json({"whole": not problems, "faults": problems})
    elif problems:
        print(*map(escape_line, problems), sep="\n")
        print(f"problems found: {len(problems)}")
    else:
        print("no problems found: database, audit logs, built site")
    return 1 if problems else 0
