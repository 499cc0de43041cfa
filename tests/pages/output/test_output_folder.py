"""The output folder: no foreign file is overwritten, and no partial file is visible."""

import errno
import os
import stat
import time
from pathlib import Path
from threading import Barrier

import pytest

from sitegen.output.atomic_writes import SYNC_THREADS
from sitegen.output.folder import OutputError, OutputFolder, is_site_unfinished
from sitegen.output.inspection import differences
from sitegen.output.manifest import ManifestEntry


@pytest.fixture
def folder(tmp_path):
    return OutputFolder(str(tmp_path / "output"), "docs")


def test_folder_of_somebody_else_is_refused(folder):
    """A folder with foreign files is rejected, because builds remove files."""
    folder.path.mkdir()
    (folder.path / "thesis.txt").write_text("three years of work")

    with pytest.raises(OutputError, match="did not write"), folder.locked():
        pass

    assert (folder.path / "thesis.txt").read_text() == "three years of work"


def test_folder_that_cannot_be_made(tmp_path):
    """The message has the folder and the reason."""
    (tmp_path / "file").write_text("")

    with pytest.raises(OutputError, match="cannot be written: Not a directory"):
        OutputFolder(str(tmp_path / "file" / "output")).locked().__enter__()


def test_written_file_is_readable_by_all(folder):
    """A page for a CDN has the permissions of any new file."""
    with folder.locked():
        folder.write("a/b.html", b"x")

    mode = stat.S_IMODE((folder.path / "a/b.html").stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    assert mode == 0o666 & ~mask


def test_drafts_of_a_broken_build_are_swept(folder):
    """
    The next build removes temporary files of an unfinished build, and checks the
    others.
    """
    folder.path.mkdir()
    folder.write("a.html", b"torn")
    folder.put_in_place()
    folder.write("b.html", b"half")
    folder.sync()

    found = OutputFolder(str(folder.path), "docs").start()

    assert list(found) == ["a.html"]
    assert found["a.html"].made == b""
    assert not list(folder.path.glob(".masthead.docs.drafts/*"))


def test_areas_are_apart(folder):
    """The temporary files of a crashed build belong to its area only."""
    other = OutputFolder(str(folder.path), "status")
    with folder.locked():
        folder.write("a.html", b"x")
        folder.put_in_place()
    with other.locked():
        other.write("status/b.html", b"x")
        other.finish("1", {}, {})
        other.complete()

    assert is_site_unfinished(folder.path)
    assert (folder.is_unfinished, other.is_unfinished) == (True, False)
    assert list(OutputFolder(str(folder.path), "docs").start()) == ["a.html"]


def test_folders_of_a_broken_build(folder):
    """The next build removes empty folders, but none of another area."""
    with folder.locked():
        folder.mark_unfinished()
    for name in ("guides/a/b", "status/c"):
        (folder.path / name).mkdir(parents=True)

    folder.start()

    assert sorted(each.name for each in folder.path.glob("[!.]*")) == ["status"]


def test_removal_takes_empty_folders_along(folder):
    """Removing a file also removes its empty folders, and no others."""
    with folder.locked():
        folder.write("a/b/c.html", b"x")
        folder.write("a/d.html", b"x")

    folder.remove("a/b/c.html")

    assert not (folder.path / "a/b").exists()
    assert (folder.path / "a/d.html").exists()


def test_differences_name_the_file(folder):
    """`check` names the missing and the modified files."""
    entries = {
        p: ManifestEntry.from_content(p, b"x", "status") for p in ("a.html", "b.html")
    }
    with folder.locked():
        folder.write("a.html", b"y")
        folder.finish("1", entries, {})
        folder.complete()

    found = differences(folder.path)

    assert found[:2] == [
        "a.html in the output was changed after it was written.",
        "b.html is missing from the output.",
    ]


def test_removal_of_what_is_gone(folder):
    """Removing a file that is already gone is no error."""
    with folder.locked():
        folder.remove("a/b/c.html")

    assert not (folder.path / "a").exists()


def test_draft_is_hidden(folder):
    """A temporary file is in a hidden folder, which no server serves."""
    drafts = []
    folder._rename = lambda draft, _: drafts.append(
        Path(draft).relative_to(folder.path)
    )

    with folder.locked():
        folder.write("a/index.html", b"x")

    assert [draft.parent.name for draft in drafts] == [".masthead.docs.drafts"]


class Disk(OutputFolder):
    """Records the files that are synced, and the order of their renames."""

    def __init__(self, path):
        super().__init__(path)
        self.synced, self.shown = set(), []

    def _sync(self, descriptor):
        # A disk takes time.
        time.sleep(0.01)
        self.synced.add(os.fstat(descriptor).st_ino)

    def _rename(self, draft, target):
        assert os.stat(draft).st_ino in self.synced, target
        super()._rename(draft, target)
        self.shown.append(Path(target).relative_to(self.path).as_posix())


def test_files_are_shown_in_order(tmp_path):
    """
    No file becomes visible before it is synced, nor before a file written earlier.
    """
    folder = Disk(tmp_path / "output")
    names = [f"{number}.html" for number in range(20)]

    with folder.locked():
        for name in names:
            folder.write(name, b"x")
        assert folder.shown == []

    assert folder.shown == names


def test_files_are_synced_at_the_same_time(folder):
    """The files of a small build are synced concurrently."""
    all_at_once = Barrier(SYNC_THREADS, timeout=20)
    folder._sync = lambda _: all_at_once.wait()

    with folder.locked():
        for number in range(SYNC_THREADS):
            folder.write(f"{number}.html", b"x")

    assert len(list(folder.path.glob("*.html"))) == SYNC_THREADS


def test_failed_sync_shows_nothing(folder):
    """If one sync fails, none of the files beside it becomes visible."""

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
    """The later content is kept."""
    with folder.locked():
        folder.write("a.html", b"x")
        folder.write("a.html", b"y")

    assert (folder.path / "a.html").read_bytes() == b"y"


class Counted(OutputFolder):
    """Records what reaches the disk, and when it becomes visible."""

    def __init__(self, path):
        super().__init__(path)
        self.done = []

    def _sync(self, descriptor):
        self.done.append("sync")

    def _sync_all(self):
        self.done.append("sync all")

    def _rename(self, draft, target):
        super()._rename(draft, target)
        self.done.append("move")


def test_many_files_are_synced_at_once(tmp_path, monkeypatch):
    """The files of a large build are synced together, and become visible afterwards."""
    monkeypatch.setattr("sitegen.output.atomic_writes.MAX_SINGLE", 1)
    folder = Counted(str(tmp_path / "output"))
    with folder.locked():
        for number in range(4):
            folder.write(f"a/{number}.html", b"x")
        folder.put_in_place()

    assert folder.done == ["sync", "sync all", *4 * ["move"]]
    assert len(list((folder.path / "a").iterdir())) == 4


def written(folder, **files):
    """Write the files and their manifest."""
    entries = {
        p: ManifestEntry.from_content(p, text, "docs") for p, text in files.items()
    }
    with folder.locked():
        folder.start()
        for path, text in files.items():
            folder.write(path, text)
        folder.finish("1", entries, {})
        folder.complete()
    return entries


def test_what_was_written_here_is_looked_at_once_a_minute(folder, monkeypatch):
    """A folder relies on its own manifest for a minute, and then checks again."""
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
    """After another process has built here, all remembered state is discarded."""
    entries = written(folder, a=b"x")
    assert folder.has_file("a", entries["a"])
    folder.finish("1", entries, {})
    other = OutputFolder(str(folder.path), "docs")
    theirs = written(other, a=b"x", b=b"y")

    found = folder.start()

    assert found == theirs
    (folder.path / "b").unlink()
    assert not folder.has_file("b", found["b"])
