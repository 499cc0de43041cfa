"""
A process of its own that makes a part of a long row of pages.

Two cores then share a large build. Not forked: the builder is a thread among others.
Not multiprocessing: that would load all of the application. It is told of the build
in a line of JSON, then asked for parts of rows, and answers each in a line.

It reads from a snapshot of its own, and tells what it has read of: whoever asks it
for a page compares. What it writes it describes by what it was made from, like any
build, so that a difference that went unnoticed would be mended by the next one.
"""

import json
import sys
from collections.abc import Iterator
from datetime import datetime
from importlib import import_module
from typing import IO, Any

from models.changes import marks
from models.settings import Settings
from models.storage.database import limit_read_memory, open_database, reading
from sitegen.build.gc_tuning import collect_seldom
from sitegen.build.page_writer import Maker, PageError
from sitegen.docs.body_cache import Bodies
from sitegen.output.folder import Folder
from sitegen.page import BuildContext, Page, PageBatch
from sitegen.theme.theme import Theme


class Work:
    """A build as it was told of, and the rows that it was asked for."""

    def __init__(self, told: dict[str, Any], bodies: Bodies) -> None:
        # JSON has one kind of list.
        members: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in told["settings"].items()
        }
        settings = Settings(**members)
        now = datetime.fromisoformat(told["now"])
        self._edition = BuildContext(now, settings, Theme(settings), bodies)
        self._folder = Folder(told["folder"], few=0)
        known = self._folder.known() if told["isTrusted"] else None
        before = known.entries if known else {}
        full = told["isFull"]
        self._maker = Maker(self._edition, self._folder, before, is_full=full)
        self._rows: dict[str, tuple[Iterator[Page | PageBatch], PageBatch]] = {}

    def basis(self) -> list[Any]:
        """Return what is equal where both will make the same pages."""
        return [marks(), self._maker.version]

    def answer(self, question: list[Any] | None) -> Any:
        """Make a part of a row; or move over, asked for nothing, what was made."""
        if question is None:
            return self._folder.show()
        of, area, start, end = question
        part = self._row(of)[start:end]
        told = [self._told(page, area) for each in part for page in each.pages]
        return {path: facts for path, facts in told if facts is not None}

    def _row(self, of: str) -> PageBatch:
        """Return the row that a function yields, which goes on living with it."""
        if of not in self._rows:
            module, _, name = of.rpartition(".")
            function = getattr(import_module(module), name)(self._edition)
            row = next(each for each in function if isinstance(each, PageBatch))
            self._rows[of] = function, row
        return self._rows[of][1]

    def _told(self, page: Page, area: str) -> tuple[str, Any]:
        try:
            made, is_written = self._maker.made(page, area)
        except PageError:
            # Whoever asked makes it again, and has the reason then.
            return page.path, None
        facts = [made.sha256, made.size, made.made, is_written]
        return page.path, [page.learned(), *facts]


def serve(request: IO[bytes], told: IO[bytes]) -> None:
    """Answer until there is nobody left who asks."""

    def answer(facts: Any) -> None:
        told.write(json.dumps(facts).encode() + b"\n")
        told.flush()

    begun, bodies = json.loads(request.readline()), Bodies()
    open_database(begun["settings"]["database"])
    limit_read_memory()
    with bodies.keeping(), reading():
        work = Work(begun, bodies)
        answer(work.basis())
        collect_seldom()
        for line in request:
            answer(work.answer(json.loads(line)))


if __name__ == "__main__":
    serve(sys.stdin.buffer, sys.stdout.buffer)
