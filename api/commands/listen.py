"""Where a command that serves listens: its options, and its socket."""

import socket
from argparse import ArgumentParser, Namespace
from dataclasses import replace

from models.commands.declaring import CommandContext
from models.commands.ending import CommandError
from models.settings import Settings


def add_address(parser: ArgumentParser) -> None:
    parser.add_argument("--host", help="address to listen on (MASTHEAD_HOST)")
    parser.add_argument("--port", type=int, help="port (MASTHEAD_PORT)")


def addressed(given: CommandContext, arguments: Namespace) -> CommandContext:
    """Return it with the address that was asked for, in place of the settings'."""
    said = {"host": arguments.host, "port": arguments.port}
    said = {name: value for name, value in said.items() if value is not None}
    return replace(given, settings=replace(given.settings, **said))


def listening(settings: Settings) -> socket.socket:
    """Take the port before anything else is done."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    try:
        return socket.create_server((settings.host, settings.port), family=family)
    except OSError as error:
        raise CommandError(
            f"Cannot listen on {settings.host}:{settings.port}: {error.strerror}."
            " Choose another with --port."
        ) from error
