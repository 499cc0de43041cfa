"""Write files atomically: as a draft beside the target, synced, then renamed."""

import os
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from functools import cached_property

DRAFT = ".draft"
# Each of the first files of a build is synced by a thread, and several at the same
# time: a disk takes hardly longer for eight files than for one. After that, all drafts
# are synced by one call and then renamed, this many at a time.
MAX_SINGLE, SYNC_THREADS, BATCH_SIZE = 100, 8, 4000
# Contents of this many bytes wait in memory until a thread writes them as drafts.
BUFFER_BYTES = 1024 * 1024

# The paths of a draft and of its target.
Draft = tuple[str, str]


class AtomicWriter:
    """
    Writes files into a folder, and puts them in place in the order of their writing.

    A file is in place once `put_in_place` or `flush` has returned. The first
    `max_single` files of a build are synced one by one.
    """

    def __init__(self, root: str, max_single: int = MAX_SINGLE) -> None:
        self._root = root
        self._max_single = max_single
        self._written = 0
        self._buffer: list[tuple[str, bytes]] = []
        self._buffer_bytes = 0
        self._drafts: list[Draft] = []
        # The drafts that threads sync one by one, by the path of the target.
        self._syncing: dict[str, tuple[str, Future[None]]] = {}
        # Threads write drafts and rename them, since the disk may take long.
        self._pending_write: Future[None] | None = None
        self._pending_rename: Future[None] | None = None
        self._folders: set[str] = set()

    def write(self, path: str, content: bytes) -> None:
        """
        Write a file so that readers get either the old content or the new one.

        Threads sync it while the next files are made, in a large build many files
        together; `flush` waits for them.
        """
        self._written += 1
        if not self.is_large:
            self._sync_in_thread(*self._write_draft(path, content))
            return
        self.put_in_place()
        self._buffer.append((path, content))
        self._buffer_bytes += len(content)
        if self._buffer_bytes >= BUFFER_BYTES:
            if self._pending_write is not None:
                self._pending_write.result()
            self._pending_write = self._write_executor.submit(
                self._write_drafts, self._take_buffer()
            )

    @property
    def is_large(self) -> bool:
        """Tell whether the build has written more files than are synced one by one."""
        return self._written > self._max_single

    def put_in_place(self) -> None:
        """Put the files in place that are synced one by one, once all of them are."""
        syncing, self._syncing = self._syncing, {}
        futures = [future for _, future in syncing.values()]
        wait(futures)
        for future in futures:
            future.result()
        for target, (draft, _) in syncing.items():
            self._rename(draft, target)

    def flush(self) -> None:
        """Put everything in place that was written and waits."""
        self.put_in_place()
        self._await_pending()
        self._write_drafts(self._take_buffer())
        drafts, self._drafts = self._drafts, []
        if drafts:
            self._rename_all(drafts)

    def reset(self) -> None:
        """Start a new build; remove the drafts that a failed build has left."""
        wait([future for _, future in self._syncing.values()])
        with suppress(OSError):
            self._await_pending()
        self._take_buffer()
        syncing = [draft for draft, _ in self._syncing.values()]
        for draft in [*syncing, *(draft for draft, _ in self._drafts)]:
            with suppress(OSError):
                os.unlink(draft)
        self._syncing.clear()
        self._drafts, self._written = [], 0
        self._folders.clear()

    def _take_buffer(self) -> list[tuple[str, bytes]]:
        buffer, self._buffer, self._buffer_bytes = self._buffer, [], 0
        return buffer

    @cached_property
    def _sync_executor(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(SYNC_THREADS)

    @cached_property
    def _write_executor(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(1)

    @cached_property
    def _rename_executor(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(1)

    def _await_pending(self) -> None:
        """Wait until all drafts are written, and then until they are renamed."""
        pending, self._pending_write = self._pending_write, None
        try:
            if pending is not None:
                pending.result()
        finally:
            pending, self._pending_rename = self._pending_rename, None
            if pending is not None:
                pending.result()

    def _write_drafts(self, files: list[tuple[str, bytes]]) -> None:
        self._drafts += [self._write_draft(path, content) for path, content in files]
        if len(self._drafts) >= BATCH_SIZE:
            drafts, self._drafts = self._drafts, []
            if self._pending_rename is not None:
                self._pending_rename.result()
            self._pending_rename = self._rename_executor.submit(
                self._rename_all, drafts
            )

    def _rename_all(self, drafts: list[Draft]) -> None:
        self._sync_all()
        for draft, target in drafts:
            self._rename(draft, target)

    def _write_draft(self, path: str, content: bytes) -> Draft:
        target = f"{self._root}/{path}"
        folder, _, name = target.rpartition("/")
        self._make_folder(folder)
        # Web servers do not serve hidden files, if this process dies here.
        draft = f"{folder}/.{name}{DRAFT}"
        file = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
        try:
            rest = memoryview(content)
            while rest:
                # A disk that is nearly full writes a part, and fails at the next call.
                rest = rest[os.write(file, rest) :]
        except OSError:
            # It would take the space that a full disk needs.
            os.unlink(draft)
            raise
        finally:
            os.close(file)
        return draft, target

    def _make_folder(self, folder: str) -> None:
        if folder not in self._folders:
            os.makedirs(folder, exist_ok=True)
            self._folders.add(folder)

    def _sync_in_thread(self, draft: str, target: str) -> None:
        self._syncing[target] = (
            draft,
            self._sync_executor.submit(self._sync_file, draft),
        )

    def _sync_file(self, path: str) -> None:
        file = os.open(path, os.O_RDONLY)
        try:
            self._sync(file)
        finally:
            os.close(file)

    def _sync(self, descriptor: int) -> None:
        os.fsync(descriptor)

    def _sync_all(self) -> None:
        os.sync()

    def _rename(self, draft: str, target: str) -> None:
        os.replace(draft, target)
