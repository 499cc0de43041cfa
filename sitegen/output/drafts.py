"""Files that are written beside and moved over: a few at once, many in company."""

import os
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import cached_property

DRAFT = ".draft"
# So many files of a build are each brought to the disk before they are moved over.
# From there on all drafts are, by one call, and then moved, so many at a time.
FEW, MANY = 100, 4000
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
        # What is being written beside, and what moved over: the disk may take long.
        self._under_way: Future[None] | None = None
        self._on_its_way: Future[None] | None = None
        self._folders: set[str] = set()

    def write(self, path: str, content: bytes) -> None:
        """
        Write beside, sync, move over: whoever reads gets the old or the new.

        In a large build that is done for many files at once, by threads, while the
        next ones are made; `show` waits for them.
        """
        self._written += 1
        if self._written <= self._few:
            self._move(*self._draft(path, content, sync=True))
            return
        self._held.append((path, content))
        self._held_bytes += len(content)
        if self._held_bytes >= HELD_BYTES:
            if self._under_way is not None:
                self._under_way.result()
            self._under_way = self._writing.submit(self._write_beside, self._taken())

    def show(self) -> None:
        """Move over all that was written and waits."""
        self._await()
        self._write_beside(self._taken())
        drafted, self._drafted = self._drafted, []
        if drafted:
            self._move_over(drafted)

    def forget(self) -> None:
        """Begin anew; what a build that failed has left beside is swept later."""
        with suppress(OSError):
            self._await()
        self._taken()
        self._drafted, self._written = [], 0
        self._folders.clear()

    def _taken(self) -> list[tuple[str, bytes]]:
        """Take what is held in memory."""
        held, self._held, self._held_bytes = self._held, [], 0
        return held

    @cached_property
    def _writing(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(1)

    @cached_property
    def _moving(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(1)

    def _await(self) -> None:
        """Wait until all is beside, and then for what is being moved over."""
        writing, self._under_way = self._under_way, None
        try:
            if writing is not None:
                writing.result()
        finally:
            moving, self._on_its_way = self._on_its_way, None
            if moving is not None:
                moving.result()

    def _write_beside(self, held: list[tuple[str, bytes]]) -> None:
        self._drafted += [self._draft(path, content) for path, content in held]
        if len(self._drafted) >= MANY:
            drafted, self._drafted = self._drafted, []
            if self._on_its_way is not None:
                self._on_its_way.result()
            self._on_its_way = self._moving.submit(self._move_over, drafted)

    def _move_over(self, drafted: list[Drafted]) -> None:
        self._sync_all()
        for draft, target in drafted:
            self._move(draft, target)

    def _draft(self, path: str, content: bytes, *, sync: bool = False) -> Drafted:
        target = f"{self._root}/{path}"
        folder, _, name = target.rpartition("/")
        if folder not in self._folders:
            os.makedirs(folder, exist_ok=True)
            self._folders.add(folder)
        # Hidden by its dot: no server shows it, whatever becomes of this process.
        draft = f"{folder}/.{name}{DRAFT}"
        file = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
        try:
            rest = memoryview(content)
            while rest:
                # A disk that is nearly full takes a part, and refuses the next.
                rest = rest[os.write(file, rest) :]
            if sync:
                self._sync(file)
        finally:
            os.close(file)
        return draft, target

    def _sync(self, descriptor: int) -> None:
        os.fsync(descriptor)

    def _sync_all(self) -> None:
        os.sync()

    def _move(self, draft: str, target: str) -> None:
        os.replace(draft, target)
