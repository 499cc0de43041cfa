"""Define what the commands `incident` and `maintenance` share: options and results."""

import re
import secrets
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from shlex import quote
from typing import Any

from api.client.key_file import read_client_key
from api.client.operations import ApiClient, OutcomeUnknown, ServerUnreachable
from api.client.status_page import (
    PATIENCE_SECONDS,
    REQUEST_SECONDS,
    StatusPageClient,
    Subject,
)
from models.display_text import escape_line
from models.runtime.commands import CommandContext, CommandError

EPILOG = (
    "The command calls the API of a server. MASTHEAD_API_URL is the URL of the API, and"
    " MASTHEAD_KEY_FILE the file with an API key, which only its owner can read."
)
# More than the API accepts, so that its sentence says how much is too much.
MAX_MESSAGE_CHARACTERS = 100_000
MAX_LISTED = 5
_IDEMPOTENCY_KEY = re.compile(r"[!-~]{1,255}")


@dataclass(frozen=True)
class ChangeResult:
    """What a change has led to, for people and as JSON."""

    # The incident or the window.
    id: str
    # The path of its page.
    address: str
    sentence: str
    # The data of the answers, each by what it is.
    answers: dict[str, Any] = field(default_factory=dict)
    # Commands for later, each by what it is for.
    next_steps: dict[str, str] = field(default_factory=dict)
    is_new: bool = False


