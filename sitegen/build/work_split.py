"""A long row of subjects: the pages of the last ones are made by a worker."""

import json
import logging
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, replace
from os.path import abspath
from pathlib import Path
from select import select
from threading import Lock
from typing import Any, TypeVar

from models.logs import LogLine
from models.response_headers import cache_class, content_type
from models.storage.engines.engine import absolute_address
from sitegen.build.page_writer import Made, Maker
from sitegen.output.folder import Folder
from sitegen.output.manifest import Entry
from sitegen.page import BuildContext, Page, PageBatch, Pages, Subject

log = logging.getLogger("masthead.builds")

ROOT = Path(__file__).parents[2]
PROGRAM = [sys.executable, "-m", "sitegen.build.worker"]
STOP_SECONDS = 10
# So long is waited for one answer; a part takes seconds.
ANSWER_SECONDS = 120
# So many subjects are taken on here at once; that is also the least that the worker
# is asked for, and this the most, since its answer takes memory.
PART, MOST = 32, 400
# The worker is asked for this share of what is left, so that neither waits long for
# the other at the end, and it seldom has to begin at another place.
SHARE = 4
# A worker needs its time to start: with less left than this it is not asked.
WORTH = 160

# A page as the worker tells it: what its maker has learned of it, sha256, size and
# digest of the manifest, and whether it was written.
Told = tuple[list[Any], str, int, str, bool]

T = TypeVar("T")

# What yields a row: the name of a function, and its area.
Of = tuple[str, str]


def name_of(function: Pages, area: str) -> Of:
    return f"{function.__module__}.{function.__qualname__}", area


