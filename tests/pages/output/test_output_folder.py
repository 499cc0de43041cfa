"""The output folder: what is never overwritten, and what is never seen half."""

import errno
import os
import stat
import time
from pathlib import Path
from threading import Barrier

import pytest

from sitegen.output.atomic_writes import SYNC_THREADS
from sitegen.output.folder import OutputError, OutputFolder
from sitegen.output.inspection import differences
from sitegen.output.manifest import ManifestEntry


@pytest.fixture
def folder(tmp_path):
    return OutputFolder(str(tmp_path / "output"))


def test_folder_of_somebody_else_is_refused(folder):
    """Builds remove files, so a folder with foreign files is never adopted."""
    folder.path.mkdir()
    (folder.path / "thesis.txt").write_text("three years of work")

    with pytest.raises(OutputError, match="did not write"), folder.locked():
        pass

    assert (folder.path / "thesis.txt").read_text() == "three years of work"


def test_folder_that_cannot_be_made(tmp_path):
    """The sentence names the folder and why."""
    (tmp_path / "file").write_text("")

    with pytest.raises(OutputError, match="cannot be written: Not a directory"):
        OutputFolder(str(tmp_path / "file" / "output")).locked().__enter__()


def test_written_file_is_readable_by_all(folder):
    """A page for a CDN has the rights of any new file."""
    with folder.locked():
        folder.write("a/b.html", b"x")

    mode = stat.S_IMODE((folder.path / "a/b.html").stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    assert mode == 0o666 & ~mask


def test_drafts_of_a_broken_build_are_swept(folder):
    """After a build that never finished nothing is trusted but the bytes."""
    with folder.locked():
        folder.mark_unfinished()
        folder.write("a.html", b"torn")
        (folder.path / ".b.html.draft").write_bytes(b"half")

    found = folder.start()

    assert list(found) == ["a.html"]
    assert found["a.html"].made == ""
    assert not (folder.path / ".b.html.draft").exists()


@pytest.fixture
def suspended(folder):
    """A folder whose build was suspended after a second file."""
    before, added = (ManifestEntry.of(p, b"x", "docs", "made") for p in ("a", "b"))
    with folder.locked():
        folder.write("a", b"x")
        folder.finish("1", {"a": before}, {})
    with folder.locked():
        folder.mark_unfinished()
        folder.write("b", b"x")
        folder.suspend("1", {"a": before, "b": added}, {"own": "key"})
    return folder


def test_suspended_build(suspended):
    """The process that suspended a build goes on without reading any file."""
    (suspended.path / "b").unlink()

    assert set(suspended.start()) == {"a", "b"}
    assert suspended.version() == "1"
    assert suspended.made() == {"own": "key"}
    # The manifest does not list what has changed since.
    assert suspended.interrupted_entries().keys() == {"a"}


def test_suspended_build_in_another_process(suspended):
    """Another process cannot know what the build has written, and reads the files."""
    found = OutputFolder(str(suspended.path)).start()

    assert [entry.made for entry in found.values()] == ["", ""]


def test_build_that_died_after_suspended_one(suspended):
    """What another process has begun to change is not known, either."""
    OutputFolder(str(suspended.path)).mark_unfinished()

    assert suspended.state() is None
    assert [entry.made for entry in suspended.start().values()] == ["", ""]


def test_build_after_suspended_one(suspended):
    """A finished build leaves nothing suspended, here or in another process."""
    entries = dict(suspended.start())

    with suspended.locked():
        suspended.finish("2", entries, {})

    assert not suspended.is_suspended
    assert suspended.version() == "2"
    assert OutputFolder(str(suspended.path)).manifest().entries == entries


def test_removal_takes_empty_folders_along(folder):
    """No empty folder is left, and none that still holds a file goes."""
    with folder.locked():
        folder.write("a/b/c.html", b"x")
        folder.write("a/d.html", b"x")

    folder.remove("a/b/c.html")

    assert not (folder.path / "a/b").exists()
    assert (folder.path / "a/d.html").exists()


def test_differences_name_the_file(folder):
    """check tells which file is missing and which was altered."""
    entries = {p: ManifestEntry.of(p, b"x", "status", "") for p in ("a.html", "b.html")}
    with folder.locked():
        folder.write("a.html", b"y")
        folder.finish("1", entries, {})

    found = differences(folder)

    assert found == [
        "a.html in the output was changed after it was written.",
        "b.html is missing from the output.",
    ]


def test_removal_of_what_is_gone(folder):
    """Somebody took the folder away before: there is nothing to do, and no error."""
    with folder.locked():
        folder.remove("a/b/c.html")

    assert not (folder.path / "a").exists()


def test_draft_is_hidden(folder):
    """No server shows a draft: its name starts with a dot, in every folder."""
    names = []
    folder._rename = lambda draft, _: names.append(draft.rpartition("/")[2])

    with folder.locked():
        folder.write("a/index.html", b"x")

    assert names == [".index.html.draft"]


class Disk(OutputFolder):
    """Notes the files that are synced, and names none that is not."""

    def __init__(self, path):
        super().__init__(path)
        self.synced, self.shown = set(), []

    def _sync(self, descriptor):
        # A disk takes its time.
        time.sleep(0.01)
        self.synced.add(os.fstat(descriptor).st_ino)

    def _rename(self, draft, target):
        assert os.stat(draft).st_ino in self.synced, target
        super()._rename(draft, target)
        self.shown.append(Path(target).relative_to(self.path).as_posix())


def test_files_are_shown_in_order(tmp_path):
    """No file is shown before the disk has it, nor before a file written earlier."""
    folder = Disk(tmp_path / "output")
    names = [f"{number}.html" for number in range(20)]

    with folder.locked():
        for name in names:
            folder.write(name, b"x")
        assert folder.shown == []

    assert folder.shown == names


def test_files_are_synced_at_the_same_time(folder):
    """No file of a small build waits until the disk has another one."""
    all_at_once = Barrier(SYNC_THREADS, timeout=20)
    folder._sync = lambda _: all_at_once.wait()

    with folder.locked():
        for number in range(SYNC_THREADS):
            folder.write(f"{number}.html", b"x")

    assert len(list(folder.path.glob("*.html"))) == SYNC_THREADS


def test_failed_sync_shows_nothing(folder):
    """If the disk refuses one file, none of those beside it is shown."""

    def refuse(_):
        raise OSError(errno.EIO, "Input/output error")

    def write():
        with folder.locked():
            folder.write("a.html", b"x")
            folder.write("b.html", b"x")

    folder._sync = refuse
    with pytest.raises(OutputError, match="Input/output error"):
        write()

    del folder._sync
    with folder.locked():
        folder.start()

    assert list(folder.path.glob("*.html")) == []


def test_file_written_twice(folder):
    """The later content counts."""
    with folder.locked():
        folder.write("a.html", b"x")
        folder.write("a.html", b"y")

    assert (folder.path / "a.html").read_bytes() == b"y"


class Counted(OutputFolder):
    """Notes what reaches the disk, and when it is shown."""

    def __init__(self, path):
        super().__init__(path, max_single=1)
        self.done = []

    def _sync(self, descriptor):
        self.done.append("sync")

    def _sync_all(self):
        self.done.append("sync all")

    def _rename(self, draft, target):
        self.done.append("move")
        super()._rename(draft, target)


def test_many_files_are_synced_at_once(tmp_path, monkeypatch):
    """Of a large build the drafts reach the disk together, and are shown after that."""
    monkeypatch.setattr("sitegen.output.atomic_writes.BUFFER_BYTES", 1)
    monkeypatch.setattr("sitegen.output.atomic_writes.BATCH_SIZE", 2)
    folder = Counted(str(tmp_path / "output"))
    with folder.locked():
        folder.start()
        for number in range(4):
            folder.write(f"a/{number}.html", b"x")
        folder.flush()

    assert folder.done == [
        *("sync", "move"),
        *("sync all", "move", "move"),
        *("sync all", "move"),
    ]
    assert len(list((folder.path / "a").iterdir())) == 4


def written(folder, **files):
    """Write the files and their manifest."""
    entries = {p: ManifestEntry.of(p, text, "docs", "") for p, text in files.items()}
    with folder.locked():
        folder.start()
        for path, text in files.items():
            folder.write(path, text)
        folder.finish("1", entries, {})
    return entries


def test_what_was_written_here_is_looked_at_once_a_minute(folder, monkeypatch):
    """A folder relies on its own manifest for a minute, and then looks again."""
    entries = written(folder, a=b"x")
    assert folder.start() is entries
    assert folder.has_file("a", entries["a"])
    folder.finish("1", entries, {})
    (folder.path / "a").unlink()

    folder.start()
    assert folder.has_file("a", entries["a"])

    monkeypatch.setattr("sitegen.output.folder.TRUST_SECONDS", 0)
    folder.start()
    assert not folder.has_file("a", entries["a"])


def test_manifest_of_somebody_else(folder):
    """Another process has built here: nothing that was known counts any more."""
    entries = written(folder, a=b"x")
    assert folder.has_file("a", entries["a"])
    folder.finish("1", entries, {})
    other = OutputFolder(str(folder.path))
    theirs = written(other, a=b"x", b=b"y")

    found = folder.start()

    assert found == theirs
    (folder.path / "b").unlink()
    assert not folder.has_file("b", found["b"])
