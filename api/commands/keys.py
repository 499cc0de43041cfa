"""The commands `keys …`: create the first admin key, list keys, check a secret."""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from datetime import datetime, timedelta

from pydantic import ValidationError

from api.operation import declare_operations, operation_scopes
from models import audit
from models.instants import next_instant
from models.platform import key_inventory
from models.platform.key_inventory import InventoriedKey
from models.platform.keys import CreateKey, has_keys, issue_key
from models.platform.scopes import scope_warning, unknown_scopes
from models.runtime.commands import CommandContext, CommandError
from models.runtime.startup import open_existing_instance, open_instance
from models.storage.database import reading, writing
from models.storage.write_locks import WriteLock

HELP = "create, list and check API keys"

COMMANDS = {
    "bootstrap": "create the first admin key and print its secret",
    "list": "list the keys and when each was last used",
    "check": "check a secret from standard input",
    "stale": "list the active keys that have not been used for a while",
}


def declare(parser: ArgumentParser) -> None:
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    parsers = {
        name: commands.add_parser(name, help=help, description=help.capitalize() + ".")
        for name, help in COMMANDS.items()
    }
    _declare_bootstrap(parsers["bootstrap"])
    parsers["list"].set_defaults(run=list_keys)
    parsers["check"].set_defaults(run=check_key)
    parsers["stale"].set_defaults(run=list_stale_keys)
    parsers["stale"].add_argument(
        "--days", type=int, default=90, help="days without use (default: 90)"
    )
    for name in ("list", "check", "stale"):
        parsers[name].add_argument(
            "--json", action="store_true", help="print the result as JSON"
        )


def _declare_bootstrap(parser: ArgumentParser) -> None:
    parser.set_defaults(run=bootstrap)
    parser.add_argument(
        "--email", required=True, help="e-mail address of the key's owner"
    )
    parser.add_argument(
        "--scope", action="append", help="scope of the key (default: *); repeatable"
    )
    parser.add_argument(
        "--force", action="store_true", help="create a key even if keys exist"
    )


def bootstrap(context: CommandContext, arguments: Namespace) -> None:
    now = context.clock()
    open_instance(context.settings, now)
    with reading():
        has_key = has_keys()
    if has_key and not arguments.force:
        raise CommandError("Keys already exist. Use --force to create another one.")
    if "@" not in arguments.email[1:-1]:
        raise CommandError(
            "--email must be an e-mail address: the audit log will name it."
        )
    scopes = arguments.scope or ["*"]
    secret = issue_admin_key(arguments.email, scopes, "Bootstrap key", now)
    print(
        f"Issued to {arguments.email}. The secret is shown only once; keep it safe.",
        file=sys.stderr,
    )
    declare_operations()
    if warning := scope_warning(scopes, operation_scopes()):
        print(warning, file=sys.stderr)
    print(secret)


def issue_admin_key(email: str, scopes: list[str], name: str, now: datetime) -> str:
    """Issue a key without a call to the API, and return its secret."""
    try:
        request = CreateKey(name=name, scopes=scopes)
    except ValidationError as error:
        message = error.errors()[0]["msg"].removeprefix("Value error, ")
        raise CommandError(f"--scope: {message}") from error
    with writing(WriteLock.PLATFORM):
        now = next_instant("platform", now)
        key, secret = issue_key(request, now, issuer=email)
        audit.append(
            "platform",
            actor=email,
            action="add",
            target=key.audited,
            now=now,
            detail="by the command line",
        )
    return secret.text


def list_keys(context: CommandContext, arguments: Namespace) -> None:
    now = context.clock()
    open_existing_instance(context.settings, now)
    with reading():
        _print_keys(key_inventory.all_keys(now), context, arguments)


def list_stale_keys(context: CommandContext, arguments: Namespace) -> None:
    if not 0 <= arguments.days <= 3650:
        raise CommandError("--days must be from 0 to 3650.")
    now = context.clock()
    open_existing_instance(context.settings, now)
    unused_since = now - timedelta(days=arguments.days)
    with reading():
        _print_keys(key_inventory.stale_keys(now, unused_since), context, arguments)


def _print_keys(
    keys: Iterable[InventoriedKey], context: CommandContext, arguments: Namespace
) -> None:
    keys = list(keys)
    declare_operations()
    operations = operation_scopes()
    if arguments.json:
        records = [
            key.to_json() | {"unknownScopes": unknown_scopes(key.scopes, operations)}
            for key in keys
        ]
        context.print_json(records)
    else:
        print(*key_inventory.key_table(keys, operations), sep="\n")


def check_key(context: CommandContext, arguments: Namespace) -> int:
    """Check a secret; read from standard input, since other users see arguments."""
    open_existing_instance(context.settings, context.clock())
    secret = sys.stdin.readline().strip()
    with reading():
        is_active, messages = key_inventory.diagnose_secret(secret, context.clock())
    if arguments.json:
        context.print_json({"opens": is_active, "told": messages})
    else:
        print(*messages, sep="\n")
    return 0 if is_active else 1
