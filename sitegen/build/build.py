"""
One build: what should stand is compared with what stands, and made true.

Every page of the areas is yielded; its fingerprint decides whether it is made.
So a forgotten dependency cannot exist, and a build may run as often as it likes.
"""

import logging
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import Any

from models.audit import AUDITED_AREAS, last_link
from models.changes import AREAS, generation_with, marks, note_built
from models.instance import instance_id
from models.logs import LogLine
from models.projects.documents.published import published_count
from models.response_headers import candidate_files
from models.runtime.server_locks import LOCK_FILE, lock_owner
from models.storage.database import reading
from sitegen.build.page_writer import Maker, PageError
from sitegen.build.report import Report
from sitegen.build.work_split import Helper, name_of
from sitegen.docs.collections import docs_collections
from sitegen.output.folder import Folder, OutputError
from sitegen.output.generations import (
    Change,
    change_of,
    differing,
    live_generation,
    note,
)
from sitegen.output.manifest import LIVE
from sitegen.output.retired_assets import retire
from sitegen.page import (
    APART,
    COSTLY,
    FIRST,
    PAGES,
    SHARED,
    BuildContext,
    Page,
    PageBatch,
    Pages,
    Rank,
)

log = logging.getLogger("masthead.builds")

# From so many on that had to be written a build is long.
MANY = 100

Planned = tuple[Page, str]
Progress = Callable[[Iterable[Planned]], Iterable[Planned]]


def build(
    context: BuildContext,
    areas: Iterable[str] = AREAS,
    *,
    full: bool = False,
    progress: Progress = iter,
    folder: Folder | None = None,
) -> Report:
    """
    Bring the areas, and what all areas share, up to date in the output folder.

    A page that cannot be made keeps yesterday's file, is reported and leaves its
    area behind. With `full` every page is made again. Raise OutputError when the
    folder cannot be written.
    """
    folder = folder or folder_of(context)
    with folder.locked(), context.bodies.keeping():
        with reading():
            _require_free(folder)
            marked = marks()
            work = _Work(context, folder, marked, full)
            with closing(work.helper):
                numbers = {area: marked[area] for area in work.widened(areas)}
                work.settle_all([*numbers, SHARED], progress)
            live = _live(numbers)
        work.clear([*numbers, SHARED])
        work.finish(live)
        note_built(numbers, work.report.failed, context.now)
        work.report.manifest = folder.stamp()
    work.report.numbers = numbers
    lost = [told for href, told in context.leads if not work.holds(href)]
    work.report.warnings = sorted({*context.warnings, *lost})
    return work.report


def folder_of(context: BuildContext) -> Folder:
    """Return the output folder, which is one for all builds of this process."""
    return context.always(_Folders).of(context.settings.output)


def _require_free(folder: Folder) -> None:
    """Two servers of two databases would take each other's pages away."""
    if lock_owner(folder.path / LOCK_FILE) not in (None, instance_id()):
        raise OutputError(
            f"The output folder {folder.path} is that of another running server,"
            " which has another database. Name a folder of its own for each.",
            "output-taken",
        )


@dataclass(frozen=True)
class Plan:
    """The pages of a build one by one, and about how many they will be."""

    pages: Iterator[Planned]
    expected: int

    def __iter__(self) -> Iterator[Planned]:
        return self.pages

    def __len__(self) -> int:
        return self.expected


class _Folders:
    """The output folders of this process: one that wrote here knows what stands."""

    def __init__(self) -> None:
        self._known: dict[str, Folder] = {}

    def of(self, path: str) -> Folder:
        return self._known.setdefault(path, Folder(path))


