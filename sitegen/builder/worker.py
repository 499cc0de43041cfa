"""
Make a part of the pages of a long batch, in a process of its own.

Two cores then share a large build. The process is not forked, since the builder is one
thread of many, and does not use multiprocessing, which would load the whole
application. One line of JSON describes the build; each further line requests a part of
a batch and gets a line in response.

The worker reads from its own snapshot of the database and reports which one, so that
the builder can compare. Like any build, it describes files by the fingerprints of
their pages, so the next build would correct a difference that went unnoticed.
"""

import json
import sys
from collections.abc import Iterator
from datetime import datetime
from importlib import import_module
from typing import IO, Any

from models.changes import marks
from models.runtime.memory import limit_free_memory
from models.storage.database import limit_read_memory, open_database, reading
from sitegen.builder.gc_tuning import tune_gc
from sitegen.builder.page_writer import PageError, PageWriter
from sitegen.builder.work_split import load_settings
from sitegen.docs.body_cache import BodyCache
from sitegen.output.folder import OutputFolder
from sitegen.output.staging import StagedFolder
from sitegen.page import BuildContext, Page, PageBatch, PageGroup
from sitegen.theme.site_theme import site_theme


class BatchWorker:
    """One build as described in the first line, and the batches requested so far."""

    def __init__(self, job: dict[str, Any], bodies: BodyCache) -> None:
        settings = load_settings(job["settings"])
        now = datetime.fromisoformat(job["now"])
        self._context = BuildContext(now, settings, site_theme(settings), bodies)
        self._folder = _folder_of(job)
        self._areas = job["areas"]
        manifest = self._folder.manifest() if job["isManifestTrusted"] else None
        before = manifest.entries if manifest else {}
        self._writer = PageWriter(
            self._context,
            self._folder,
            before,
            is_full=job["isFull"],
            has_reference=job["hasReference"],
        )
        self._batches: dict[str, tuple[Iterator[Page | PageBatch], PageBatch]] = {}

    def snapshot(self) -> list[Any]:
        """Identify what was read: if it is equal, both processes make equal pages."""
        current_marks = marks()
        built_marks = {area: current_marks[area] for area in self._areas}
        return [built_marks, self._writer.version]

    def respond(self, request: list[Any] | None) -> Any:
        """Make a part of a batch, or without a request put all files in place."""
        if request is None:
            return self._folder.flush()
        name, area, start, end = request
        return [self._make(group, area) for group in self._batch(name)[start:end]]

    def _batch(self, name: str) -> PageBatch:
        """Return the batch of a generator, which is not resumed until the end."""
        if name not in self._batches:
            module, _, function = name.rpartition(".")
            generator = getattr(import_module(module), function)(self._context)
            batch = next(item for item in generator if isinstance(item, PageBatch))
            self._batches[name] = generator, batch
        return self._batches[name][1]

    def _make(self, group: PageGroup, area: str) -> list[Any]:
        results = [self._write(page, area) for page in group.pages]
        return [group.dump_resolution(), results]

    def _write(self, page: Page, area: str) -> list[Any] | None:
        try:
            entry, is_written = self._writer.write(page, area)
        except PageError:
            # The builder makes the page again, and reports the error.
            return None
        return [entry.made, entry.sha256, entry.size, is_written]


def _folder_of(job: dict[str, Any]) -> OutputFolder:
    path, staging = job["folder"], job["staging"]
    if staging:
        return StagedFolder(path, max_single=0, staging=staging)
    return OutputFolder(path, max_single=0)


def serve(requests: IO[bytes], responses: IO[bytes]) -> None:
    """Respond to requests until their stream is closed."""

    def send(response: Any) -> None:
        responses.write(json.dumps(response).encode() + b"\n")
        responses.flush()

    job, bodies = json.loads(requests.readline()), BodyCache()
    open_database(job["settings"]["database"])
    limit_read_memory()
    with bodies.saving(), reading():
        worker = BatchWorker(job, bodies)
        send(worker.snapshot())
        tune_gc()
        for line in requests:
            send(worker.respond(json.loads(line)))


if __name__ == "__main__":
    limit_free_memory()
    serve(sys.stdin.buffer, sys.stdout.buffer)
