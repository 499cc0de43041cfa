"""How a command is declared, and what it is given when it runs."""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from models.settings import Settings


@dataclass(frozen=True)
class CommandContext:
    """What a command knows of the world: app.py alone asks for it."""

    settings: Settings
    clock: Callable[[], datetime]
    # What the API says of itself, for pages: its problems, and its description.
    described: Callable[[], tuple[Mapping[str, Any], Mapping[str, Any]]]


Run = Callable[[CommandContext, Namespace], int | None]


def commands_of(parser: ArgumentParser, metavar: str = "COMMAND") -> Any:
    """Return what commands are added to, of which one must be given."""
    return parser.add_subparsers(required=True, metavar=metavar)


def add_command(
    commands: Any, name: str, help: str, run: Run | None = None
) -> ArgumentParser:
    """Add a command that says in a sentence what it does; return it for its options."""
    description = f"{help[0].upper()}{help[1:]}."
    made: ArgumentParser = commands.add_parser(name, help=help, description=description)
    made.set_defaults(run=run)
    return made


def add_json(parser: ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="tell it as JSON")
