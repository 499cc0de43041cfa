"""What a page is: an address, data and a template; and who yields which pages."""

import hashlib
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import IntEnum
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any, Protocol, TypeVar

from models.base import canonical_json
from models.response_headers import url_path
from models.settings import SettingError, Settings
from sitegen.docs.body_cache import Bodies
from sitegen.theme.theme import Theme


class Rank(IntEnum):
    """The order of writing: no link ever points at nothing."""

    LEAF = 1
    LIST = 2
    LAST = 3


T = TypeVar("T")


class Learned(Protocol):
    """What is found out while a page is made, and is needed after that."""

    def learned(self) -> Any:
        """Return it as JSON."""

    def learn(self, told: Any) -> None:
        """Take it from another process, which has made the page."""


@dataclass(slots=True, eq=False)
class Page:
    """
    One file of the site.

    With a template `data` is what it shows; without one `data` is the file:
    text as it stands, anything else as JSON. `key` stands for the data where
    making it is costly: equal keys promise equal data. Then both are functions.
    """

    path: str
    data: Any
    template: str | None = None
    title: str = ""
    description: str = ""
    twin: str | None = None
    # Where the same is told for good, if not here.
    canonical: str | None = None
    key: Any = None
    rank: Rank = Rank.LEAF
    # The paths that a list links to, where it is told: with these in place it need
    # not wait for the other lists.
    links: Collection[str] = ()
    aside: Learned | None = None
    _digest: str = field(default="", init=False, repr=False)

    def content(self) -> Any:
        return self.data() if callable(self.data) else self.data

    def identity(self) -> Any:
        """Return what the page is told apart by."""
        key = self.key() if callable(self.key) else self.key
        return self.data if key is None else key

    @property
    def digest(self) -> str:
        """
        Return what the page's file is made from, but for the looks, as one word.

        Made once: a page that is yielded again by the next build costs nothing.
        """
        if not self._digest:
            told = self.identity()
            if not isinstance(told, bytes):
                facts = [self.template, self.title, self.description]
                facts += [self.twin, self.canonical]
                told = canonical_json([*facts, told])
            self._digest = hashlib.sha256(told).hexdigest()[:32]
        return self._digest

    @property
    def address(self) -> str:
        return url_path(self.path)

    def learned(self) -> list[Any]:
        """Return what need not be found out again of a page that was made."""
        return [self.digest, self.aside and self.aside.learned()]

    def learn(self, told: list[Any]) -> None:
        """Take what another process has found out, as `learned` tells it there."""
        self._digest, aside = told
        if self.aside is not None:
            self.aside.learn(aside)


class Subject(Protocol):
    """What has pages, all of them leaves."""

    @property
    def pages(self) -> Collection[Page]: ...


class PageBatch(list[Subject]):
    """Many subjects of one kind: a second process may make the pages of some."""


@dataclass(frozen=True)
class BuildContext:
    """What all pages of one build share; pages are made for its `now`."""

    now: datetime
    settings: Settings
    theme: Theme
    bodies: Bodies = field(default_factory=Bodies)
    # What the API refuses with, and its description: handed over by app.py.
    problems: Mapping[str, Any] = field(default_factory=dict)
    openapi: Mapping[str, Any] = field(default_factory=dict)
    # Links that lead nowhere, found while pages are made.
    warnings: list[str] = field(default_factory=list)
    # Links to what is no document, and the warning if nothing turns out to be there.
    leads: list[tuple[str, str]] = field(default_factory=list)
    # What several pages stand on, by the function that reads it: in this build, and
    # in all builds that are given the same memory.
    facts: dict[Any, Any] = field(default_factory=dict)
    memory: dict[Any, Any] = field(default_factory=dict)

    def once(self, read: Callable[["BuildContext"], T]) -> T:
        """Return what the function reads: once for all pages of this build."""
        if read not in self.facts:
            self.facts[read] = read(self)
        found: T = self.facts[read]
        return found

    def always(self, make: Callable[[], T]) -> T:
        """Return what the function makes: once for all builds of this process."""
        if make not in self.memory:
            self.memory[make] = make()
        found: T = self.memory[make]
        return found

    def kept(self, make: Callable[..., T], *facts: Any, of: str = "") -> T:
        """
        Return what the function makes of the facts, the same as long as these are.

        `of` tells apart what one function makes of several things. What is compared
        most often is the same object, which takes no time.
        """
        known = self.memory.get((make, of))
        if known is None or known[0] != facts:
            known = self.memory[make, of] = (facts, make(*facts))
        found: T = known[1]
        return found


# A function has at most one row.
Pages = Callable[[BuildContext], Iterator[Page | PageBatch]]
PAGES: dict[str, list[Pages]] = {}
# Who yields what readers wait for, and is asked before all others.
FIRST: set[Pages] = set()
# Who yields a row that needs nothing but the database: it is made by another process
# from the beginning of a build on, and here comes after all other leaves.
APART: set[Pages] = set()
# Who yields pages of which the first that is made costs as much as all of them: it is
# worked out while another process makes other pages.
COSTLY: set[Pages] = set()

# Pages that stand on facts of every area; they are few and made in every build.
SHARED = "shared"


def declare_pages() -> None:
    """Import every module of this package: that is what declares the pages."""
    for module in walk_packages([str(Path(__file__).parent)], "sitegen."):
        import_module(module.name)


def build_contexts(
    settings: Settings, problems: Mapping[str, Any], openapi: Mapping[str, Any]
) -> Callable[[datetime], BuildContext]:
    """Return what gives the edition of an instant; templates are read once."""
    if settings.templates and not Path(settings.templates).is_dir():
        raise SettingError(
            f"MASTHEAD_TEMPLATES: there is no folder {settings.templates}."
        )
    declare_pages()
    bodies, theme = Bodies(), Theme(settings)
    memory: dict[Any, Any] = {}
    return lambda now: BuildContext(
        now=now,
        settings=settings,
        theme=theme,
        bodies=bodies,
        memory=memory,
        problems=problems,
        openapi=openapi,
    )


def pages(
    area: str, *, first: bool = False, costly: bool = False, apart: bool = False
) -> Callable[[Pages], Pages]:
    """Declare a function that yields all pages of one kind in this area."""

    def declare(function: Pages) -> Pages:
        PAGES.setdefault(area, []).append(function)
        if first:
            FIRST.add(function)
        if costly:
            COSTLY.add(function)
        if apart:
            APART.add(function)
        return function

    return declare
