"""
Build the site: write the pages that changed, and remove those that no longer exist.

Every build yields all pages of its area, and the fingerprint of each page decides
whether its file is written (`page_writer.py`). So no dependency can be forgotten, and
a build may run at any time. Of KeyedPages, a process that builds again yields only
those whose key has changed.

Each area is built by a process of its own, so an incident never waits for documents.
New files wait aside until their area is made. Whoever has made an area then locks the
folder, puts the files in place, and makes the pages that all areas share.
"""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

from models.audit import AUDITED_AREAS, last_link
from models.changes import AREAS, generation_with, marks, note_built
from models.instance import instance_id
from models.logs import LogLine
from models.runtime.server_locks import LOCK_FILE, lock_owner
from models.site_addresses import candidate_files
from models.storage.database import reading
from sitegen.builder.page_writer import PageError, PageWriter, WriteResult
from sitegen.builder.report import BuildReport
from sitegen.docs.outline import (
    DocsOutline,
    docs_outline,
    store_outline,
    stored_outline,
    use_outline,
)
from sitegen.docs.pages import pages_of_new_texts
from sitegen.output.folder import (
    ALL_AREAS,
    OutputError,
    OutputFolder,
    OutputFolders,
    retire_assets,
    site_manifest,
)
from sitegen.output.generations import (
    FileChanges,
    differing_paths,
    file_changes,
    live_generation,
    record_generation,
)
from sitegen.output.manifest import LIVE, MANIFEST, SHARED
from sitegen.page import (
    GENERATORS,
    BuildContext,
    Item,
    KeyedPages,
    MadePages,
    Page,
    Stage,
)

log = logging.getLogger("masthead.builds")

Progress = Callable[[Iterable[Page]], Iterable[Page]]


def build(
    context: BuildContext,
    areas: Iterable[str] = AREAS,
    *,
    full: bool = False,
    progress: Progress = iter,
    folders: OutputFolders | None = None,
) -> BuildReport:
    """
    Bring the areas, and the pages that all areas share, up to date.

    If a page cannot be rendered, its old file stays, the report names it, and its area
    remains behind. With `full`, every page is rendered again. Raise OutputError if the
    folder cannot be written.
    """
    folders = folders or output_folders(context)
    report, shared_build = BuildReport(), None
    with context.bodies.saving():
        for area in areas:
            folder, shared = folders[area], folders[SHARED]
            # Always in this order, so that no two processes wait for each other.
            with folder.locked():
                with reading():
                    _require_unused(folder)
                    current = marks()
                    area_build = AreaBuild(context, folder, report, full=full)
                    area_build.make(progress)
                folder.sync()
                with shared.locked():
                    shared_build = _finish(area_build, shared, current, full=full)
                report.unchanged += area_build.unchanged
    # The shared pages are made with each area.
    report.written = list(dict.fromkeys(report.written))
    if shared_build is not None:
        changed = {*report.written, *(path for path, _, _ in report.failed)}
        report.unchanged += len(shared_build.paths - changed)
    report.warnings = sorted({*context.warnings, *_broken_links(context, folders)})
    return report


def output_folders(context: BuildContext) -> OutputFolders:
    """Return the output folder, the same object for all builds of this process."""
    known = context.once_per_process(dict[str, OutputFolders])
    path = context.settings.output
    if path not in known:
        known[path] = OutputFolders(path)
    return known[path]


def _require_unused(folder: OutputFolder) -> None:
    """Refuse the folder of another server: the two would remove each other's pages."""
    if lock_owner(folder.path / LOCK_FILE) not in (None, instance_id()):
        raise OutputError(
            f"The output folder {folder.path} belongs to another running server,"
            " which uses another database. Configure a separate folder for each.",
            "output-taken",
        )


