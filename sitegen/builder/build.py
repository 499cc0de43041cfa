"""
Build the site: write the pages that changed, and remove those that no longer exist.

Every build yields all pages of its areas, and the fingerprint of each page decides
whether its file is written (`page_writer.py`). So no dependency can be forgotten, and
a build may run at any time. Of KeyedPages, a process that builds again yields only
those whose key has changed.
"""

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain
from typing import Any

from models.audit import AUDITED_AREAS, last_link
from models.changes import AREAS, generation_with, marks, note_built
from models.instance import instance_id
from models.logs import LogLine
from models.projects.documents.published import published_count
from models.response_headers import candidate_files
from models.runtime.server_locks import LOCK_FILE, lock_owner
from models.storage.database import reading
from sitegen.builder.docs_result import AREA, DocsResult
from sitegen.builder.page_writer import PageError, PageWriter
from sitegen.builder.report import BuildReport
from sitegen.builder.separate_docs import SeparateDocs
from sitegen.builder.work_split import WorkSplit
from sitegen.docs.outline import docs_outline
from sitegen.output.folder import OutputError, OutputFolder
from sitegen.output.generations import (
    FileChanges,
    differing_paths,
    file_changes,
    live_generation,
    record_generation,
)
from sitegen.output.manifest import LIVE
from sitegen.output.retired_assets import retire_assets
from sitegen.page import (
    GENERATORS,
    SHARED,
    BuildContext,
    Item,
    KeyedPages,
    MadePages,
    Page,
    PageBatch,
    PageGenerator,
    Stage,
)

log = logging.getLogger("masthead.builds")

# A build that has written this many files is long, and is shared with a worker.
LONG_BUILD = 100

# A page and its area, and what makes pages of an area.
AreaPage = tuple[Page, str]
AreaItem = tuple[Page | KeyedPages, str]
Progress = Callable[[Iterable[AreaPage]], Iterable[AreaPage]]


def build(
    context: BuildContext,
    areas: Iterable[str] = AREAS,
    *,
    full: bool = False,
    progress: Progress = iter,
    folder: OutputFolder | None = None,
    separate_docs: SeparateDocs | None = None,
) -> BuildReport:
    """
    Bring the areas, and the pages that all areas share, up to date.

    With `separate_docs`, documents are not built here: a process of their own has
    written them aside, and this puts them in place if `areas` include them. If there
    are more to come and no other areas, nothing else happens.

    If a page cannot be rendered, its old file stays, the report names it, and its area
    remains behind. With `full`, every page is rendered again. Raise OutputError if the
    folder cannot be written.
    """
    areas = list(areas)
    folder = folder or output_folder(context)
    with folder.locked(), context.bodies.saving():
        with reading():
            _require_unused(folder)
            docs = (
                separate_docs.begin(context, folder, is_docs_turn=AREA in areas)
                if separate_docs
                else None
            )
            if separate_docs and docs and not docs.is_last and areas == [AREA]:
                return _put_part_in_place(folder, separate_docs, docs)
            current_marks = marks()
            site_build = Build(
                context,
                folder,
                current_marks,
                full=full,
                docs=docs,
                has_documents=separate_docs is None,
            )
            with closing(site_build.work_split):
                built_areas = site_build.widened(areas)
                site_build.write_pages([*built_areas, SHARED], progress)
            built_marks = {area: current_marks[area] for area in built_areas}
            if docs is not None and docs.is_last:
                built_marks[AREA] = docs.mark
            live = _live_state(built_marks)
        site_build.remove_stale([*built_areas, SHARED])
        site_build.finish(live, [*built_areas, SHARED])
        report = site_build.report
        note_built(built_marks, report.failed, context.now)
        if separate_docs is not None:
            separate_docs.end(folder, docs, site_build.docs_seconds)
    report.marks, report.version = built_marks, site_build.writer.version
    report.warnings = sorted({*context.warnings, *site_build.broken_links()})
    return report


