"""Know what a process of their own has made of the documents, for the builder."""

from datetime import datetime

from sitegen.builder.docs_process import DocsProcess
from sitegen.builder.docs_result import AREA, DocsResult
from sitegen.docs.outline import DocsOutline, outline_of_files, use_outline
from sitegen.output.folder import OutputFolder
from sitegen.page import BuildContext

# An incident waits until a part is in place. The first part is small, and the others
# take at most about so long, at the pace of the part before, so that a slow disk does
# not keep an incident waiting.
FIRST_PART_FILES, FILES_AT_ONCE = 50, 500
PART_SECONDS = 0.1


class SeparateDocs:
    """
    The documents as they are in the output folder, where this process puts them.

    A build calls `begin` once it has locked the folder, puts the files in place that it
    returns, and calls `end` when it has written the manifest or suspended the build.
    Many files are put in place by several builds, and pages that link to documents
    change with the last.
    """

    def __init__(self, process: DocsProcess) -> None:
        self.process = process
        # What is ready to be put in place, or left of that.
        self._result: DocsResult | None = None
        self._next_result: DocsResult | None = None
        # The manifest that this process last wrote, and what it says of documents.
        self._stamp: tuple[int, ...] | None = None
        self._outline = DocsOutline()
        # What every page showed when the documents' pages were made.
        self._version = ""
        # Whether the process knows all entries of the manifest.
        self._is_last_in_place = False
        self._is_outdated = False
        self._remaining_damage: set[str] = set()
        self._part_files = FIRST_PART_FILES

    @property
    def is_pending(self) -> bool:
        """Tell whether documents are being built or not in place yet."""
        return self.result() is not None or self.process.is_busy

    @property
    def has_settled(self) -> bool:
        """Tell whether the documents were built since the start, and are in place."""
        return self.process.has_responded and self._result is None

    @property
    def is_next_last(self) -> bool:
        """Tell whether all documents are in place after the next part, if any."""
        result = self.result()
        return result is None or (result.is_last and len(result.staged) <= self._count)

    @property
    def _count(self) -> int:
        return min(self._part_files, FILES_AT_ONCE)

    def result(self) -> DocsResult | None:
        """Return the result of which the next build puts a part in place, if any."""
        self._result = self._result or self.process.take_result()
        return self._result

    def begin(
        self, context: BuildContext, folder: OutputFolder, *, is_docs_turn: bool
    ) -> DocsResult | None:
        """Return what to put in place; have shared pages show what exists then."""
        result, self._result = self._result, None
        state = folder.state()
        if state is None or state.stamp != self._stamp:
            # Another process has built here, so the result compares with old files.
            result = None
            self._is_outdated = self.process.is_busy
            self._is_last_in_place = False
            # Looking for thousands of files takes long on a busy disk.
            has_file = state.entries.__contains__ if state else folder.exists
            self._outline = outline_of_files(context, has_file)
            self._version = ""
        elif result is not None and self._is_outdated:
            # Further results of the same build may follow.
            self._is_outdated = not result.is_last
            result = None
        part, self._next_result = None, result
        if result is not None and is_docs_turn:
            part, self._next_result = result.split(self._count)
            if part.is_last:
                self._outline = part.outline
        # Unless the build ends, the state of the folder is unknown to the next one.
        self._stamp = None
        use_outline(context, self._outline)
        self._remaining_damage = {
            path
            for path in folder.damaged
            if state is not None
            and path in state.entries
            and state.entries[path].area == AREA
        }
        return part

    def end(
        self, folder: OutputFolder, part: DocsResult | None, seconds: float
    ) -> None:
        """Note that the build has ended, and how long these documents took in it."""
        state = folder.state()
        self._stamp = state.stamp if state else None
        self._result = self._next_result
        if part is not None and part.staged and seconds:
            self._part_files = max(1, int(len(part.staged) * PART_SECONDS / seconds))
        if part is not None and part.is_last:
            self._version, self._is_last_in_place = part.version, True
            self._remaining_damage -= part.repaired
        folder.damaged |= self._remaining_damage

    def is_version(self, version: str) -> bool:
        """Tell whether the documents show what every page of this version shows."""
        return self._version == version

    def request(self, now: datetime, theme: str) -> None:
        """Have the documents built, unless that is under way already."""
        if self.is_pending:
            return
        self.process.request(
            {
                "now": now.isoformat(),
                "theme": theme,
                "isLastInPlace": self._is_last_in_place,
                "damaged": sorted(self._remaining_damage),
            }
        )
        self._is_last_in_place = False
