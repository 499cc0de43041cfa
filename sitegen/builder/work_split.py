"""Share a long batch of pages with a worker process, which makes the last of them."""

import json
import logging
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
from models.settings import Settings
from models.storage.engines.engine import absolute_address
from sitegen.builder.page_writer import PageWriter, WriteResult
from sitegen.output.folder import OutputFolder
from sitegen.output.manifest import ManifestEntry
from sitegen.output.staging import StagedFolder
from sitegen.page import BuildContext, Page, PageBatch, PageGenerator, PageGroup

log = logging.getLogger("masthead.builds")

ROOT = Path(__file__).parents[2]
PROGRAM = [sys.executable, "-m", "sitegen.builder.worker"]
STOP_SECONDS = 10
# The longest wait for one response; a part takes seconds.
RESPONSE_SECONDS = 120
# How many groups this process takes at once, which is also the smallest part for the
# worker. The largest part for the worker is limited, since its response takes memory.
PART_SIZE, MAX_PART_SIZE = 32, 400
# The worker gets this share of what is left, so that at the end neither process waits
# long for the other, and the worker seldom has to start at another position.
WORKER_SHARE = 4
# A worker takes time to start, so it gets no batch with fewer groups left.
MIN_SHARED = 160

# Digest, SHA-256, size and whether the file was written; None if the page failed.
PageResult = tuple[str, str, int, bool]
# What the worker resolved for a group, and the result of each of its pages.
GroupResult = tuple[Any, Sequence[PageResult | None]]

T = TypeVar("T")


