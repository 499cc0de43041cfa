"""Rendered documents: taken from where they are kept, rendered where they lack."""

import hashlib
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from itertools import chain

from models.database import reading
from models.errors import StorageBusy
from models.projects.bodies import Body, bodies_with, forget_bodies, keep_bodies
from models.projects.earlier import EarlierRevision, earlier_revisions
from models.projects.published import (
    PublishedPage,
    published_contents,
    published_documents,
)
from models.projects.site import Text
from sitegen.markdown import AS_WRITTEN, RENDERER, render
from sitegen.workers import Workers

# From so many on that lack at once other processes render them; a few are rendered
# before a process would have started.
MANY, CHUNK = 48, 32
PROCESSES = 2

Held = Body | Future[dict[str, Body]]


def body_key(text: Text) -> str:
    """Name what a text renders to; another renderer gives another name."""
    told = f"{RENDERER}\n{text.digest}\n{text.title}"
    return hashlib.sha256(told.encode()).hexdigest()


def body_of(text: Text, content: str) -> Body:
    made = render(below_title(text.title, content))
    headings = [(each.level, each.id, each.text) for each in made.headings]
    return Body.of(body_key(text), made.links, headings, made.html)


def is_as_written(body: Body) -> bool:
    """Tell whether the text asks for more than a page may, and is shown as text."""
    return not body.links and body.told_headings == "[]" and body.begins(AS_WRITTEN)


def below_title(title: str, content: str) -> str:
    """Return the content without a first line that says the title again."""
    first, _, rest = content.lstrip("\n").partition("\n")
    repeats = first.removeprefix("# ").strip() == title
    return rest if repeats and first.startswith("# ") else content


class Bodies:
    """
    The bodies of documents, by what they are rendered from.

    The build reads from one snapshot, in which nothing can be written: what it
    renders itself is held back until `keep`. What other processes render is put
    down at once by the threads that wait for them.
    """

    def __init__(self) -> None:
        self._fresh: dict[str, Body] = {}
        self._threads: ThreadPoolExecutor | None = None
        self._workers = Workers()

    def load(self, documents: Sequence[PublishedPage]) -> dict[str, Held]:
        """Return, by document, what is kept, and what is being rendered elsewhere."""
        keys = {each.id: body_key(each) for each in documents}
        kept = bodies_with(list(keys.values())) | self._fresh
        found: dict[str, Held] = {
            id: kept[key] for id, key in keys.items() if key in kept
        }
        lacking = [each for each in documents if each.id not in found]
        if len(lacking) >= MANY:
            for start in range(0, len(lacking), CHUNK):
                chunk = lacking[start : start + CHUNK]
                found |= dict.fromkeys([e.id for e in chunk], self._begun(chunk))
        return found

    def of(self, document: PublishedPage, held: Held | None) -> Body:
        """Return the body that was held, or else rendered here and now."""
        body = held.result().get(document.id) if isinstance(held, Future) else held
        body = body or self._fresh.get(body_key(document))
        if body is None:
            content = published_contents([document.id])[document.id]
            body = body_of(document, content)
            self._fresh[body.key] = body
        return body

    def earlier(self, revisions: Sequence[EarlierRevision]) -> list[Body]:
        """Return what pages showed before; that of the last one is mostly kept."""
        kept = bodies_with([body_key(each) for each in revisions]) | self._fresh
        for each in revisions:
            key = body_key(each)
            if key not in kept:
                kept[key] = self._fresh[key] = body_of(each, each.content())
        return [kept[body_key(each)] for each in revisions]

    @contextmanager
    def keeping(self) -> Iterator[None]:
        """Keep at the end what was rendered inside."""
        try:
            yield
        finally:
            self.let_go()
        # What cannot be kept now is at the end of the next build.
        with suppress(StorageBusy):
            keep_bodies(self._fresh.values())
            self._fresh.clear()

    def let_go(self) -> None:
        """End the processes; the next build of many starts others."""
        if self._threads is not None:
            self._threads.shutdown(cancel_futures=True)
            self._threads = None
        self._workers.stop()

    def forget(self) -> None:
        """Forget the bodies of revisions that no page shows or goes on from."""
        with reading():
            public = published_documents()
            before = earlier_revisions({e.id: e.published_version for e in public})
        shown: list[Text] = [*public, *chain.from_iterable(before.values())]
        forget_bodies(body_key(each) for each in shown)

    def _begun(self, documents: Sequence[PublishedPage]) -> Future[dict[str, Body]]:
        contents = published_contents([each.id for each in documents])
        self._threads = self._threads or ThreadPoolExecutor(PROCESSES)
        return self._threads.submit(self._from_worker, documents, contents)

    def _from_worker(
        self, documents: Sequence[PublishedPage], contents: dict[str, str]
    ) -> dict[str, Body]:
        """Return the bodies by document; what another process cannot do is left out."""
        texts = {e.id: below_title(e.title, contents[e.id]) for e in documents}
        told, found = self._workers.render(texts), {}
        for each in documents:
            if each.id in told:
                html, headings, links = told[each.id]
                found[each.id] = Body.of(body_key(each), links, headings, html)
        try:
            keep_bodies(found.values())
        except StorageBusy:
            # Somebody writes for long; they are kept at the end or rendered again.
            self._fresh |= {body.key: body for body in found.values()}
        return found
