"""Write files atomically: as drafts in a folder aside, synced, then renamed."""

import os
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import cached_property
from pathlib import Path

# Each of the first files is synced by a thread, and several at the same time: a disk
# takes hardly longer for eight files than for one. Those after them are synced by one
# call for all.
MAX_SINGLE, SYNC_THREADS = 100, 8


class AtomicWriter:
    """
    Writes files into a folder, and puts them in place in the order of their writing.

    What is written waits as a draft, so that readers get the old files until
    `put_in_place`, and a process that dies before it has changed nothing.
    """

    def __init__(self, root: str, drafts: str) -> None:
        """Drafts wait in a folder of this name, which no other writer uses."""
        self._root = root
        self._drafts_folder = f"{root}/{drafts}"
        # The number of each file's draft.
        self._drafts: dict[str, int] = {}
        self._written = 0
        # What the threads have to sync.
        self._syncing: list[Future[None]] = []
        # Whether the disk has those that no thread syncs.
        self._is_synced = True

    def write(self, path: str, content: bytes | bytearray) -> None:
        """Write a file that readers get once it is put in place."""
        self._written += 1
        draft = self._draft(self._written)
        self._write_draft(draft, content)
        if self._written <= MAX_SINGLE:
            self._syncing.append(self._executor.submit(self._sync_file, draft))
        else:
            self._is_synced = False
        # A file that is written again comes where the later one does.
        self._drafts.pop(path, None)
        self._drafts[path] = self._written

    def sync(self) -> None:
        """Wait until the disk has all drafts, which takes longer than renaming them."""
        for synced in self._syncing:
            synced.result()
        self._syncing.clear()
        if not self._is_synced:
            self._sync_all()
            self._is_synced = True

    def put_in_place(self) -> None:
        """Sync what was written, and show it to readers in the order of its writing."""
        if not self._drafts:
            return
        self.sync()
        self._before_changes()
        for path, number in self._drafts.items():
            draft, target = self._draft(number), f"{self._root}/{path}"
            try:
                self._rename(draft, target)
            except FileNotFoundError:
                os.makedirs(target.rpartition("/")[0], exist_ok=True)
                self._rename(draft, target)
        self._drafts.clear()
        self._written = 0

    def reset(self) -> None:
        """Remove the drafts that a failed build, or one that died, has left."""
        for synced in self._syncing:
            with suppress(OSError):
                synced.result()
        self._syncing.clear()
        self._drafts.clear()
        self._written, self._is_synced = 0, True
        with suppress(FileNotFoundError):
            for draft in os.listdir(self._drafts_folder):
                os.unlink(f"{self._drafts_folder}/{draft}")

    def _before_changes(self) -> None:
        """Do what must precede the first file that readers see changed."""

    def remove(self, path: str) -> None:
        """Remove a file and the folders that this leaves empty."""
        root, target = Path(self._root), Path(self._root, path)
        target.unlink(missing_ok=True)
        with suppress(OSError):
            for folder in target.parents:
                if folder == root:
                    break
                folder.rmdir()

    @cached_property
    def _executor(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(SYNC_THREADS)

    def _draft(self, number: int) -> str:
        return f"{self._drafts_folder}/{number}"

    def _write_draft(self, draft: str, content: bytes | bytearray) -> None:
        if self._written == 1:
            os.makedirs(self._drafts_folder, exist_ok=True)
        file = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
        try:
            rest = memoryview(content)
            while rest:
                # A disk that is nearly full writes a part, and fails at the next call.
                rest = rest[os.write(file, rest) :]
        finally:
            os.close(file)

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
