"""
Build the documents of the site for the builder, in a process of their own.

The builder then never waits for documents: while this process renders ten thousand of
them, incidents are on their pages at once. It changes no file of the site. What it
writes is put in place by the builder, which also writes the pages that all areas
share, the manifest and the database's record of what is built. So this process may
die at any moment.

One line of JSON describes the site; each further line requests a build and gets a line
in response. The process remembers between builds what the documents are, and what it
has made of them, as long as the builder says that it has put all of it in place.
"""

import json
import logging
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import replace
from datetime import datetime
from queue import SimpleQueue
from typing import IO, Any

from models.changes import marks
from models.logs import LogLine, configure_logging
from models.platform.secrets import REDACTED_PATTERN
from models.runtime.forked_process import ForkedProcess
from models.runtime.memory import limit_free_memory
from models.storage.database import open_database, reading
from sitegen.builder.build import AreaPage, Build
from sitegen.builder.docs_result import AREA, PROGRESS, DocsResult
from sitegen.builder.fault_state import fault_state
from sitegen.builder.gc_tuning import tune_gc
from sitegen.builder.page_writer import PageError, PageWriter
from sitegen.builder.work_split import load_settings
from sitegen.docs.body_cache import BodyCache
from sitegen.docs.outline import DocsOutline, docs_outline, use_outline
from sitegen.docs.pages import pages_of_new_texts
from sitegen.output.atomic_writes import MAX_SINGLE
from sitegen.output.folder import OutputFolder
from sitegen.output.manifest import ManifestEntry
from sitegen.output.staging import StagedFolder
from sitegen.page import BuildContext, load_generators
from sitegen.theme.site_theme import site_theme

log = logging.getLogger("masthead.builds")

# The API and the builder go first when there are fewer cores than processes.
NICENESS = 10
# Files that are written within this time after the first are sent with it.
FIRST_FILES_SECONDS = 0.005
# To read a result of 30,000 files at once would hold the builder up.
FILES_PER_RESULT = 1000
# How often this process reports that it makes progress.
PROGRESS_SECONDS = 5.0

SendPart = Callable[[DocsResult], None]
Report = Callable[[], None]


class DocsBuilder:
    """Builds documents again and again, with what it remembers between builds."""

    def __init__(
        self, job: dict[str, Any], report_progress: Report = lambda: None
    ) -> None:
        self._report_progress = report_progress
        self._settings = load_settings(job["settings"])
        self._problems, self._openapi = job["problems"], job["openapi"]
        self._theme, self._bodies = site_theme(self._settings), BodyCache()
        self._process_cache: dict[Any, Any] = {}
        self._folder = StagedFolder(self._settings.output)
        # As the last build left it.
        self._outline: DocsOutline | None = None

    def build(self, request: dict[str, Any], send_part: SendPart) -> DocsResult:
        """
        Build what has changed since the last build, or else since the manifest.

        `send_part` is called with the first files, before the others are made.
        """
        if self._theme.version != request["theme"] and self._theme.reload():
            self._process_cache.clear()
        if not request["isLastInPlace"]:
            # Of a folder that is forgotten: this process needs its own entries only.
            manifest = OutputFolder(self._settings.output).manifest()
            entries = manifest.entries.items() if manifest else ()
            self._folder.entries = {
                path: entry for path, entry in entries if entry.area in (AREA, "")
            }
        self._folder.damaged |= set(request["damaged"])
        self._folder.remove_staged()
        with self._bodies.saving(), reading():
            context, outline = self._context(request), self._outline
            has_sent = (
                request["isLastInPlace"]
                and outline is not None
                and self._send_new_texts(context, outline, send_part)
            )
            send_first = None if has_sent else send_part
            result = self._build(context, request["damaged"], send_first)
        self._outline = result.outline
        return result

    def _context(self, request: dict[str, Any]) -> BuildContext:
        return BuildContext(
            datetime.fromisoformat(request["now"]),
            self._settings,
            self._theme,
            self._bodies,
            problems=self._problems,
            openapi=self._openapi,
            process_cache=self._process_cache,
        )

    def _send_new_texts(
        self, context: BuildContext, outline: DocsOutline, send_part: SendPart
    ) -> bool:
        """Send the pages that are found without reading all documents, if any are."""
        context = replace(context, build_cache={})
        use_outline(context, outline)
        before = self._folder.start()
        writer = PageWriter(
            context,
            self._folder,
            before,
            is_full=False,
            has_reference=bool(self._openapi),
        )
        entries = {}
        for page in pages_of_new_texts(context):
            # The complete build comes to the same error, and reports it.
            with suppress(PageError):
                entry, _ = writer.write(page, AREA)
                if before.get(page.path) is not entry:
                    entries[page.path] = entry
        if entries:
            self._folder.end_part(entries)
            send_part(self._part(context, writer, entries))
        return bool(entries)

    def _build(
        self, context: BuildContext, damaged: list[str], send_part: SendPart | None
    ) -> DocsResult:
        mark, folder = marks()[AREA], self._folder
        build = Build(context, folder, {AREA: mark})
        first = _FirstFiles(build, folder)

        def send_first_files() -> None:
            entries = first.take()
            if send_part:
                send_part(self._part(context, build.writer, entries))

        def watch(pages: Iterable[AreaPage]) -> Iterable[AreaPage]:
            pages = _reporting(pages, self._report_progress)
            return first.watch(pages, send_first_files) if send_part else pages

        with closing(build.work_split):
            build.write_pages([AREA], watch)
        before, entries = build.before, build.entries
        removed = [path for path in before if path not in build.paths]
        for path in removed:
            del entries[path]
        written = [path for path in build.report.written if path not in first.taken]
        is_synced = len(written) > MAX_SINGLE
        folder.end(entries, is_synced=is_synced)
        return DocsResult(
            mark=mark,
            version=build.writer.version,
            theme=context.theme.version,
            outline=docs_outline(context),
            entries={
                path: entry
                for path, entry in entries.items()
                if before.get(path) is not entry and path not in first.taken
            },
            removed=removed,
            staging=folder.staging,
            staged=list(filter(folder.has_staged, written)),
            written=written,
            unchanged=build.report.unchanged,
            failed=build.report.failed,
            is_synced=is_synced,
            repaired=frozenset(damaged),
        )

    def _part(
        self,
        context: BuildContext,
        writer: PageWriter,
        entries: Mapping[str, ManifestEntry],
    ) -> DocsResult:
        """Return a result with these files, which others will follow."""
        paths = list(filter(self._folder.has_staged, entries))
        return DocsResult(
            version=writer.version,
            theme=context.theme.version,
            outline=docs_outline(context),
            entries=entries,
            staging=self._folder.staging,
            staged=paths,
            written=paths,
            is_last=False,
        )


