"""Define what a page is, how functions declare pages, and what a build shares."""

import hashlib
from collections.abc import (
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
)
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import IntEnum
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any, NamedTuple, TypeVar

from models.base import canonical_json
from models.locale_checks import check_locales
from models.locales import available_languages
from models.settings import SettingError, Settings
from models.site_addresses import url_path
from sitegen.docs.body_cache import BodyCache
from sitegen.theme.site_theme import site_theme
from sitegen.theme.switcher import read_switcher
from sitegen.theme.theme import Theme

T = TypeVar("T")


class Stage(IntEnum):
    """
    When the pages of a generator are written; a build goes through these in order.

    A page is written after the pages that it links to, so that no reader follows a
    link to a page that does not exist yet.
    """

    # What readers wait for during an incident.
    URGENT = 1
    # Files that pages show.
    FILES = 2
    PAGES = 3
    # Pages that link to many others: indexes, feeds, sitemaps.
    LISTS = 4
    # Pages that link to lists, and redirects.
    ENTRY_POINTS = 5


@dataclass(slots=True, eq=False)
class Page:
    """
    One file of the site.

    With a template, `data` is what the template shows. Without one, `data` is the
    content of the file: text and bytes are written unchanged, anything else as JSON.
    If computing the data is expensive, `data` is a function, and `key` stands for the
    data: equal keys promise equal data. `key` may be a function, too.
    """

    path: str
    data: Any
    template: str | None = None
    title: str = ""
    description: str = ""
    # The address of the same page as JSON.
    json_href: str | None = None
    # The address of the canonical page, if it is not this one.
    canonical: str | None = None
    key: Any = None
    # Paths that this page links to and that must exist before it is written. While one
    # is missing, the page waits for the lists. Among KeyedPages, theirs count instead.
    requires: Collection[str] = ()
    _digest: str = field(default="", init=False, repr=False)

    def load_data(self) -> Any:
        return self.data() if callable(self.data) else self.data

    @property
    def digest(self) -> str:
        """
        Return a digest of everything the file depends on, except the theme.

        It is computed once: a page object that later builds yield again costs nothing.
        """
        if not self._digest:
            self._digest = hashlib.sha256(self._identity()).hexdigest()[:32]
        return self._digest

    def _identity(self) -> bytes:
        key = self.key() if callable(self.key) else self.key
        if key is None:
            key = self.data
        if isinstance(key, bytes):
            return key
        metadata = [self.template, self.title, self.description]
        return canonical_json([*metadata, self.json_href, self.canonical, key])

    @property
    def address(self) -> str:
        return url_path(self.path)


@dataclass(frozen=True, slots=True)
class KeyedPages:
    """
    Pages that are made only if the last build made them of something else.

    `key` is what they are made of, or versions of that: equal keys promise equal
    pages. So what did not change is not even read. `name` is unique within the area.
    The process remembers the keys; another one makes all pages and compares them.
    """

    name: str
    key: Any
    make: Callable[[], Iterable[Page]]
    # Returns such paths as of a page. Nothing is made while the pages wait.
    requires: Callable[[], Iterable[str]] = tuple


class MadePages(NamedTuple):
    """What the last build made of KeyedPages."""

    key: Any
    paths: tuple[str, ...]


# What a generator yields.
Item = Page | KeyedPages