def _finish(
    area: "AreaBuild", shared: OutputFolder, before: dict[str, int], *, full: bool
) -> "AreaBuild":
    """
    Put an area in place; write what all areas share, and what describes the site.

    Return the build of the shared pages. `before` has the marks from before the area
    was made. The shared pages show all areas as they are now, since that may have taken
    long.
    """
    report, is_docs = area.report, area.name == "docs"
    with reading():
        is_same = not is_docs and marks() == before
        context = area.context if is_same else area.context.renewed()
        outline = docs_outline(area.context) if is_docs else stored_outline(shared.path)
        use_outline(context, outline)
        shared_build = AreaBuild(context, shared, report, full=full)
        # What pages of the area need comes first.
        for page in shared_build.assets():
            shared_build.write(page)
        shared.put_in_place()
        area.folder.put_in_place()
        if is_docs:
            store_outline(outline, shared)
        shared_build.make()
        built = {area.name: before[area.name]}
        generation = _generation(shared, built)
        links = {name: last_link(name) for name in AUDITED_AREAS}
    shared.put_in_place()
    builds = (area, shared_build)
    for each, other in ((area, shared_build), (shared_build, area)):
        each.remove_stale(other)
    changes = area.changes().then(shared_build.changes())
    # A site without one of its pages is not the new generation.
    has_failed = bool(report.failed)
    live = live_generation(shared) if has_failed else generation
    record_generation(shared, live, changes)
    if not has_failed:
        page = Page(LIVE, {"generation": generation, "audit": links})
        shared_build.write_unlisted(page)
    # A build that dies from here on has recorded what it changed.
    shared.put_in_place()
    for each in builds:
        each.finish()
    content = site_manifest(shared)
    if not shared.has_content(MANIFEST, content):
        shared.write(MANIFEST, content)
    shared.put_in_place()
    for each in builds:
        each.folder.complete()
    note_built(built, report.failed, context.now)
    report.marks |= built
    return shared_build


def _generation(shared: OutputFolder, built: dict[str, int]) -> int:
    """
    Return the generation that is live now that the areas are built to these marks.

    What was live stays live while another area is behind; only a database that was
    restored has fewer generations.
    """
    live = live_generation(shared)
    return max(generation_with(built), live if live <= max(marks().values()) else 0)


def _broken_links(context: BuildContext, folders: OutputFolders) -> Iterator[str]:
    """Yield a warning for each link to a file that does not exist."""
    for href, warning in context.unchecked_links:
        if not any(folders[SHARED].exists(path) for path in candidate_files(href)):
            yield warning


@dataclass(frozen=True)
class _SizedPages:
    """The pages of a build, and about how many they are, for a progress bar."""

    pages: Iterator[Page]
    expected: int

    def __iter__(self) -> Iterator[Page]:
        return self.pages

    def __len__(self) -> int:
        return self.expected