def _put_part_in_place(
    folder: OutputFolder, separate_docs: SeparateDocs, docs: DocsResult
) -> BuildReport:
    """
    Put some of many documents in place, and suspend the build.

    The manifest of ten thousand documents takes longer than a part. A later build
    writes it, and the record of what changed.
    """
    started = time.perf_counter()
    version, entries, made = folder.version(), folder.start(), folder.made()
    folder.mark_unfinished()
    for path in docs.staged:
        folder.take(docs.staging, path, is_synced=docs.is_synced)
    folder.suspend(version, {**entries, **docs.entries}, made)
    separate_docs.end(folder, docs, time.perf_counter() - started)
    return BuildReport(written=docs.written, is_suspended=True)


def output_folder(context: BuildContext) -> OutputFolder:
    """Return the output folder, the same object for all builds of this process."""
    return context.once_per_process(_OutputFolders).at(context.settings.output)


def _require_unused(folder: OutputFolder) -> None:
    """Refuse the folder of another server: the two would remove each other's pages."""
    if lock_owner(folder.path / LOCK_FILE) not in (None, instance_id()):
        raise OutputError(
            f"The output folder {folder.path} belongs to another running server,"
            " which uses another database. Configure a separate folder for each.",
            "output-taken",
        )


@dataclass(frozen=True)
class _SizedPages:
    """The pages of a build, and about how many they are, for a progress bar."""

    pages: Iterator[AreaPage]
    expected: int

    def __iter__(self) -> Iterator[AreaPage]:
        return self.pages

    def __len__(self) -> int:
        return self.expected


class _OutputFolders:
    """The output folders of this process, each of which caches its manifest."""

    def __init__(self) -> None:
        self._folders: dict[str, OutputFolder] = {}

    def at(self, path: str) -> OutputFolder:
        return self._folders.setdefault(path, OutputFolder(path))


