"""Define what the commands of the command line receive, and how they fail."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from models.settings import Settings
from models.storage.generation import last_site_url

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
    # Returns the problem types, and a function that creates the OpenAPI document, which
    # takes a second and most of the program.
    describe_api: Callable[
        [], tuple[Mapping[str, Any], Callable[[], Mapping[str, Any]]]
    ]
    print_json: Callable[[object], None]
    # Imports documents into another server; see api/client/document_import.py.
    import_over_api: Callable[..., Any]
    # Takes the name of one item, such as "page".
    show_progress: Callable[[str], Progress]

    def page_settings(self) -> Settings:
        """Return the settings, with the URL at which the site was last served."""
        return (
            with_last_site_url(self.settings) if self.follows_address else self.settings
        )


def with_last_site_url(settings: Settings) -> Settings:
    """Return the settings of pages that another process serves."""
    url = last_site_url(settings.database)
    return replace(settings, site_url=url) if url else settings
