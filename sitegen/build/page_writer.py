"""How one page becomes a file, unless its file stands already."""

import hashlib
import json
from collections.abc import Mapping
from functools import cached_property
from typing import Any, NamedTuple

from models.base import canonical_json
from sitegen.docs.collections import docs_collections
from sitegen.output.folder import Folder
from sitegen.output.manifest import LIVE, Entry
from sitegen.page import BuildContext, Page


class PageError(Exception):
    """A page cannot be made: why, in the words of what its template raised."""


class Made(NamedTuple):
    """A file as the manifest tells it, and whether it is another than before."""

    entry: Entry
    is_written: bool


class Maker:
    """
    Makes the pages of one build; `before` is what stood when it began.

    If the build is full every page is made again.
    """

    def __init__(
        self,
        context: BuildContext,
        folder: Folder,
        before: Mapping[str, Entry],
        *,
        is_full: bool,
    ) -> None:
        self.folder = folder
        self.before = before
        self.is_full = is_full
        self._edition = context
        self._looks = context.theme
        self._begun = False

    @cached_property
    def _site(self) -> dict[str, Any]:
        return self._looks.site(_navigation(self._edition))

    @cached_property
    def version(self) -> str:
        """Name what every page shows; it is found out at the first page."""
        return _digest([self._looks.version, self._site["collections"]])[:16]

    def made(self, page: Page, area: str) -> Made:
        """
        Make one page true, unless it is already.

        Raise PageError, and leave its file as it is, when it cannot be made.
        """
        try:
            # Asked for first: with it a page learns what its content needs.
            made_from = self._made_from(page)
            if before := self._standing(page.path, made_from):
                return Made(before, is_written=False)
            content = self._content(page)
        except Exception as error:
            raise PageError(f"{type(error).__name__}: {error}") from error
        entry = Entry.of(page.path, content, area, made_from)
        # Read and not believed: a file is small, and somebody may have been at it.
        has_it = bool(self.before) and self.folder.has(page.path, content)
        if not has_it:
            self.begin()
            self.folder.write(page.path, content)
        return Made(entry, is_written=not has_it or self._differs(entry, page.path))

    def _differs(self, entry: Entry, path: str) -> bool:
        """
        Tell whether readers had something else before.

        They may have where the file is right already: a worker that died wrote it.
        """
        before = self.before.get(path)
        return path != LIVE and (before is None or before.sha256 != entry.sha256)

    @property
    def is_trusted(self) -> bool:
        """Tell whether `before` is what the manifest says."""
        known = self.folder.known()
        return known is not None and known.entries is self.before

    def begin(self) -> None:
        """Note in the folder, before it is touched, that a build is under way."""
        if not self._begun:
            self.folder.begin()
            self._begun = True

    def stands(self, page: Page) -> bool:
        """Tell whether the page's file is as the page is."""
        return self._standing(page.path, self._made_from(page)) is not None

    def _standing(self, path: str, made_from: str) -> Entry | None:
        before = self.before.get(path)
        if before is None or self.is_full or before.made != made_from:
            return None
        return before if self.folder.holds(path, before) else None

    def _made_from(self, page: Page) -> str:
        return f"{page.digest} {self.version}" if page.template else page.digest

    def _content(self, page: Page) -> bytes:
        data = page.content()
        if isinstance(data, bytes):
            return data
        if page.template is None:
            return _told(data)
        told = {
            "path": page.address,
            "title": page.title,
            "description": page.description,
            "canonical": self._site["url"] + (page.canonical or page.address),
            "twin": page.twin,
        }
        names: dict[str, Any] = {"site": self._site, "page": told, "data": data}
        return self._looks.render(page.template, **names).encode()


def _digest(told: Any) -> str:
    return hashlib.sha256(canonical_json(told)).hexdigest()


def _navigation(context: BuildContext) -> list[dict[str, str]]:
    """The collections that have pages, as every page's header shows them."""
    return [
        {"collection": each.collection, "title": each.title, "href": each.href}
        for each in docs_collections(context)
    ]


def _told(data: Any) -> bytes:
    if isinstance(data, str):
        return data.encode()
    return (json.dumps(data, ensure_ascii=False, separators=(",", ":")) + "\n").encode()
