"""Declare the pages of the console; the address of a page leads to its module."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any, TypeVar
from urllib.parse import urlencode

from werkzeug.wrappers import Response

CONSOLE = "/console/"
KIB, MIB = 1024, 1024 * 1024
# A form of texts; a document has at most 500,000 characters, of up to 4 bytes each.
MAX_FORM_BYTES = 4 * MIB

PageView = TypeVar("PageView", bound=Callable[..., Response])


@dataclass(frozen=True)
class ConsolePage:
    """A page; its view takes the ConsoleRequest and the parts of the path."""

    method: str
    path: str
    view: Callable[..., Response]
    max_body_bytes: int
    # Takes the parts of the path, and returns the scope without which only a small
    # form is received.
    scope_of: Callable[..., str] | None
    # The operations of which one must be open to the key, for the menu.
    opened_by: tuple[str, ...]

    @property
    def name(self) -> str:
        """The name under which requests are logged and counted."""
        return f"console.{self.view.__name__.replace('_', '-')}"


PAGES: list[ConsolePage] = []


def page(
    route: str,
    *,
    max_body_bytes: int = MAX_FORM_BYTES,
    scope_of: Callable[..., str] | None = None,
    opened_by: tuple[str, ...] = (),
) -> Callable[[PageView], PageView]:
    """
    Declare a page by its method and its path below /console/.

    Parts of the path in angle brackets are parameters of the view.
    """
    method, _, path = route.partition(" ")

    def declare(view: PageView) -> PageView:
        declared = ConsolePage(
            method, CONSOLE + path, view, max_body_bytes, scope_of, opened_by
        )
        PAGES.append(declared)
        return view

    return declare


def declare_pages() -> None:
    """Import every module of the console, which fills PAGES."""
    for module in walk_packages([str(Path(__file__).parent)], "api.console."):
        import_module(module.name)


def address(path: str = "", **query: Any) -> str:
    """Return the address of a page of the console."""
    sent = {name: value for name, value in query.items() if value}
    return CONSOLE + path + (f"?{urlencode(sent, doseq=True)}" if sent else "")
