"""Decide whether a page's file is up to date, and write the file if it is not."""

import hashlib
import json
from collections.abc import Mapping
from functools import cached_property
from typing import Any, NamedTuple

from models.base import canonical_json
from sitegen.docs.outline import docs_outline
from sitegen.output.folder import OutputFolder
from sitegen.output.manifest import LIVE, ManifestEntry
from sitegen.page import BuildContext, Page
from sitegen.theme.switcher import alternates
from sitegen.urls import REFERENCE, add_site_path


class PageError(Exception):
    """A page could not be rendered; the message is the error of its template."""


class WriteResult(NamedTuple):
    """A page's entry for the manifest, and whether the file differs from before."""

    entry: ManifestEntry
    is_written: bool


class PageWriter:
    """
    Writes the pages of one build.

    A page is written if its fingerprint differs from the one in the manifest. The
    fingerprint covers the page's data and everything that all pages show, so a page
    cannot be forgotten. `before` has the entries of the last build. In a full build
    every page is rendered again.
    """

    def __init__(
        self,
        context: BuildContext,
        folder: OutputFolder,
        before: Mapping[str, ManifestEntry],
        *,
        is_full: bool,
    ) -> None:
        self.folder = folder
        self.before = before
        self.is_full = is_full
        self._context = context
        self._theme = context.theme
        self._languages = context.theme.switcher.languages()

    @cached_property
    def _site(self) -> dict[str, Any]:
        return self._theme.site(self._navigation)

    @cached_property
    def _navigation(self) -> dict[str, Any]:
        """Return what the header and the footer of every page link to."""
        return {
            "collections": [
                {
                    "collection": collection.collection,
                    "title": collection.title,
                    "href": collection.href,
                }
                for collection in docs_outline(self._context).collections
            ],
            "reference": REFERENCE if self._context.openapi else None,
        }

    @cached_property
    def version(self) -> str:
        """Return a digest of what every page depends on: the theme, the navigation."""
        shared = canonical_json([self._theme.version, self._navigation])
        return hashlib.sha256(shared).hexdigest()[:16]

    def fingerprint(self, page: Page) -> bytes:
        """Return a digest of everything that the page's file depends on."""
        parts = [page.digest]
        if page.template:
            languages = [each["language"] for each in self._alternates(page)]
            parts += [self.version, *languages]
        return hashlib.sha256(" ".join(parts).encode()).digest()[:16]

    def _alternates(self, page: Page) -> list[dict[str, str]]:
        """Return the addresses of the same page in all languages that have it."""
        return [] if page.canonical else alternates(self._languages, page.address)

    def _unchanged_entry(self, path: str, fingerprint: bytes) -> ManifestEntry | None:
        """Return the entry of the last build if the file need not be written."""
        entry = self.before.get(path)
        if entry is None or self.is_full or entry.made != fingerprint:
            return None
        return entry if self.folder.has_file(path, entry) else None

    def write(self, page: Page, area: str) -> WriteResult:
        """
        Write the page's file unless it is up to date.

        Raise PageError, and leave the file as it is, if the page cannot be rendered.
        """
        try:
            fingerprint = self.fingerprint(page)
            if unchanged := self._unchanged_entry(page.path, fingerprint):
                return WriteResult(unchanged, is_written=False)
            content = self._render(page)
        except Exception as error:
            raise PageError(f"{type(error).__name__}: {error}") from error
        entry = ManifestEntry.from_content(page.path, content, area, fingerprint)
        # The file is compared itself, since somebody may have changed it.
        is_same = bool(self.before) and self.folder.has_content(page.path, content)
        if not is_same:
            self.folder.write(page.path, content)
        is_written = not is_same or self._differs_from_before(entry, page.path)
        return WriteResult(entry, is_written)

    def _differs_from_before(self, entry: ManifestEntry, path: str) -> bool:
        """
        Return whether readers had another file before this build.

        That can be so although the file is right: a build that died has written it.
        """
        before = self.before.get(path)
        return path != LIVE and (before is None or before.sha256 != entry.sha256)

    def _render(self, page: Page) -> bytes:
        data = page.load_data()
        if isinstance(data, bytes):
            return data
        if page.template is None:
            return _serialize(data)
        metadata = {
            "path": page.address,
            "title": page.title,
            "description": page.description,
            "canonical": self._site["url"] + (page.canonical or page.address),
            "jsonHref": page.json_href,
            "alternates": self._alternates(page),
        }
        variables: dict[str, Any] = {"site": self._site, "page": metadata, "data": data}
        html = self._theme.render(page.template, **variables)
        return add_site_path(html, self._context.settings.site_path).encode()


def _serialize(data: Any) -> bytes:
    if isinstance(data, str):
        return data.encode()
    return (json.dumps(data, ensure_ascii=False, separators=(",", ":")) + "\n").encode()
