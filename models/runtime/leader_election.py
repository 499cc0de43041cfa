"""Elect the server that builds the site, among the servers of one database."""

from collections.abc import Callable
from importlib import import_module
from typing import Any, Protocol

from models.storage.engines.engine import is_postgresql

# Called with the area that was written to, and whether its build may wait.
WakeBuilder = Callable[[str, bool], None]


class Leadership(Protocol):
    """Which server builds, as far as it is known here."""

    @property
    def is_leader(self) -> bool:
        """Return whether this server builds the site."""

    @property
    def is_decided(self) -> bool:
        """Return whether it is known which server builds."""

    @property
    def is_led_elsewhere(self) -> bool:
        """Return whether another server built last, so that the output here is old."""


class LeaderElection(Leadership, Protocol):
    """A server's part in the election; it takes part while this is entered."""

    def notify(self, area: str, is_deferrable: bool) -> None:
        """Notify the leader, after a commit, that an area was written to."""

    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None: ...


class SingleServer:
    """The only server of an SQLite database, which is always the leader."""

    is_leader = True
    is_decided = True
    is_led_elsewhere = False

    def __init__(self, wake_builder: WakeBuilder) -> None:
        self.notify = wake_builder

    def __enter__(self) -> None:
        """There is no election to join."""

    def __exit__(self, *_: object) -> None:
        """There is no election to leave."""


def join_election(address: str, wake_builder: WakeBuilder) -> LeaderElection:
    """Return the election of the database; `wake_builder` is called on the leader."""
    if not is_postgresql(address):
        return SingleServer(wake_builder)
    # The driver is loaded only if it is needed.
    module: Any = import_module("models.storage.engines.postgresql_leader")
    election: LeaderElection = module.PostgresqlLeaderElection(address, wake_builder)
    return election
