"""Generate the files that documents show, each at an address of its content."""

from collections.abc import Iterator
from functools import partial

from models.projects.files.contents import read_content
from models.projects.files.pins import PinnedFile
from sitegen.docs.published_files import PublishedFiles, published_files
from sitegen.page import BuildContext, Page, Stage, pages


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
            path: before.get(path) or _page(path, file)
            for path, file in files.paths.items()
        }
        yield from self._pages.values()


def _page(path: str, file: PinnedFile) -> Page:
    return Page(path, partial(_content, file.digest), key=file.digest)


def _content(digest: str) -> bytes:
    return b"".join(read_content(digest))
