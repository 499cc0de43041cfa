"""Render the bodies of documents to HTML; many of them in other processes."""

import hashlib
import logging
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from types import ModuleType
from typing import NamedTuple

from models.logs import LogLine
from models.projects.documents.published import PublishedPage, published_contents
from models.projects.documents.rendered_bodies import RenderedBody
from models.projects.documents.site_preview import RenderInput
from sitegen.markdown.rendering import RENDERER_VERSION, SOURCE_TAG, render

log = logging.getLogger("masthead.builds")
# How many documents a process gets at once, and how many such groups are under way for
# each process: enough that none waits, and few enough to hold them all in memory.
GROUP_SIZE, GROUPS_OF_PROCESS = 32, 3


def body_key(text: RenderInput) -> str:
    """Return a digest of what the body depends on: text, title and renderer."""
    source = f"{RENDERER_VERSION}\n{text.digest}\n{text.title}"
    return hashlib.sha256(source.encode()).hexdigest()


def render_body(text: RenderInput, content: str) -> RenderedBody:
    """Render the Markdown of a document to HTML; its links are not resolved yet."""
    rendered = render(without_title(text.title, content))
    headings = [
        (heading.level, heading.id, heading.text) for heading in rendered.headings
    ]
    return RenderedBody.from_html(
        body_key(text), rendered.links, headings, rendered.html
    )


def is_shown_as_written(body: RenderedBody) -> bool:
    """Return whether the text exceeds a limit and is shown as plain text instead."""
    return (
        not body.links
        and body.headings_json == "[]"
        and body.html_starts_with(SOURCE_TAG)
    )


def without_title(title: str, content: str) -> str:
    """Return the content without a first line that repeats the title."""
    first, _, rest = content.lstrip("\n").partition("\n")
    repeats_title = first.removeprefix("# ").strip() == title
    return rest if repeats_title and first.startswith("# ") else content


class Text(NamedTuple):
    """A document as the other process gets it."""

    title: str
    digest: str
    content: str


class BodyRenderers:
    """As many processes as there are cores, which render documents in their order."""

    def __init__(self, documents: Sequence[PublishedPage]) -> None:
        processes = len(os.sched_getaffinity(0))
        # A fork of this process would have locks that its other threads hold.
        self._executor = ProcessPoolExecutor(
            processes, get_context("spawn"), initializer=end_with_parent
        )
        self._groups = (
            documents[start : start + GROUP_SIZE]
            for start in range(0, len(documents), GROUP_SIZE)
        )
        self._pending: deque[Future[list[RenderedBody]]] = deque()
        self._bodies: dict[str, RenderedBody] = {}
        self._keys = set(map(body_key, documents))
        with starting_processes():
            for _ in range(processes * GROUPS_OF_PROCESS):
                self._submit_next()

    def take(self, key: str) -> RenderedBody | None:
        """Wait for the body; return None if it was not to be rendered, or could not."""
        try:
            is_expected = key in self._keys
            while is_expected and key not in self._bodies and self._pending:
                bodies = self._pending.popleft().result()
                self._submit_next()
                self._bodies |= {body.key: body for body in bodies}
        except Exception as error:
            # The one that asks renders it itself, and the others, too.
            log.warning(LogLine(build="slow", reason="renderers-died", error=error))
            self._pending.clear()
        return self._bodies.pop(key, None)

    def close(self) -> None:
        self._executor.shutdown(wait=False, cancel_futures=True)

    def _submit_next(self) -> None:
        group = next(self._groups, None)
        if group:
            contents = published_contents([each.id for each in group])
            texts = [Text(each.title, each.digest, contents[each.id]) for each in group]
            self._pending.append(self._executor.submit(render_texts, texts))


@contextmanager
def starting_processes() -> Iterator[None]:
    """
    Start processes that inherit little of this one.

    They would import the program that runs here, which takes longer than rendering a
    hundred documents. Ctrl-C goes to this process, which ends them; they keep the mask.
    """
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    program = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = program
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def render_texts(texts: list[Text]) -> list[RenderedBody]:
    return [render_body(text, text.content) for text in texts]


def end_with_parent() -> None:
    """End this process when the one that started it has died, however it died."""

    def watch() -> None:
        parent = parent_process()
        assert parent
        wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
