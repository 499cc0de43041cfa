"""Rendered documents: taken from where they are kept, rendered where they lack."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import chain

from models.errors import StorageBusy
from models.projects.documents.publication_history import (
    EarlierRevision,
    earlier_published_revisions,
)
from models.projects.documents.published import PublishedPage, published_documents
from models.projects.documents.rendered_bodies import (
    RenderedBody,
    delete_unused_bodies,
    store_bodies,
    stored_bodies,
)
from models.projects.documents.site_preview import RenderInput
from models.storage.database import reading
from sitegen.markdown.parser import RENDERER_VERSION, SOURCE_TAG, render

# So many that were rendered wait in memory until they are kept.
MANY = 100


def body_key(text: RenderInput) -> str:
    """Name what a text renders to; another renderer gives another name."""
    told = f"{RENDERER_VERSION}\n{text.digest}\n{text.title}"
    return hashlib.sha256(told.encode()).hexdigest()


def body_of(text: RenderInput, content: str) -> RenderedBody:
    made = render(below_title(text.title, content))
    headings = [(each.level, each.id, each.text) for each in made.headings]
    return RenderedBody.of(body_key(text), made.links, headings, made.html)


def is_as_written(body: RenderedBody) -> bool:
    """Tell whether the text asks for more than a page may, and is shown as text."""
    return (
        not body.links
        and body.headings_json == "[]"
        and body.html_starts_with(SOURCE_TAG)
    )


def below_title(title: str, content: str) -> str:
    """Return the content without a first line that says the title again."""
    first, _, rest = content.lstrip("\n").partition("\n")
    repeats = first.removeprefix("# ").strip() == title
    return rest if repeats and first.startswith("# ") else content


class Bodies:
    """
    The bodies of documents, by what they are rendered from.

    The build reads from one snapshot, in which nothing can be written: a thread puts
    down what was rendered, many at a time, and `keeping` the last of them.
    """

    def __init__(self) -> None:
        self._fresh: dict[str, RenderedBody] = {}
        # What is being put down: the snapshot will not show it.
        self._leaving: dict[str, RenderedBody] = {}
        self._thread: ThreadPoolExecutor | None = None

    def load(self, documents: Sequence[PublishedPage]) -> dict[str, RenderedBody]:
        """Return what is kept, by document."""
        keys = {each.id: body_key(each) for each in documents}
        kept = stored_bodies(list(keys.values()))
        return {id: kept[key] for id, key in keys.items() if key in kept}

    def of(self, text: RenderInput, content: Callable[[], str]) -> RenderedBody:
        """Return the body of a text that was not kept, rendered once."""
        key = body_key(text)
        body = self._fresh.get(key) or self._leaving.get(key)
        if body is None:
            body = self._fresh[key] = body_of(text, content())
            if len(self._fresh) >= MANY:
                self._put_down()
        return body

    def _put_down(self) -> None:
        """Have kept what is fresh; the next time it is forgotten here."""
        self._thread = self._thread or ThreadPoolExecutor(1)
        self._leaving, self._fresh = self._fresh, {}
        self._thread.submit(self._keep, self._leaving)

    def _keep(self, bodies: dict[str, RenderedBody]) -> None:
        # What cannot be kept now is at the end of the next build.
        try:
            store_bodies(bodies.values())
        except StorageBusy:
            self._fresh |= bodies

    def earlier(self, revisions: Sequence[EarlierRevision]) -> list[RenderedBody]:
        """Return what pages showed before; that of the last one is mostly kept."""
        kept = stored_bodies([body_key(each) for each in revisions])
        return [
            kept.get(body_key(each)) or self.of(each, each.content)
            for each in revisions
        ]

    @contextmanager
    def keeping(self) -> Iterator[None]:
        """Keep at the end what was rendered inside."""
        try:
            yield
        finally:
            if self._thread is not None:
                self._thread.shutdown()
                self._thread = None
        self._leaving, last, self._fresh = {}, self._fresh, {}
        self._keep(last)

    def forget(self) -> None:
        """Forget the bodies of revisions that no page shows or goes on from."""
        with reading():
            public = published_documents()
            before = earlier_published_revisions(
                {e.id: e.published_version for e in public}
            )
        shown: list[RenderInput] = [*public, *chain.from_iterable(before.values())]
        delete_unused_bodies(body_key(each) for each in shown)