class _FirstFiles:
    """The first files of a build, which readers get before the others are made."""

    def __init__(self, build: Build, folder: StagedFolder) -> None:
        self._build = build
        self._folder = folder
        self._first_at: float | None = None
        self.taken: frozenset[str] = frozenset()

    def watch(
        self, pages: Iterable[AreaPage], send: Callable[[], None]
    ) -> Iterator[AreaPage]:
        """Yield the pages, and call `send` once, soon after the first was written."""
        written = self._build.report.written
        for page in pages:
            yield page
            # In a build of everything, the pages wait for each other.
            if written and self._build.before and not self.taken:
                self._first_at = self._first_at or time.monotonic()
                if time.monotonic() - self._first_at >= FIRST_FILES_SECONDS:
                    send()

    def take(self) -> dict[str, ManifestEntry]:
        paths = list(filter(self._folder.has_staged, self._build.report.written))
        self.taken = frozenset(paths)
        return {path: self._build.entries[path] for path in paths}


def _reporting(pages: Iterable[AreaPage], report: Report) -> Iterator[AreaPage]:
    """Yield the pages, and report from time to time that there is progress."""
    reported_at = time.monotonic()
    for page in pages:
        yield page
        if time.monotonic() - reported_at >= PROGRESS_SECONDS:
            report()
            reported_at = time.monotonic()


def serve(requests: IO[bytes], responses: IO[bytes]) -> None:
    """Respond to requests until their stream is closed."""
    line = requests.readline()
    if not line.endswith(b"\n"):
        # The builder has died while it started this process.
        return
    job = json.loads(line)
    configure_logging(sys.stderr, job["settings"]["log_level"], REDACTED_PATTERN)
    open_database(job["settings"]["database"])
    load_generators()
    queue = SimpleQueue[bytes]()
    threading.Thread(target=_read_all, args=(requests, queue), daemon=True).start()

    def send(response: dict[str, Any]) -> None:
        responses.write(json.dumps(response).encode() + b"\n")
        responses.flush()

    builder = DocsBuilder(job, lambda: send(PROGRESS))
    tune_gc()
    while True:
        request = json.loads(queue.get())
        send(_respond(builder, request, lambda part: send({"result": part.to_json()})))


def _read_all(requests: IO[bytes], queue: "SimpleQueue[bytes]") -> None:
    """Pass requests on; when there are no more, end this process in any build."""
    for line in requests:
        queue.put(line)
    os._exit(0)


def _respond(
    builder: DocsBuilder, request: dict[str, Any], send_part: SendPart
) -> dict[str, Any]:
    try:
        result = builder.build(request, send_part)
        *parts, last = result.parts(FILES_PER_RESULT)
        for part in parts:
            send_part(part)
        return {"result": last.to_json()}
    except MemoryError:
        # What this process remembers may be what fills the memory.
        raise
    except Exception as error:
        # The builder reports it, but has no stack trace.
        log.info(LogLine(build="failed", reason=error), exc_info=True)
        return {"state": fault_state(error), "reason": str(error)}


def run(requests: IO[bytes], responses: IO[bytes]) -> None:
    """Respond to requests as a process of its own."""
    os.nice(NICENESS)
    limit_free_memory()
    serve(requests, responses)


def fork_docs_builder() -> ForkedProcess | None:
    """
    Start the process with what this one has imported, which a new program takes a
    second for; None if the system has no room for it.

    Call it before this process opens a database or starts threads.
    """
    try:
        return ForkedProcess(run)
    except OSError:
        return None


if __name__ == "__main__":
    run(sys.stdin.buffer, sys.stdout.buffer)