class AreaBuild:
    """The build of one area: its pages are made, and put in place or removed later."""

    def __init__(
        self,
        context: BuildContext,
        folder: OutputFolder,
        report: BuildReport,
        *,
        full: bool = False,
    ) -> None:
        self.context, self.folder, self.report = context, folder, report
        self.name = folder.area
        if self.name == "status":
            use_outline(context, stored_outline(folder.path))
        self._interrupted = folder.interrupted_entries()
        self._before = folder.start()
        self._made_before, self._made = folder.made(), dict[str, MadePages]()
        self._is_full = full or not self._before
        self._entries = dict(self._before)
        self.paths: set[str] = set()
        self._touched: list[str] = []
        self._failed: set[str] = set()
        self.unchanged = 0

    @cached_property
    def writer(self) -> PageWriter:
        return PageWriter(
            self.context, self.folder, self._entries, is_full=self._is_full
        )

    @cached_property
    def _is_same_version(self) -> bool:
        """Return whether all pages show and link to what they did before this build."""
        return bool(self._before) and self.folder.version() == self.writer.version

    def make(self, progress: Progress = iter) -> None:
        """Write every page whose file is not up to date."""
        if self.name == "docs":
            self._write_new_texts()
        count = max(len(self._before), self._expected_pages())
        for page in progress(_SizedPages(self._pages_in_order(), count)):
            self.write(page)
        if self.name == "docs":
            known = self.context.once_per_process(_LastOutline)
            known.last = docs_outline(self.context)

    def write(self, page: Page) -> None:
        """Write one page unless it is up to date."""
        self.paths.add(page.path)
        try:
            result = self.writer.write(page, self.name)
        except PageError as error:
            line = LogLine(build="failed", state="pages-failed", page=page.path)
            log.error(line, exc_info=error.__cause__)
            self._failed.add(page.path)
            failure = (page.path, self.name, str(error))
            # The shared pages are made again with each area.
            if failure not in self.report.failed:
                self.report.failed.append(failure)
            return
        self._note(page, result)

    def _note(self, page: Page, result: WriteResult) -> None:
        self._entries[page.path] = result.entry
        if result.is_written:
            self._touched.append(page.path)
            self.report.written.append(page.path)
        else:
            self.unchanged += 1

    def write_unlisted(self, page: Page) -> None:
        """Write a page that the manifest does not list."""
        self.write(page)
        self._entries.pop(page.path, None)

    def assets(self) -> Iterator[Page]:
        for path, content in self.context.theme.assets.values():
            yield Page(path, content)

    def remove_stale(self, other: "AreaBuild") -> None:
        """Remove the files that no generator yields any more, here or in `other`."""
        stale = [path for path in self._before if path not in self.paths]
        if stale:
            # Such a page may be that of another area now.
            third = [area for area in ALL_AREAS if area != other.name]
            kept = other.paths | self.folder.listed_elsewhere(third)
            for path in kept.intersection(stale):
                del self._entries[path]
            stale = [path for path in stale if path not in kept]
        # An open tab still needs the styles and scripts that its page was made with.
        assets = [path for path in stale if path.startswith("assets/")]
        for path in stale:
            del self._entries[path]
        removed = sorted(set(stale) - set(assets))
        for path in removed:
            self.folder.remove(path)
        if assets:
            now = self.context.now
            removed += retire_assets(self.folder, assets, self._entries, now)
        self._touched += removed
        self.report.removed += removed

    def finish(self) -> None:
        """Write the manifest of the area."""
        made = {
            name: made
            for name, made in self._made.items()
            if self._failed.isdisjoint(made.paths)
        }
        self.folder.finish(self.writer.version, self._entries, made)

    def changes(self) -> FileChanges:
        url = self.context.settings.site_url
        changes = file_changes(self._touched, self._before, self._entries, url)
        if self._interrupted is None:
            return changes
        # The build that died has recorded nothing.
        before = self._interrupted
        differing = differing_paths(before, self._entries)
        return changes.then(file_changes(differing, before, self._entries, url))

    def _write_new_texts(self) -> None:
        """Show documents of which only the text changed before all others are read."""
        known = self.context.once_per_process(_LastOutline)
        if self._is_full or known.last is None:
            return
        context = self.context.renewed()
        use_outline(context, known.last)
        writer = PageWriter(context, self.folder, self._entries, is_full=False)
        if writer.version != self.folder.version():
            return
        for page in pages_of_new_texts(context):
            # The build of everything comes to the same error, and reports it.
            with suppress(PageError):
                self._note(page, writer.write(page, self.name))
        self.folder.put_in_place()

    def _expected_pages(self) -> int:
        """Return about how many pages there are: each document has three files."""
        if self.name != "docs":
            return 0
        return 3 * sum(each.count for each in docs_outline(self.context).collections)

    def _pages_in_order(self) -> Iterator[Page]:
        """
        Yield every page of the area, stage by stage.

        The pages of a stage are in place before those of the next are made, unless all
        pages now link to something else. A page whose required pages do not exist yet
        comes after the lists; of the shared pages, it stays as it is until another area
        is built.
        """
        generators = sorted(
            GENERATORS.get(self.name, ()), key=lambda generator: generator.stage
        )
        waiting: list[Item] = []
        stage = Stage.URGENT
        for generator in generators:
            if generator.stage > stage:
                stage = generator.stage
                if self._is_same_version:
                    self.folder.put_in_place()
            if stage > Stage.LISTS:
                yield from self._waiting_pages(waiting)
            for item in generator.function(self.context):
                if isinstance(item, KeyedPages) and self._keep_unchanged(item):
                    continue
                if self._is_ready(item):
                    yield from self._pages_of_item(item)
                elif self.name == SHARED and isinstance(item, Page):
                    self.paths.add(item.path)
                else:
                    waiting.append(item)
        yield from self._waiting_pages(waiting)

    def _is_ready(self, item: Item) -> bool:
        paths = item.requires if isinstance(item, Page) else item.requires()
        return all(path in self._entries or self.folder.exists(path) for path in paths)

    def _waiting_pages(self, waiting: list[Item]) -> Iterator[Page]:
        """Yield the pages that wait, those that others require before these."""
        while waiting:
            ready, others = list[Item](), list[Item]()
            for item in waiting:
                (ready if self._is_ready(item) else others).append(item)
            waiting[:] = others if ready else []
            for item in ready or others:
                yield from self._pages_of_item(item)

    def _pages_of_item(self, item: Item) -> Iterator[Page]:
        if isinstance(item, Page):
            yield item
            return
        paths = []
        for page in item.make():
            paths.append(page.path)
            yield page
        self._made[item.name] = MadePages(item.key, tuple(paths))

    def _keep_unchanged(self, item: KeyedPages) -> bool:
        """Keep the pages if the last build made them of the same; return whether."""
        known = self._known.get(item.name)
        if known is None or known.key != item.key:
            return False
        if not self.folder.damaged.isdisjoint(known.paths):
            return False
        self._made[item.name] = known
        self.paths.update(known.paths)
        self.unchanged += len(known.paths)
        return True

    @cached_property
    def _known(self) -> Mapping[str, MadePages]:
        return self._made_before if self._is_same_version and not self._is_full else {}


class _LastOutline:
    """What the last build of documents in this process made of them."""

    def __init__(self) -> None:
        self.last: DocsOutline | None = None
