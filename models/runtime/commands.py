"""Define what the commands of the command line receive, and how they fail."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from peewee import PeeweeException

from models.errors import StorageBusy
from models.instance import last_site_url
from models.settings import Settings
from models.storage.database import database_exists, open_database, reading

# The exit codes that a shell expects after Ctrl+C and after SIGPIPE: 128 plus the
# number of the signal.
INTERRUPTED, BROKEN_PIPE = 130, 141

# Yields the items of an iterable unchanged, and reports how many have passed.
Progress = Callable[[Iterable[Any]], Iterable[Any]]


class CommandError(Exception):
    """The command cannot do what was requested; the message says why."""


@dataclass(frozen=True)
class CommandContext:
    """What app.py hands to a command when it runs the command."""

    settings: Settings
    # MASTHEAD_SITE_URL is not set.
    follows_address: bool
    clock: Callable[[], datetime]
    # Returns the problem types and the OpenAPI document.
    describe_api: Callable[[], tuple[Mapping[str, Any], Mapping[str, Any]]]
    print_json: Callable[[object], None]
    # Imports documents into another server; see api/client/document_import.py.
    import_over_api: Callable[..., Any]
    # Returns what renders messages to subscribers; see sitegen/messages/renderer.py.
    message_renderer: Callable[[Settings], Callable[..., bytes]]
    # Takes the name of one item, such as "page".
    show_progress: Callable[[str], Progress]

    def page_settings(self) -> Settings:
        """Return the settings, with the URL at which the site was last served."""
        settings = self.settings
        # A database that cannot be read is the concern of what the command does next.
        with suppress(OSError, PeeweeException, StorageBusy):
            if self.follows_address and database_exists(settings.database):
                open_database(settings.database)
                with reading():
                    return replace(settings, site_url=last_site_url() or "")
        return settings