def add_parser(
    commands: Any,
    name: str,
    help: str,
    run: Callable[[CommandContext, Namespace], int],
) -> ArgumentParser:
    """Return the parser of a subcommand, with the options that all of them have."""
    description = f"{help[0].upper()}{help[1:]}."
    parser: ArgumentParser = commands.add_parser(
        name, help=help, description=description, epilog=EPILOG
    )
    parser.set_defaults(run=run)
    parser.add_argument(
        "--to", metavar="URL", help="URL of the API (default: MASTHEAD_API_URL)"
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    return parser


def add_id_argument(parser: ArgumentParser, noun: str, state: str) -> None:
    parser.add_argument(
        "id",
        nargs="?",
        metavar="ID",
        help=f"id of the {noun}; can be left out if exactly one is {state}",
    )


def add_change_options(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--dry-run",
        action="store_true",
        help="let the server check the command, and change nothing",
    )
    parser.add_argument(
        "--idempotency-key",
        metavar="KEY",
        help="make the change once, however often the command is run with this key"
        " within 24 hours (default: a new key)",
    )


def add_message_option(parser: ArgumentParser, help: str, **options: Any) -> None:
    parser.add_argument(
        "--message",
        metavar="TEXT",
        help=f"{help}, in Markdown; - reads it from standard input",
        **options,
    )


def add_service_option(parser: ArgumentParser, help: str, **options: Any) -> None:
    parser.add_argument(
        "--service",
        action="append",
        metavar="SLUG",
        help=f"{help}; can be repeated",
        **options,
    )


def add_notify_option(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--no-notify", action="store_true", help="do not notify subscribers"
    )


def message_of(arguments: Namespace) -> str | None:
    """Return the text of --message, None without it."""
    message: str | None = arguments.message
    source = "--message"
    if message == "-":
        message = sys.stdin.read(MAX_MESSAGE_CHARACTERS).strip()
        source = "The message on standard input"
    if message is not None and not message.strip():
        raise CommandError(f"{source} is empty.")
    return message


def notify_field(arguments: Namespace) -> dict[str, bool]:
    return {"notify": False} if arguments.no_notify else {}


@contextmanager
def connected(
    context: CommandContext, arguments: Namespace
) -> Iterator[StatusPageClient]:
    """Yield a client of the server; say after a fault what can be done about it."""
    settings = context.settings
    key = read_client_key(settings.key_file, "This command")
    idempotency_key = _idempotency_key(arguments)
    api = ApiClient(
        arguments.to or settings.api_origin, key, REQUEST_SECONDS, PATIENCE_SECONDS
    )
    is_dry_run = getattr(arguments, "dry_run", False)
    client = StatusPageClient(api, idempotency_key, is_dry_run)
    try:
        yield client
    except ServerUnreachable as error:
        is_given = arguments.to or settings.api_url
        hint = "" if is_given else " Set MASTHEAD_API_URL to the URL of the API."
        raise CommandError(f"{error}{hint}") from error
    except OutcomeUnknown as error:
        raise CommandError(f"{error}{_repeat_hint(client)}") from error
    except KeyboardInterrupt:
        if hint := _repeat_hint(client):
            print(f"masthead:{hint}", file=sys.stderr)
        raise


def _idempotency_key(arguments: Namespace) -> str:
    key: str | None = getattr(arguments, "idempotency_key", None)
    if key is not None and not _IDEMPOTENCY_KEY.fullmatch(key):
        raise CommandError(
            "--idempotency-key must be 1 to 255 visible ASCII characters."
        )
    return key or secrets.token_hex(16)


def _repeat_hint(client: StatusPageClient) -> str:
    if not client.has_sent:
        return ""
    options = [f"--idempotency-key {client.idempotency_key}", *client.repeat_with]
    return (
        " It is not known whether the server made the change. Repeat the command with"
        f" {' and '.join(options)}: the change is then made once."
    )


def only_subject(
    subjects: Sequence[Subject], kind: str, state: str, client: StatusPageClient
) -> Subject:
    """Return the one that a command without an id means; raise CommandError."""
    if not subjects:
        raise CommandError(f"No {kind} is {state}.")
    if len(subjects) > 1:
        named = [
            f'{subject.id} ("{escape_line(subject.title)}")'
            for subject in subjects[:MAX_LISTED]
        ]
        more = len(subjects) - len(named)
        raise CommandError(
            f"{len(subjects)} {kind}s are {state}. Give the id of one:"
            f" {', '.join(named)}{f' and {more} more' if more else ''}."
        )
    client.repeat_with.append(f"the id {subjects[0].id}")
    return subjects[0]


def report_change(
    context: CommandContext,
    arguments: Namespace,
    client: StatusPageClient,
    result: ChangeResult,
) -> int:
    """
    Print a new id on standard output, for scripts, and the rest for people beside it.

    A dry run has no id: the one in its answer is that of nothing.
    """
    # The host of the API has the site, too.
    site = client.api.url if context.follows_address else context.settings.site_url
    page = f"{site}{result.address}"
    if arguments.json:
        is_new = {"dryRun": client.is_dry_run, "replayed": client.is_replayed}
        context.print_json({"id": result.id, "page": page} | is_new | result.answers)
        return 0
    if client.is_dry_run:
        print("This was a dry run: nothing was changed.", file=sys.stderr)
        return 0
    to = f" --to {quote(arguments.to)}" if arguments.to else ""
    steps = [f"{aim}: app.py {step}{to}" for aim, step in result.next_steps.items()]
    lines = [result.sentence, f"Page: {page}", *steps]
    if client.is_replayed:
        lines.insert(0, "An earlier command with this idempotency key did this:")
    print(*map(escape_line, lines), sep="\n", file=sys.stderr, flush=True)
    if result.is_new:
        print(result.id)
    return 0


def print_list(
    context: CommandContext,
    arguments: Namespace,
    subjects: Sequence[Subject],
    columns: dict[str, str],
    nothing: str,
) -> int:
    """
    Print what was found as JSON or as rows, or the sentence that it is nothing.

    `columns` are the fields by the headings of their columns.
    """
    if arguments.json:
        context.print_json([subject.data for subject in subjects])
    elif subjects:
        rows = [
            [*map(subject.text, columns.values()), ",".join(subject.slugs)]
            for subject in subjects
        ]
        for row in [[*columns, "services"], *rows]:
            print("\t".join(map(escape_line, row)))
    else:
        print(nothing, file=sys.stderr)
    return 0
