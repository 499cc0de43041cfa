"""Marks: the changes that the site does not show yet."""

import pytest

from models.changes import (
    behind,
    failed_pages,
    mark,
    marks,
    note_built,
    note_published,
    published_generations,
)
from models.storage.database import writing
from tests.conftest import NOON

pytestmark = pytest.mark.both_engines

FAILED = ("status/index.html", "status", "boom")


def test_nothing_written(store):
    """A new installation has no unbuilt changes."""
    assert marks() == {"docs": 0, "status": 0}
    assert behind() == set()


def test_marked_and_built(store):
    """An area has unbuilt changes from a change until it is built."""
    mark("docs")
    assert behind() == {"docs"}

    note_built(marks(), [], NOON)

    assert behind() == set()


def test_marked_while_building(store):
    """A change during a build is not lost, because its number is higher."""
    mark("docs")
    read = marks()
    mark("docs")

    note_built(read, [], NOON)

    assert behind() == {"docs"}


def test_late_note(store):
    """An older build that ends later does not undo the note."""
    mark("docs")
    mark("docs")
    note_built({"docs": 2}, [], NOON)

    note_built({"docs": 2}, [], NOON)

    assert behind() == set()


def test_failed_page(store):
    """An area with a failed page has unbuilt changes until a build without one."""
    mark("status")
    note_built({"status": 1}, [FAILED], NOON)
    assert behind() == {"status"}
    assert [(page.path, page.reason) for page in failed_pages()] == [
        ("status/index.html", "boom")
    ]

    note_built({"status": 1}, [], NOON)

    assert behind() == set()
    assert failed_pages() == []


def test_failed_page_of_another_area(store):
    """A failed page of another area stays listed, and affects only its area."""
    mark("status")
    mark("docs")
    note_built({"status": 1}, [FAILED], NOON)

    note_built({"docs": 2}, [], NOON)

    assert behind() == {"status"}
    assert len(failed_pages()) == 1


def test_mark_is_undone_with_its_change(store):
    """A transaction that fails leaves no mark."""

    def fail():
        with writing():
            mark("docs")
            raise ValueError("undone")

    with pytest.raises(ValueError, match="undone"):
        fail()

    assert behind() == set()


def test_every_page_failed(store):
    """All failed pages are listed, however many there are, each once."""
    failed = [(f"{number}/index.html", "docs", "boom") for number in range(20_000)]

    note_built({"docs": 1}, [*failed, ("0/index.html", "docs", "again")], NOON)

    result = failed_pages()
    assert len(result) == 20_000
    assert (result[0].path, result[0].reason) == ("0/index.html", "again")


def test_published(store):
    """The published generations are the newest ones of the last target."""
    note_published("s3://one", {"docs": 3, "status": 7})
    note_published("s3://one", {"docs": 4, "status": 6})

    assert published_generations("s3://one") == {"docs": 4, "status": 7}
    assert published_generations("s3://two") == {}

    note_published("s3://two", {"docs": 1, "status": 1})

    assert published_generations("s3://two") == {"docs": 1, "status": 1}
    assert published_generations("s3://one") == {}
