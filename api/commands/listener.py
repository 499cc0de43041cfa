"""Choose the address of a server on the command line, and listen on it."""

import socket
from argparse import ArgumentParser, Namespace
from dataclasses import replace

from models.runtime.commands import CommandContext, CommandError
from models.settings import Settings


def add_address_options(parser: ArgumentParser) -> None:
    parser.add_argument("--host", help="address to listen on (default: MASTHEAD_HOST)")
    parser.add_argument(
        "--port", type=int, help="port to listen on (default: MASTHEAD_PORT)"
    )


def with_address(context: CommandContext, arguments: Namespace) -> CommandContext:
    """Return the context with the address of the options in its settings."""
    options = {"host": arguments.host, "port": arguments.port}
    options = {name: value for name, value in options.items() if value is not None}
    return replace(context, settings=replace(context.settings, **options))


def open_listener(settings: Settings) -> socket.socket:
    """Bind the port; raise CommandError if it is not available."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    try:
        return socket.create_server((settings.host, settings.port), family=family)
    except OSError as error:
        raise CommandError(
            f"Cannot listen on {settings.host}:{settings.port}: {error.strerror}."
            " Choose another port with --port."
        ) from error
