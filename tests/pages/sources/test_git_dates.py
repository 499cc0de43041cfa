"""Pages have the dates of the commits that changed their files last."""

from datetime import UTC, datetime

from sitegen.sources.git_dates import changed_dates
from sitegen.sources.tree import read_tree
from tests.factories.work_tree import commit

FIRST, SECOND = (datetime(2024, month, 3, 12, tzinfo=UTC) for month in (1, 2))


def test_dates(tmp_path):
    """Of a folder in a work tree, each file has the date of its newest commit."""
    commit(tmp_path, FIRST, **{"docs/a.md": "A", "docs/b ü.md": "B", "c.md": "C"})
    commit(tmp_path, SECOND, **{"docs/a.md": "A2"})
    (tmp_path / "docs/new.md").write_text("New")

    assert changed_dates(tmp_path / "docs") == {"a.md": SECOND, "b ü.md": FIRST}
    dates = {
        each.path: each.changed_at for each in read_tree(tmp_path / "docs").sources
    }
    assert dates == {"a.md": SECOND, "b ü.md": FIRST, "new.md": None}


def test_no_history(tmp_path):
    """Outside of a work tree there are no dates."""
    assert changed_dates(tmp_path) == {}


def test_no_git(monkeypatch, tmp_path):
    """Without the program, too."""
    commit(tmp_path, FIRST, **{"a.md": "A"})
    monkeypatch.setenv("PATH", str(tmp_path))

    assert changed_dates(tmp_path) == {}