class _Work:
    """The state of one build."""

    def __init__(
        self, context: BuildContext, folder: Folder, marked: dict[str, int], full: bool
    ) -> None:
        self.context = context
        self.folder = folder
        self.interrupted = folder.interrupted()
        self.before = folder.manifest()
        self.is_all = full or not self.before
        self.maker = Maker(context, folder, self.before, is_full=full)
        self.helper = Helper(context, self.maker, marked)
        if self.is_all:
            self.helper.expect(published_count())
        self.entries = dict(self.before)
        self.report = Report()
        self.seen: set[str] = set()

    def widened(self, areas: Iterable[str]) -> Iterable[str]:
        """Return all areas where what every page shows is not what it was."""
        return areas if self.folder.version() == self.maker.version else AREAS

    def _expected(self) -> int:
        """Return about how many pages there are: each document has three files."""
        documents = sum(
            len(collection.documents) for collection in docs_collections(self.context)
        )
        return max(len(self.before), 3 * documents)

    def settle_all(self, areas: list[str], progress: Progress) -> None:
        """Make every page true that should stand."""
        for page, area in progress(Plan(self._planned(areas), self._expected())):
            self.settle(page, area)

    def _planned(self, areas: list[str]) -> Iterator[Planned]:
        """
        Yield every page that should stand, in the order of writing.

        A leaf is yielded as soon as it is known, so that it need not wait for what
        the lists show. Last among leaves come those that are made apart meanwhile.
        Lists follow when all leaves are written; one that tells what it links to,
        as soon as that stands.
        """
        for path, content in self.context.theme.assets.values():
            yield Page(path, content), SHARED
        later: list[Planned] = []
        functions = [(area, each) for area in areas for each in PAGES.get(area, [])]
        apart = {f: list(f(self.context)) for _, f in functions if f in APART}
        begun = self._begun(functions, apart)
        order = {each: (each not in FIRST, each in begun) for _, each in functions}
        for area, function in sorted(functions, key=lambda each: order[each[1]]):
            read = apart[function] if function in apart else function(self.context)
            for page in read:
                if isinstance(page, PageBatch):
                    yield from self._in_turn(page, function, area)
                elif page.rank is Rank.LEAF or self._all_stand(page.links):
                    yield page, area
                else:
                    later.append((page, area))
        yield from sorted(later, key=lambda pair: (pair[0].rank, pair[0].path))

    def _in_turn(self, row: PageBatch, function: Pages, area: str) -> Iterator[Planned]:
        of = name_of(function, area)
        ahead = partial(self._work_out, area)
        for page in self.helper.in_turn(row, of, self._is_long, ahead):
            yield page, area

    def _begun(
        self,
        functions: list[tuple[str, Pages]],
        apart: dict[Pages, list[Page | PageBatch]],
    ) -> set[Pages]:
        """Have rows begun that can be made apart, if so much of them lacks."""
        return {
            function
            for area, function in functions
            for row in apart.get(function, [])
            if isinstance(row, PageBatch)
            and self.helper.begin(row, name_of(function, area))
        }

    def _work_out(self, area: str) -> None:
        """Work out what is costly of the pages to come, where they lack."""
        for function in COSTLY.intersection(PAGES[area]):
            for page in function(self.context):
                if isinstance(page, Page) and not self.maker.stands(page):
                    page.content()

    def _is_long(self) -> bool:
        return self.is_all or len(self.report.written) >= MANY

    def _all_stand(self, paths: Collection[str]) -> bool:
        return bool(paths) and all(each in self.entries for each in paths)

    def settle(self, page: Page, area: str) -> None:
        """Make one page true, unless it is already."""
        self.seen.add(page.path)
        try:
            made = self.helper.made(page, area) or self.maker.made(page, area)
        except PageError as error:
            told = LogLine(build="failed", state="pages-failed", page=page.path)
            log.error(told, exc_info=error.__cause__)
            self.report.failed.append((page.path, area, str(error)))
            return
        self.entries[page.path] = made.entry
        if made.is_written:
            self.report.written.append(page.path)
        else:
            self.report.unchanged += 1

    def holds(self, href: str) -> bool:
        """Tell whether something stands at an address of the site."""
        return any(path in self.entries for path in candidate_files(href))

    def clear(self, areas: list[str]) -> None:
        """Remove what nobody yielded any more."""
        stale = [
            path
            for path, entry in self.before.items()
            if path not in self.seen and entry.area in [*areas, ""]
        ]
        self.folder.show()
        # An open tab still needs the styles and scripts that it was made with.
        assets = [path for path in stale if path.startswith("assets/")]
        for path in stale:
            del self.entries[path]
        if stale:
            self.maker.begin()
        gone = sorted(set(stale) - set(assets))
        for path in gone:
            self.folder.remove(path)
        if assets:
            gone += retire(self.folder, assets, self.entries, self.context.now)
        self.report.removed += gone

    def finish(self, live: dict[str, Any]) -> None:
        """Tell what changed before the manifest forgets what was, then what is live."""
        generation = live["generation"]
        if self.report.failed:
            # A site that lacks a page is not what was promised.
            generation = live_generation(self.folder)
        note(self.folder, generation, self._change())
        if not self.report.failed:
            self.settle(Page(LIVE, live, rank=Rank.LAST), SHARED)
        # No manifest tells of it, so what is remembered of this build must not
        # either: the next one would take it away as what nobody yields.
        self.entries.pop(LIVE, None)
        self.folder.finish(self.maker.version, self.entries)

    def _change(self) -> Change:
        url = self.context.settings.site_url
        touched = [*self.report.written, *self.report.removed]
        change = change_of(touched, self.before, self.entries, url)
        if self.interrupted is None:
            return change
        # The build that died has told nobody what it changed.
        before = self.interrupted
        differ = differing(before, self.entries)
        return change.then(change_of(differ, before, self.entries, url))


def _live(numbers: dict[str, int]) -> dict[str, Any]:
    """What is live, so that a writer can wait for it; and how the audit stands."""
    links = {area: last_link(area) for area in AUDITED_AREAS}
    return {"generation": generation_with(numbers), "audit": links}
