"""The output folder: what is never overwritten, and what is never seen half."""

import os
import stat

import pytest

from sitegen.files import Entry, Folder, OutputError


@pytest.fixture
def folder(tmp_path):
    return Folder(str(tmp_path / "output"))


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
        Folder(str(tmp_path / "file" / "output")).locked().__enter__()


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
        folder.begin()
        folder.write("a.html", b"torn")
        (folder.path / ".b.html.draft").write_bytes(b"half")

    found = folder.manifest()

    assert list(found) == ["a.html"]
    assert found["a.html"].made == ""
    assert not (folder.path / ".b.html.draft").exists()


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
    entries = {p: Entry.of(p, b"x", "status", "") for p in ("a.html", "b.html")}
    with folder.locked():
        folder.write("a.html", b"y")
        folder.finish("1", entries)

    found = folder.differences()

    assert found == [
        "a.html in the output is not as it was written.",
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
    folder._move = lambda draft, _: names.append(draft.name)

    with folder.locked():
        folder.write("a/index.html", b"x")

    assert names == [".index.html.draft"]
