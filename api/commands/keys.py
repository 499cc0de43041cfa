"""The commands `keys …`: the first admin key, and which keys there are."""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from datetime import datetime, timedelta

from pydantic import ValidationError

from models import audit
from models.commands.declaring import CommandContext, add_command, add_json, commands_of
from models.commands.ending import CommandError
from models.commands.opening import open_existing, open_instance
from models.commands.telling import print_json
from models.platform import key_inventory
from models.platform.key_inventory import InventoriedKey
from models.platform.keys import CreateKey, has_keys, issue_key
from models.storage.database import reading, writing


def declare(parser: ArgumentParser) -> None:
    keys = commands_of(parser)
    made = add_command(keys, "bootstrap", "issue the first admin key", bootstrap)
    made.add_argument("--email", required=True, help="who answers for the key")
    made.add_argument("--scope", action="append", help="instead of *; repeatable")
    made.add_argument("--force", action="store_true", help="although there are keys")
    told = "list the keys and when each was last used"
    add_json(add_command(keys, "list", told, list_keys))
    told = "tell what a secret from standard input is"
    add_json(add_command(keys, "check", told, check_key))
    made = add_command(keys, "stale", "list active keys out of use", list_stale_keys)
    made.add_argument("--days", type=int, default=90, help="not used for so long (90)")
    add_json(made)


def bootstrap(given: CommandContext, arguments: Namespace) -> None:
    now = given.clock()
    open_instance(given.settings, now)
    with reading():
        has_key = has_keys()
    if has_key and not arguments.force:
        raise CommandError("There are keys already. Repeat with --force for one more.")
    if "@" not in arguments.email[1:-1]:
        raise CommandError("--email must be an e-mail address: audits will name it.")
    secret = issue_admin(
        arguments.email, arguments.scope or ["*"], "Bootstrap key", now
    )
    print(
        f"Issued to {arguments.email}. It is shown once; keep it safe.", file=sys.stderr
    )
    print(secret)


def issue_admin(email: str, scopes: list[str], name: str, now: datetime) -> str:
    """Issue a key that nobody of the API has asked for; return its secret."""
    try:
        wanted = CreateKey(name=name, scopes=scopes)
    except ValidationError as error:
        told = error.errors()[0]["msg"].removeprefix("Value error, ")
        raise CommandError(f"--scope: {told}") from error
    with writing():
        key, secret = issue_key(wanted, now, issuer=email)
        audit.append(
            "platform",
            actor=email,
            action="add",
            target=key.audited,
            now=now,
            detail="by the command line",
        )
    return secret.text


def list_keys(given: CommandContext, arguments: Namespace) -> None:
    now = given.clock()
    open_existing(given.settings, now)
    with reading():
        _print_keys(key_inventory.all_keys(now), arguments)


def list_stale_keys(given: CommandContext, arguments: Namespace) -> None:
    if not 0 <= arguments.days <= 3650:
        raise CommandError("--days must be from 0 to 3650.")
    now = given.clock()
    open_existing(given.settings, now)
    with reading():
        _print_keys(
            key_inventory.stale_keys(now, now - timedelta(days=arguments.days)),
            arguments,
        )


def _print_keys(keys: Iterable[InventoriedKey], arguments: Namespace) -> None:
    if arguments.json:
        print_json([each.to_json() for each in keys])
    else:
        print(*key_inventory.key_table(keys), sep="\n")


def check_key(given: CommandContext, arguments: Namespace) -> int:
    """From standard input: what stands on a command line is seen by others."""
    open_existing(given.settings, given.clock())
    secret = sys.stdin.readline().strip()
    with reading():
        opens, told = key_inventory.diagnose_secret(secret, given.clock())
    if arguments.json:
        print_json({"opens": opens, "told": told})
    else:
        print(*told, sep="\n")
    return 0 if opens else 1
