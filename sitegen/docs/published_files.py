"""Publish the files that documents show, each at an address of its content."""

from collections.abc import Iterator, Mapping
from functools import partial
from urllib.parse import unquote

from models.projects.documents.published import PublishedPage
from models.projects.files.contents import read_content
from models.projects.files.names import candidate_names
from models.projects.files.pins import PinnedFile, published_pins
from models.site_addresses import without_query
from sitegen.page import BuildContext, Page, Stage, pages


class PublishedFiles:
    """What the publication of each document has pinned, by document and name."""

    def __init__(self, pins: Mapping[str, Mapping[str, PinnedFile]]) -> None:
        self.pins = pins
        self._by_href = {
            f"/{file_path(file)}": file
            for files in pins.values()
            for file in files.values()
        }

    @property
    def paths(self) -> dict[str, PinnedFile]:
        """Return each file once, by its path on the site."""
        return {href[1:]: file for href, file in sorted(self._by_href.items())}

    def resolve(self, document: PublishedPage, target: str) -> str | None:
        """Return the address of the file that a target in the document means."""
        files = self.pins.get(document.id)
        if not files or target.startswith("#"):
            return None
        raw_path = without_query(target)
        fragment = target[len(raw_path) :].partition("#")[2]
        names = candidate_names(
            unquote(raw_path), document.source_tree, document.source_path
        )
        name = next((name for name in names if name in files), None)
        if name is None:
            return None
        href = f"/{file_path(files[name])}"
        return f"{href}#{fragment}" if fragment else href

    def picture_size(self, href: str) -> tuple[int, int] | None:
        """Return the width and height of the picture at an address, if it is one."""
        file = self._by_href.get(without_query(href))
        if file is None or file.width is None or file.height is None:
            return None
        return file.width, file.height


def published_files(context: BuildContext) -> PublishedFiles:
    return context.once_per_build(_read)


def _read(_: BuildContext) -> PublishedFiles:
    return PublishedFiles(published_pins())


def file_path(file: PinnedFile) -> str:
    """Return the path on the site, which no other content ever has."""
    return f"files/{file.digest}/{file.name.rpartition('/')[2]}"


@pages("docs", Stage.FILES)
def files(context: BuildContext) -> Iterator[Page]:
    """Every file that a published document shows."""
    yield from context.once_per_process(_FilePages).pages(published_files(context))


class _FilePages:
    """The pages of the last build; a content never changes, so they stay the same."""

    def __init__(self) -> None:
        self._pages: dict[str, Page] = {}

    def pages(self, files: PublishedFiles) -> Iterator[Page]:
        before = self._pages
        self._pages = {
            path: before.get(path)
            or Page(path, partial(_content, file.digest), key=file.digest)
            for path, file in files.paths.items()
        }
        yield from self._pages.values()


def _content(digest: str) -> bytes:
    return b"".join(read_content(digest))
