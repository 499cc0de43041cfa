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
    """Return the context with the address of the options, which its URL follows."""
    options = {"host": arguments.host, "port": arguments.port}
    options = {name: value for name, value in options.items() if value is not None}
    if context.follows_address:
        options["site_url"] = ""
    return replace(context, settings=replace(context.settings, **options))


def site_url_warning(context: CommandContext) -> str | None:
    """Return what to say if no reader elsewhere can use the links of the site."""
    settings = context.settings
    if not (context.follows_address and settings.listens_on_all_addresses):
        return None
    return (
        f"Absolute links of the site begin with {settings.site_url}, which only this"
        " machine can reach, since the server listens on all addresses. Set"
        " MASTHEAD_SITE_URL to the URL that readers use."
    )


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
