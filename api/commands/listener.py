"""Read the options of a server from the command line, and listen on its address."""

import errno
import socket
from argparse import ArgumentParser, Namespace
from dataclasses import replace
from time import monotonic, sleep
from typing import Any

from models.runtime.commands import CommandContext, CommandError
from models.settings import Settings, find_problem

REMEDIES = {
    errno.EADDRINUSE: "Stop what listens there, or choose another port with --port.",
    errno.EACCES: "Choose a port above 1023 with --port.",
}
OTHER_REMEDY = "Choose an address of this machine with --host."
# For how long a port that is taken is tried again.
TAKEN_SECONDS = 1.0


def add_server_options(parser: ArgumentParser) -> None:
    parser.add_argument("--host", help="address to listen on (default: MASTHEAD_HOST)")
    parser.add_argument(
        "--port", type=int, help="port to listen on (default: MASTHEAD_PORT)"
    )
    parser.add_argument(
        "--processes",
        type=int,
        metavar="N",
        help="processes that serve the API (default: MASTHEAD_PROCESSES)",
    )


def with_options(context: CommandContext, arguments: Namespace) -> CommandContext:
    """Return the context with the server's options; its URL follows the address."""
    options: dict[str, Any] = {
        name: getattr(arguments, name) for name in ("host", "port", "processes")
    }
    options = {name: value for name, value in options.items() if value is not None}
    for name, value in options.items():
        if problem := find_problem(name, value):
            raise CommandError(f"--{name} {problem}.")
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
    """
    Bind the port; raise CommandError if it is not available.

    The processes of a server that was killed end within a moment, so a port that is
    taken is tried again until then.
    """
    deadline = monotonic() + TAKEN_SECONDS
    while True:
        try:
            return _bind(settings)
        except OSError as error:
            if error.errno == errno.EADDRINUSE and monotonic() < deadline:
                sleep(0.05)
                continue
            # Python appends the address to the text of the system.
            reason = str(error.strerror).partition(" (")[0]
            raise CommandError(
                f"Cannot listen on {settings.host}:{settings.port}: {reason}."
                f" {REMEDIES.get(error.errno or 0, OTHER_REMEDY)}"
            ) from error


def _bind(settings: Settings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    return socket.create_server((settings.host, settings.port), family=family)
