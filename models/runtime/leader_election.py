"""The servers that write to one database: who of them builds, and what they tell."""

from collections.abc import Callable
from importlib import import_module
from typing import Any, Protocol

from models.storage.engines.engine import is_served

# Called with an area that was written to, and whether its page may wait.
Woken = Callable[[str, bool], None]


class Hosts(Protocol):
    """What a server knows of the others; entered while it runs."""

    @property
    def is_builder(self) -> bool:
        """Tell whether this server is the one that builds the site."""

    @property
    def is_elsewhere(self) -> bool:
        """Tell whether another one built last, so that what stands here is old."""

    def tell(self, area: str, is_quiet: bool) -> None:
        """Say after a commit that an area was written to: whoever builds wakes."""

    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None: ...


class Alone:
    """A server whose database is a file: nobody is told, and it builds."""

    is_builder = True
    is_elsewhere = False

    def __init__(self, woken: Woken) -> None:
        self.tell = woken

    def __enter__(self) -> None:
        """There is nobody to look for."""

    def __exit__(self, *_: object) -> None:
        """There is nobody to leave."""


def hosts_of(address: str, woken: Woken) -> Hosts:
    """Return the servers of the database; `woken` is called where the site is built."""
    if not is_served(address):
        return Alone(woken)
    found: Any = import_module("models.storage.engines.postgresql_leader")
    hosts: Hosts = found.Fellows(address, woken)
    return hosts