@dataclass(frozen=True)
class BuildContext:
    """What all pages of one build share; the site is built as of `now`."""

    now: datetime
    settings: Settings
    theme: Theme
    bodies: BodyCache = field(default_factory=BodyCache)
    # The problem types and the OpenAPI document of the API, passed in by app.py.
    problems: Mapping[str, Any] = field(default_factory=dict)
    openapi: Mapping[str, Any] = field(default_factory=dict)
    # Broken links and other findings.
    warnings: list[str] = field(default_factory=list)
    # Links to files that are not documents: the address, and the warning to give if
    # nothing exists there at the end of the build.
    unchecked_links: list[tuple[str, str]] = field(default_factory=list)
    # Results of functions: for this build, and for all builds that share this cache.
    build_cache: dict[Any, Any] = field(default_factory=dict)
    process_cache: dict[Any, Any] = field(default_factory=dict)
    # Without a clock, time stands still during a build.
    clock: Callable[[], datetime] | None = None

    def renewed(self) -> "BuildContext":
        """Return this context as of now, for a build that reads everything again."""
        now = self.clock() if self.clock else self.now
        return replace(self, now=now, build_cache={})

    def once_per_build(self, read: Callable[["BuildContext"], T]) -> T:
        """Return the result of the function, which is called once in this build."""
        if read not in self.build_cache:
            self.build_cache[read] = read(self)
        result: T = self.build_cache[read]
        return result

    def once_per_process(self, create: Callable[[], T]) -> T:
        """Return the result of the function, which is called once in this process."""
        if create not in self.process_cache:
            self.process_cache[create] = create()
        result: T = self.process_cache[create]
        return result

    def memoize(self, compute: Callable[..., T], *arguments: Any, name: str = "") -> T:
        """
        Return the function's result, the same object while the arguments are equal.

        Only the last result for each function and name is cached, across builds.
        Comparing arguments that are the same objects takes no time.
        """
        cached = self.process_cache.get((compute, name))
        if cached is None or cached[0] != arguments:
            cached = (arguments, compute(*arguments))
            self.process_cache[compute, name] = cached
        result: T = cached[1]
        return result


GeneratorFunction = Callable[[BuildContext], Iterator[Item]]


@dataclass(frozen=True)
class PageGenerator:
    """A function that yields all pages of one kind, as `@pages` declared it."""

    function: GeneratorFunction
    area: str
    stage: Stage = Stage.PAGES


GENERATORS: dict[str, list[PageGenerator]] = {}

# Packages without pages, which would take long to import.
WITHOUT_PAGES = tuple(
    f"sitegen.{name}."
    for name in ("builder", "commands", "export", "output.publishing", "sources")
)


def pages(
    area: str, stage: Stage = Stage.PAGES
) -> Callable[[GeneratorFunction], GeneratorFunction]:
    """Declare a function that yields all pages of one kind."""

    def declare(function: GeneratorFunction) -> GeneratorFunction:
        generator = PageGenerator(function, area, stage)
        GENERATORS.setdefault(area, []).append(generator)
        return function

    return declare


def load_generators() -> None:
    """Import the modules of this package, so that they declare their pages."""
    for module in walk_packages([str(Path(__file__).parent)], "sitegen."):
        if not module.name.startswith(WITHOUT_PAGES):
            import_module(module.name)


def require_templates(settings: Settings) -> None:
    """Raise SettingError if a file that settings name is missing, or is wrong."""
    if settings.templates and not Path(settings.templates).is_dir():
        raise SettingError(
            f"MASTHEAD_TEMPLATES: there is no folder {settings.templates}."
        )
    check_locales(settings.templates)
    languages = available_languages(settings.templates)
    if settings.language not in languages:
        raise SettingError(
            f"MASTHEAD_LANGUAGE must be one of {', '.join(languages)}: there is no file"
            f" locales/{settings.language}.json."
        )
    read_switcher(settings)


def context_factory(
    settings: Settings,
    problems: Mapping[str, Any],
    openapi: Mapping[str, Any],
    clock: Callable[[], datetime],
) -> Callable[[], BuildContext]:
    """Return a function that creates the context of a build; templates load once."""
    require_templates(settings)
    load_generators()
    bodies, theme = BodyCache(), site_theme(settings)
    # Made now, so that processes that are forked later share what this takes.
    _ = theme.version
    process_cache: dict[Any, Any] = {}
    return lambda: BuildContext(
        now=clock(),
        settings=settings,
        theme=theme,
        bodies=bodies,
        process_cache=process_cache,
        problems=problems,
        openapi=openapi,
        clock=clock,
    )
