"""The progress messages of long commands."""

import pytest

from api.commands.terminal import show_progress


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    monkeypatch.setattr("api.commands.terminal.PROGRESS_SECONDS", 0)


def test_more_items_than_expected(capsys):
    """An estimated total is omitted once it is exceeded."""

    class Pages(list):
        def __len__(self):
            return 1

    assert list(show_progress("page")(Pages("ab"))) == ["a", "b"]

    assert capsys.readouterr().err == "page 1 of 1\npage 2\n"


def test_progress_in_lines(capsys):
    """Without a terminal, long commands print their progress in lines."""
    assert list(show_progress("page")(["a", "b"])) == ["a", "b"]
    assert list(show_progress("record")(iter("a"))) == ["a"]

    assert capsys.readouterr().err == "page 1 of 2\npage 2 of 2\nrecord 1\n"