class Turn:
    """Who makes which part of a row: parts of its beginning here, the others there."""

    def __init__(self, length: int) -> None:
        self._start, self._end = 0, length
        self._lock = Lock()

    @property
    def left(self) -> int:
        return self._end - self._start

    def here(self) -> slice | None:
        """Take the next part from the beginning."""
        with self._lock:
            start, self._start = self._start, min(self._start + PART, self._end)
            return slice(start, self._start) if start < self._start else None

    def there(self) -> tuple[int, int] | None:
        """Take a part from the end, unless little is left."""
        with self._lock:
            if self.left < PART:
                return None
            end, length = self._end, min(MOST, max(PART, self.left // SHARE))
            self._end -= length
            return self._end, end


class Helper:
    """The worker of one build, which is started when the build is or proves long."""

    def __init__(self, context: BuildContext, maker: Maker, marked: Any) -> None:
        self._edition, self._maker, self._marked = context, maker, marked
        self._thread: ThreadPoolExecutor | None = None
        self._worker: Worker | None = None
        # The rows that the worker is at or will come to, by what they are of.
        self._turns: dict[Of, Turn] = {}
        self._under_way: dict[Of, Future[dict[str, Told]]] = {}
        self._made: dict[str, Told] = {}

    def expect(self, subjects: int) -> None:
        """Where so many will lack, have the worker load what it needs meanwhile."""
        if subjects > WORTH:
            self._in_thread(self._begun)

    def begin(self, row: PageBatch, of: Of) -> bool:
        """Have a row made before its turn, if so much of it lacks; tell whether."""
        if sum(map(self._lacks, row)) <= WORTH:
            return False
        self._share(of, Turn(len(row)))
        return True

    def _lacks(self, subject: Subject) -> bool:
        return not all(map(self._maker.stands, subject.pages))

    def _share(self, of: Of, turn: Turn) -> None:
        self._turns[of] = turn
        self._under_way[of] = self._in_thread(self._shared, of, turn)

    def _in_thread(self, function: Callable[..., T], *given: Any) -> Future[T]:
        self._thread = self._thread or ThreadPoolExecutor(1)
        return self._thread.submit(function, *given)

    def in_turn(
        self,
        row: PageBatch,
        of: Of,
        is_long: Callable[[], bool],
        meanwhile: Callable[[], None],
    ) -> Iterator[Page]:
        """
        Yield the pages of the row in order; those at its end may have been made.

        `meanwhile` is done once the helper is at work.
        """
        turn, done = self._turns.get(of) or Turn(len(row)), 0
        part: slice | None = slice(0)
        while part:
            yield from _pages(row[part])
            done = part.stop
            if of not in self._under_way and turn.left > WORTH and is_long():
                self._share(of, turn)
                meanwhile()
            part = turn.here()
        if of in self._under_way:
            self._made |= self._under_way.pop(of).result()
        yield from _pages(row[done:])

    def made(self, page: Page, area: str) -> Made | None:
        """Return what the worker has made of the page, None where it has not."""
        told = self._made.pop(page.path, None) if self._made else None
        if told is None:
            return None
        learned, sha256, size, made, is_written = told
        page.learn(learned)
        kinds = content_type(page.path), cache_class(page.path)
        return Made(Entry(sha256, size, *kinds, area, made), is_written)

    def close(self) -> None:
        """End the worker; one that is still at something has nobody to tell."""
        is_at_work = self._under_way or (self._worker and self._worker.basis is None)
        self._end_worker(at_once=bool(is_at_work))
        if self._thread is not None:
            self._thread.shutdown()

    def _begun(self) -> "Worker":
        self._worker = self._worker or Worker(self._maker.folder)
        if self._worker.basis is None:
            self._worker.begin(self._edition, self._maker)
        return self._worker

    def _end_worker(self, *, at_once: bool) -> None:
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.stop(at_once=at_once)

    def _shared(self, of: Of, turn: Turn) -> dict[str, Told]:
        """
        Return what the worker made of the row, by path: all stands when this returns.

        That is nothing where it reads something else than we, or dies.
        """
        found: dict[str, Told] = {}
        try:
            worker = self._begun()
            if worker.basis != [self._marked, self._maker.version]:
                return {}
            while part := turn.there():
                found |= worker.ask([*of, *part])
            worker.ask(None)
        except (OSError, ValueError) as error:
            # Unless it was we who ended it.
            if self._worker is not None:
                log.warning(LogLine(build="slow", reason="worker-died", error=error))
            self._end_worker(at_once=True)
            return {}
        return found


def _pages(subjects: Iterable[Subject]) -> Iterator[Page]:
    return (page for each in subjects for page in each.pages)


class Worker:
    """The other process; it is asked, and answers, in lines of JSON."""

    basis: Any = None

    def __init__(self, folder: Folder) -> None:
        self._process = subprocess.Popen(  # noqa: S603  (our own program)
            PROGRAM,
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # As long as it lives nobody else builds here, even if we are killed.
            pass_fds=[folder.lock],
            # Ctrl-C is for us, who end it.
            start_new_session=True,
        )

    def begin(self, context: BuildContext, maker: Maker) -> None:
        # It runs elsewhere.
        told = context.settings
        settings = replace(
            told,
            database=absolute_address(told.database),
            templates=told.templates and abspath(told.templates),
        )
        work = {
            "settings": asdict(settings),
            "folder": abspath(maker.folder.path),
            "now": context.now.isoformat(),
            "isTrusted": maker.is_trusted,
            "isFull": maker.is_full,
        }
        self.basis = self.ask(work)

    def ask(self, question: Any) -> Any:
        process = self._process
        assert process.stdin
        assert process.stdout
        process.stdin.write(json.dumps(question).encode() + b"\n")
        process.stdin.flush()
        if not select([process.stdout], [], [], ANSWER_SECONDS)[0]:
            raise TimeoutError("It does not answer.")
        return json.loads(process.stdout.readline())

    def stop(self, *, at_once: bool) -> None:
        """Closing what it reads from ends it; if it hangs it is killed."""
        process = self._process
        assert process.stdin
        assert process.stdout
        with suppress(BrokenPipeError):
            process.stdin.close()
        try:
            process.wait(0 if at_once else STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()