class BatchSplit:
    """Divides a batch: this process takes its first parts, the worker its last ones."""

    def __init__(self, length: int) -> None:
        self._start, self._end = 0, length
        self._lock = Lock()

    @property
    def left(self) -> int:
        return self._end - self._start

    def next_here(self) -> slice | None:
        """Take the next part from the start."""
        with self._lock:
            start = self._start
            self._start = min(start + PART_SIZE, self._end)
            return slice(start, self._start) if start < self._start else None

    def next_for_worker(self) -> tuple[int, int] | None:
        """Take the next part from the end, unless little is left."""
        with self._lock:
            if self.left < PART_SIZE:
                return None
            length = min(MAX_PART_SIZE, max(PART_SIZE, self.left // WORKER_SHARE))
            end = self._end
            self._end -= length
            return self._end, end


class WorkSplit:
    """Shares the batches of a build with a worker, which is started if it pays off."""

    def __init__(
        self, context: BuildContext, writer: PageWriter, marks: Mapping[str, int]
    ) -> None:
        self._context, self._writer, self._marks = context, writer, marks
        self._executor: ThreadPoolExecutor | None = None
        self._worker: WorkerProcess | None = None
        # The batches that the worker has or will get, by the generator's name.
        self._splits: dict[str, BatchSplit] = {}
        self._pending: dict[str, Future[dict[int, GroupResult]]] = {}
        self._page_results: dict[str, PageResult] = {}

    def prepare(self, expected_groups: int) -> None:
        """Start the worker early if this many groups will have to be made."""
        if expected_groups > MIN_SHARED:
            self._submit(self._running_worker)

    def start(self, batch: PageBatch, generator: PageGenerator) -> None:
        """Have the worker start on a batch now if many of its files must be written."""
        if sum(map(self._must_write, batch)) > MIN_SHARED:
            self._share(generator, BatchSplit(len(batch)))

    def pages(
        self,
        batch: PageBatch,
        generator: PageGenerator,
        is_long: Callable[[], bool],
        after_start: Callable[[], None],
    ) -> Iterator[Page]:
        """
        Yield the pages of the batch in order; `result` has those the worker has made.

        `after_start` is called once the worker has started on this batch.
        """
        name = generator.name
        split, done = self._splits.get(name) or BatchSplit(len(batch)), 0
        part: slice | None = slice(0)
        while part:
            for group in batch[part]:
                yield from group.pages
            done = part.stop
            if name not in self._pending and split.left > MIN_SHARED and is_long():
                self._share(generator, split)
                after_start()
            part = split.next_here()
        results = self._pending.pop(name).result() if name in self._pending else {}
        for position in range(done, len(batch)):
            group = batch[position]
            if position in results:
                self._load(group, results.pop(position))
            yield from group.pages

    def result(self, page: Page, area: str) -> WriteResult | None:
        """Return the result of a page that the worker has made, None for any other."""
        result = self._page_results.pop(page.path, None) if self._page_results else None
        if result is None:
            return None
        made, sha256, size, is_written = result
        page.set_digest(made.partition(" ")[0])
        headers = content_type(page.path), cache_class(page.path)
        entry = ManifestEntry(sha256, size, *headers, area, made)
        return WriteResult(entry, is_written)

    def close(self) -> None:
        """End the worker, at once if it is still busy, since nobody waits for it."""
        is_starting = self._worker is not None and self._worker.snapshot is None
        self._stop_worker(immediately=bool(self._pending) or is_starting)
        if self._executor is not None:
            self._executor.shutdown()

    def _must_write(self, group: PageGroup) -> bool:
        return not all(map(self._writer.is_up_to_date, group.pages))

    def _load(self, group: PageGroup, result: GroupResult) -> None:
        resolution, page_results = result
        if resolution is not None:
            group.load_resolution(resolution)
        for page, page_result in zip(group.pages, page_results, strict=True):
            if page_result is not None:
                self._page_results[page.path] = page_result

    def _share(self, generator: PageGenerator, split: BatchSplit) -> None:
        self._splits[generator.name] = split
        self._pending[generator.name] = self._submit(
            self._make_in_worker, generator, split
        )

    def _submit(self, function: Callable[..., T], *arguments: Any) -> Future[T]:
        self._executor = self._executor or ThreadPoolExecutor(1)
        return self._executor.submit(function, *arguments)

    def _running_worker(self) -> "WorkerProcess":
        self._worker = self._worker or WorkerProcess(self._writer.folder)
        if self._worker.snapshot is None:
            self._worker.start(self._context, self._writer, self._marks)
        return self._worker

    def _stop_worker(self, *, immediately: bool) -> None:
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.stop(immediately=immediately)

    def _make_in_worker(
        self, generator: PageGenerator, split: BatchSplit
    ) -> dict[int, GroupResult]:
        """
        Return the results by the group's position; all files are in place by then.

        There are none if the worker reads another snapshot than this process, or dies.
        """
        results: dict[int, GroupResult] = {}
        try:
            worker = self._running_worker()
            if worker.snapshot != [self._marks, self._writer.version]:
                return {}
            while part := split.next_for_worker():
                request = [generator.name, generator.area, *part]
                results |= zip(range(*part), worker.call(request), strict=True)
            worker.call(None)
        except (OSError, ValueError) as error:
            # Unless this process has ended it.
            if self._worker is not None:
                log.warning(LogLine(build="slow", reason="worker-died", error=error))
            self._stop_worker(immediately=True)
            return {}
        return results


def dump_settings(settings: Settings) -> dict[str, Any]:
    """Return settings as JSON for a process with another working directory."""
    settings = replace(
        settings,
        database=absolute_address(settings.database),
        output=abspath(settings.output),
        templates=settings.templates and abspath(settings.templates),
    )
    return asdict(settings)


def load_settings(fields: dict[str, Any]) -> Settings:
    # JSON has no tuples.
    values: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in fields.items()
    }
    return Settings(**values)


class WorkerProcess:
    """The worker process; requests and responses are lines of JSON."""

    # What the worker has read, once it has started: the marks and the site's version.
    snapshot: Any = None

    def __init__(self, folder: OutputFolder) -> None:
        self._process = subprocess.Popen(  # noqa: S603  (our own program)
            PROGRAM,
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # While it lives, nobody else builds here, even if this process is killed.
            pass_fds=[folder.lock_descriptor] if folder.is_locked else [],
            # Ctrl-C goes to this process, which ends the worker.
            start_new_session=True,
        )

    def start(
        self, context: BuildContext, writer: PageWriter, areas: Iterable[str]
    ) -> None:
        folder = writer.folder
        self.snapshot = self.call(
            {
                "settings": dump_settings(context.settings),
                "areas": list(areas),
                "folder": abspath(folder.path),
                "staging": folder.staging if isinstance(folder, StagedFolder) else "",
                "now": context.now.isoformat(),
                "isManifestTrusted": writer.is_manifest_trusted,
                "isFull": writer.is_full,
                "hasReference": writer.has_reference,
            }
        )

    def call(self, request: Any) -> Any:
        """Raise OSError or ValueError if the worker does not respond."""
        process = self._process
        assert process.stdin
        assert process.stdout
        process.stdin.write(json.dumps(request).encode() + b"\n")
        process.stdin.flush()
        if not select([process.stdout], [], [], RESPONSE_SECONDS)[0]:
            raise TimeoutError("The worker process does not respond.")
        return json.loads(process.stdout.readline())

    def stop(self, *, immediately: bool) -> None:
        """Close the worker's input, which ends it; kill it if it does not end."""
        process = self._process
        assert process.stdin
        assert process.stdout
        with suppress(BrokenPipeError):
            process.stdin.close()
        try:
            process.wait(0 if immediately else STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()
