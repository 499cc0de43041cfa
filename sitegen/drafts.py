"""Files that are written beside and moved over: a few at once, many in company."""

import os
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import cached_property

DRAFT = ".draft"
# So many files of a build are each brought to the disk before they are moved over.
# From there on all drafts are, by one call, and then moved, so many at a time.
FEW, MANY = 100, 8000
# Meanwhile so many bytes wait in memory until a thread has written them beside.
HELD_BYTES = 1024 * 1024

Drafted = tuple[str, str]


class Drafts:
    """What is written into a folder; `few` files of a build are moved over at once."""

    def __init__(self, root: str, few: int = FEW) -> None:
        self._root = root
        self._few = few
        self._written = 0
        self._held: list[tuple[str, bytes]] = []
        self._held_bytes = 0
        self._drafted: list[Drafted] = []
        self._under_way: Future[None] | None = None
        self._folders: set[str] = set()

    def write(self, path: str, content: bytes) -> None:
        """
        Write beside, sync, move over: whoever reads gets the old or the new.

        In a large build that is done for many files at once, by a thread, while the
        next ones are made; `show` waits for it.
        """
        self._written += 1
        if self._written <= self._few:
            self._move(*self._draft(path, content, sync=True))
            return
        self._held.append((path, content))
        self._held_bytes += len(content)
        if self._held_bytes >= HELD_BYTES:
            self._await()
            held, self._held, self._held_bytes = self._held, [], 0
            self._under_way = self._thread.submit(self._write_beside, held)

    def show(self) -> None:
        """Move over all that was written and waits."""
        self._await()
        held, self._held, self._held_bytes = self._held, [], 0
        self._write_beside(held)
        if self._drafted:
            self._move_over()

    def forget(self) -> None:
        """Begin anew; what a build that failed has left beside is swept later."""
        with suppress(OSError):
            self._await()
        self._held, self._held_bytes, self._drafted = [], 0, []
        self._written = 0
        self._folders.clear()

    @cached_property
    def _thread(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(1)

    def _await(self) -> None:
        under_way, self._under_way = self._under_way, None
        if under_way is not None:
            under_way.result()

    def _write_beside(self, held: list[tuple[str, bytes]]) -> None:
        self._drafted += [self._draft(path, content) for path, content in held]
        if len(self._drafted) >= MANY:
            self._move_over()

    def _move_over(self) -> None:
        self._sync_all()
        for draft, target in self._drafted:
            self._move(draft, target)
        self._drafted = []

    def _draft(self, path: str, content: bytes, *, sync: bool = False) -> Drafted:
        target = f"{self._root}/{path}"
        folder, _, name = target.rpartition("/")
        if folder not in self._folders:
            os.makedirs(folder, exist_ok=True)
            self._folders.add(folder)
        # Hidden by its dot: no server shows it, whatever becomes of this process.
        draft = f"{folder}/.{name}{DRAFT}"
        with open(draft, "wb", buffering=0) as file:
            rest = memoryview(content)
            while rest:
                # A disk that is nearly full takes a part, and refuses the next.
                rest = rest[file.write(rest) :]
            if sync:
                self._sync(file.fileno())
        return draft, target

    def _sync(self, descriptor: int) -> None:
        os.fsync(descriptor)

    def _sync_all(self) -> None:
        os.sync()

    def _move(self, draft: str, target: str) -> None:
        os.replace(draft, target)
