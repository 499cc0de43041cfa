"""Cache the rendered bodies of documents in the database."""

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
    stored_keys,
)
from models.projects.documents.site_preview import RenderInput
from models.storage.database import reading
from sitegen.docs.body_rendering import BodyRenderers, body_key, render_body

# Rendered bodies wait in memory until there are this many, or they have this many
# characters.
BATCH_SIZE, BATCH_LENGTH = 100, 2_000_000
# Other processes take a second to start, so they get no fewer documents.
MIN_AHEAD = 500


class BodyCache:
    """
    The rendered bodies, by the digest of what they depend on.

    A build reads from one snapshot of the database, in which it cannot write. So a
    thread saves rendered bodies in batches, and `saving` saves the last of them.
    """

    def __init__(self) -> None:
        self._unsaved: dict[str, RenderedBody] = {}
        self._unsaved_length = 0
        # Bodies that the thread saves now, which the snapshot does not show.
        self._being_saved: dict[str, RenderedBody] = {}
        self._executor: ThreadPoolExecutor | None = None
        self._renderers: BodyRenderers | None = None

    def render_ahead(self, documents: Sequence[PublishedPage]) -> None:
        """Start to render in other processes what is not saved, if that is much."""
        if len(documents) < MIN_AHEAD:
            return
        stored = stored_keys(map(body_key, documents))
        missing = [each for each in documents if body_key(each) not in stored]
        if len(missing) >= MIN_AHEAD:
            self._renderers = BodyRenderers(missing)

    def load(self, documents: Sequence[PublishedPage]) -> dict[str, RenderedBody]:
        """Return the saved bodies, by the id of their document."""
        keys = {document.id: body_key(document) for document in documents}
        bodies = stored_bodies(list(keys.values()))
        return {id: bodies[key] for id, key in keys.items() if key in bodies}

    def render(
        self, text: RenderInput, load_content: Callable[[], str]
    ) -> RenderedBody:
        """Return the body of a text that was not saved; it is rendered once."""
        key = body_key(text)
        body = self._unsaved.get(key) or self._being_saved.get(key)
        if body is None:
            body = self._renderers.take(key) if self._renderers else None
            body = self._unsaved[key] = body or render_body(text, load_content())
            self._unsaved_length += len(body.html)
            is_full = self._unsaved_length >= BATCH_LENGTH
            if is_full or len(self._unsaved) >= BATCH_SIZE:
                self._start_saving()
        return body

    def _start_saving(self) -> None:
        self._executor = self._executor or ThreadPoolExecutor(1)
        # What was saved before this is dropped from memory.
        self._being_saved, self._unsaved = self._unsaved, {}
        self._unsaved_length = 0
        self._executor.submit(self._save, self._being_saved)

    def _save(self, bodies: dict[str, RenderedBody]) -> None:
        try:
            store_bodies(bodies.values())
        except StorageBusy:
            # They are saved at the end of the next build.
            self._unsaved |= bodies

    def earlier_bodies(
        self, revisions: Sequence[EarlierRevision]
    ) -> list[RenderedBody]:
        """Return the bodies of earlier revisions; the last one is usually saved."""
        bodies = stored_bodies([body_key(revision) for revision in revisions])
        return [
            bodies.get(body_key(revision)) or self.render(revision, revision.content)
            for revision in revisions
        ]

    @contextmanager
    def saving(self) -> Iterator[None]:
        """Save at the end what was rendered inside."""
        try:
            yield
        finally:
            if self._renderers is not None:
                self._renderers.close()
                self._renderers = None
            if self._executor is not None:
                self._executor.shutdown()
                self._executor = None
        self._being_saved, unsaved, self._unsaved = {}, self._unsaved, {}
        self._save(unsaved)

    def remove_unused(self) -> None:
        """Remove the bodies of revisions on which no page depends any more."""
        with reading():
            documents = published_documents()
            versions = {
                document.id: document.published_version for document in documents
            }
            earlier = earlier_published_revisions(versions)
        used: list[RenderInput] = [*documents, *chain.from_iterable(earlier.values())]
        delete_unused_bodies(body_key(text) for text in used)