class Build:
    """
    The state of one build.

    Documents are built here if `has_documents`; else `docs` are those to put in place.
    """

    def __init__(
        self,
        context: BuildContext,
        folder: OutputFolder,
        current_marks: dict[str, int],
        *,
        full: bool = False,
        docs: DocsResult | None = None,
        has_documents: bool = True,
    ) -> None:
        self.context = context
        self.folder = folder
        self.docs = docs
        self.has_documents = has_documents
        self.interrupted = folder.interrupted_entries()
        self.before = folder.start()
        self._made_last: Mapping[str, MadePages] = folder.made()
        self._made: dict[str, MadePages] = {}
        self.writes_all = full or not self.before
        self.writer = PageWriter(
            context,
            folder,
            self.before,
            is_full=full,
            has_reference=bool(context.openapi),
        )
        self.work_split = WorkSplit(context, self.writer, current_marks)
        if self.writes_all and has_documents:
            self.work_split.prepare(published_count())
        self.entries = dict(self.before)
        self.report = BuildReport()
        self.paths: set[str] = set()
        # How long it took to put documents in place.
        self.docs_seconds = 0.0

    def widened(self, areas: Iterable[str]) -> list[str]:
        """
        Return the areas to build here: all if something that every page shows changed.
        """
        return [
            area
            for area in (areas if self._is_same_version() else AREAS)
            if self.has_documents or area != AREA
        ]

    def _is_same_version(self) -> bool:
        """Tell whether every page shows and links to what it did before this build."""
        return self.folder.version() == self.writer.version

    def write_pages(self, areas: list[str], progress: Progress = iter) -> None:
        pages = _SizedPages(self._pages_in_order(areas), self._expected_pages())
        for page, area in progress(pages):
            self.write(page, area)

    def write(self, page: Page, area: str) -> None:
        """Write one page unless it is up to date, here or in the worker process."""
        self.paths.add(page.path)
        try:
            result = self.work_split.result(page, area) or self.writer.write(page, area)
        except PageError as error:
            line = LogLine(build="failed", state="pages-failed", page=page.path)
            log.error(line, exc_info=error.__cause__)
            self.report.failed.append((page.path, area, str(error)))
            return
        self.entries[page.path] = result.entry
        if result.is_written:
            self.report.written.append(page.path)
        else:
            self.report.unchanged += 1

    def _expected_pages(self) -> int:
        """Return about how many pages there are: each document has three files."""
        outline = docs_outline(self.context)
        documents = sum(collection.count for collection in outline.collections)
        return max(len(self.before), 3 * documents)

    def _pages_in_order(self, areas: list[str]) -> Iterator[AreaPage]:
        """
        Yield every page of the areas, stage by stage.

        Urgent pages are in place before anything else is made or put in place, unless
        all pages now link to something else among the documents. A page whose required
        pages do not exist yet comes after the lists.
        """
        are_docs_first = self.docs is not None and not self._is_same_version()
        if SHARED in areas:
            for path, content in self.context.theme.assets.values():
                yield Page(path, content), SHARED
        generators = sorted(
            chain.from_iterable(GENERATORS.get(area, []) for area in areas),
            key=lambda generator: generator.stage,
        )
        background = self._start_background(generators)
        waiting: list[AreaItem] = []
        urgent = [each for each in generators if each.stage is Stage.URGENT]
        if are_docs_first:
            self._take_documents()
        for generator in urgent:
            yield from self._ready_pages(generator, background, waiting)
        self.folder.put_in_place()
        if not are_docs_first:
            self._take_documents()
        for generator in generators[len(urgent) :]:
            if generator.stage > Stage.LISTS:
                yield from self._waiting_pages(waiting)
            yield from self._ready_pages(generator, background, waiting)
        yield from self._waiting_pages(waiting)

    def _ready_pages(
        self,
        generator: PageGenerator,
        background: dict[PageGenerator, list[Item]],
        waiting: list[AreaItem],
    ) -> Iterator[AreaPage]:
        """Yield the pages whose required pages exist, and add the others to waiting."""
        items: Iterable[Item] = (
            background[generator]
            if generator in background
            else generator.function(self.context)
        )
        for item in items:
            if isinstance(item, PageBatch):
                yield from self._pages_of_batch(item, generator)
            elif self._is_ready(item):
                yield from self._pages_of_item(item, generator.area)
            else:
                waiting.append((item, generator.area))

    def _is_ready(self, item: Page | KeyedPages) -> bool:
        return all(path in self.entries for path in item.requires)

    def _waiting_pages(self, waiting: list[AreaItem]) -> Iterator[AreaPage]:
        """Yield the pages that wait, those that others require before these."""
        while waiting:
            ready = [each for each in waiting if self._is_ready(each[0])]
            others = [each for each in waiting if not self._is_ready(each[0])]
            waiting[:] = others if ready else []
            for item, area in ready or others:
                yield from self._pages_of_item(item, area)

    def _pages_of_item(self, item: Page | KeyedPages, area: str) -> Iterator[AreaPage]:
        """Yield the pages, none if they are as the last build made them."""
        if isinstance(item, Page):
            yield item, area
            return
        known = self._made_before.get(item.name)
        if known is not None and known.key == item.key and not self._is_damaged(known):
            self._made[item.name] = known
            self.paths.update(known.paths)
            self.report.unchanged += len(known.paths)
            return
        paths = []
        for page in item.make():
            # The text that the manifest has already, if it has it.
            paths.append(self._known_paths.get(page.path, page.path))
            yield page, area
        self._made[item.name] = MadePages(area, item.key, tuple(paths))

    @cached_property
    def _known_paths(self) -> Mapping[str, str]:
        return {path: path for path in self.before}

    def _is_damaged(self, made: MadePages) -> bool:
        damaged = self.folder.damaged
        return bool(damaged) and not damaged.isdisjoint(made.paths)

    @cached_property
    def _made_before(self) -> Mapping[str, MadePages]:
        return {} if self.writes_all or not self._is_same_version() else self._made_last

    def _made_now(self, areas: Iterable[str]) -> dict[str, MadePages]:
        """Return what the files are made of now that the areas are built."""
        failed = {path for path, _, _ in self.report.failed}
        kept = {
            name: made
            for name, made in self._made_last.items()
            if made.area not in areas
        }
        return kept | {
            name: made
            for name, made in self._made.items()
            if failed.isdisjoint(made.paths)
        }

    def _take_documents(self) -> None:
        """Put the documents in place that another process has written aside."""
        docs = self.docs
        if docs is None:
            return
        started = time.perf_counter()
        if docs.staged:
            self.writer.start()
        for path in docs.staged:
            self.folder.take(docs.staging, path, is_synced=docs.is_synced)
        self.folder.put_in_place()
        self.docs_seconds = time.perf_counter() - started
        self.entries |= docs.entries
        self.report.written += docs.written
        self.report.unchanged += docs.unchanged
        self.report.failed += docs.failed

    def _start_background(
        self, generators: list[PageGenerator]
    ) -> dict[PageGenerator, list[Item]]:
        """Have the worker start on background batches, if many of their pages lack."""
        items = {
            generator: list(generator.function(self.context))
            for generator in generators
            if generator.stage is Stage.BACKGROUND
        }
        for generator, pages in items.items():
            for batch in pages:
                if isinstance(batch, PageBatch):
                    self.work_split.start(batch, generator)
        return items

    def _pages_of_batch(
        self, batch: PageBatch, generator: PageGenerator
    ) -> Iterator[AreaPage]:
        compute = partial(self._compute_costly_lists, generator.area)
        for page in self.work_split.pages(batch, generator, self._is_long, compute):
            yield page, generator.area

    def _compute_costly_lists(self, area: str) -> None:
        """Compute the data of costly lists, which their generators then cache."""
        for generator in chain(GENERATORS[area], GENERATORS.get(SHARED, ())):
            if generator.stage is Stage.COSTLY_LISTS:
                for page in generator.function(self.context):
                    if isinstance(page, Page) and not self.writer.is_up_to_date(page):
                        page.load_data()

    def _is_long(self) -> bool:
        return self.writes_all or len(self.report.written) >= LONG_BUILD

    def broken_links(self) -> list[str]:
        """Return a warning for each link to a file that does not exist."""
        return [
            warning
            for href, warning in self.context.unchecked_links
            if not any(path in self.entries for path in candidate_files(href))
        ]

    def remove_stale(self, areas: list[str]) -> None:
        """Remove the files that no generator yields any more."""
        # Files of an unknown area are documents, too, if those are built elsewhere.
        areas = [*areas, ""] if self.has_documents else areas
        stale = [
            path
            for path, entry in self.before.items()
            if path not in self.paths and entry.area in areas
        ]
        stale += [
            path
            for path in (self.docs.removed if self.docs else ())
            # It may have become a page of another area meanwhile.
            if path in self.entries and self.entries[path].area in (AREA, "")
        ]
        # An open tab still needs the styles and scripts that its page was made with.
        assets = [path for path in stale if path.startswith("assets/")]
        for path in stale:
            del self.entries[path]
        if stale:
            self.writer.start()
            # The pages no longer link to them.
            self.folder.flush()
        removed = sorted(set(stale) - set(assets))
        for path in removed:
            self.folder.remove(path)
        if assets:
            now = self.context.now
            removed += retire_assets(self.folder, assets, self.entries, now)
        self.report.removed += removed

    def finish(self, live: dict[str, Any], areas: Iterable[str]) -> None:
        """Write the record of the changes, the live state and then the manifest."""
        generation = live["generation"]
        if self.report.failed:
            # A site without one of its pages is not the new generation.
            generation = live_generation(self.folder)
        record_generation(self.folder, generation, self._changes())
        if not self.report.failed:
            self.write(Page(LIVE, live), SHARED)
        # The manifest does not list it. If the cached manifest did, the next build
        # would remove it as a file that no generator yields.
        self.entries.pop(LIVE, None)
        made = self._made_now(areas)
        self.folder.finish(self.writer.version, self.entries, made)

    def _changes(self) -> FileChanges:
        url = self.context.settings.site_url
        touched = [*self.report.written, *self.report.removed]
        changes = file_changes(touched, self.before, self.entries, url)
        if self.interrupted is None:
            return changes
        # The build that died has recorded nothing.
        before = self.interrupted
        differing = differing_paths(before, self.entries)
        return changes.then(file_changes(differing, before, self.entries, url))


def _live_state(built_marks: dict[str, int]) -> dict[str, Any]:
    """Return the live generation, and the newest records of the audit logs."""
    links = {area: last_link(area) for area in AUDITED_AREAS}
    return {"generation": generation_with(built_marks), "audit": links}
