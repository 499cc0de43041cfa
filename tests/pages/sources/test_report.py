"""The report of an import: its order and its counts."""

import pytest

from models.projects.document_imports.options import HeldDocument, ImportReport
from models.projects.files.file_import import FileReport, FileSource
from sitegen.sources import report as reports
from sitegen.sources.includes import Includes
from sitegen.sources.tree import Note, Tree


@pytest.fixture
def tree():
    return Tree(Includes([]))


def test_order(tree):
    """Remarks are ordered by path and line, with 9 before 10."""
    tree.notes = [
        Note("ch10.md", "A."),
        Note("ch9.md", "Line 47: x was not included."),
        Note("ch9.md", f"Line {'9' * 5_000}: y was not included."),
        Note("9.md", "A."),
    ]
    tree.skipped = [Note("b2.md", "It."), Note("b10.md", "It."), Note("b1.md", "It.")]
    skipped = [HeldDocument("p10.md", "p10", "A."), HeldDocument("p2.md", "p2", "A.")]
    report = ImportReport(held=skipped, notes=[("ch9.md", "Line 9: z.")])

    lines = [line[:17] for line in reports.remarks(tree, report)]
    as_json = reports.to_json(tree, report)

    assert lines == [
        *("left out: b1.md: ", "left out: b2.md: ", "left out: b10.md:"),
        *("held: p2.md: A. -", "held: p10.md: A. "),
        *("note: 9.md: A.", "note: ch9.md: Lin", "note: ch9.md: Lin"),
        *("note: ch9.md: Lin", "note: ch10.md: A."),
    ]
    numbers = [note["reason"][:8] for note in as_json["notes"]]
    assert numbers == ["A.", "Line 9: ", "Line 47:", "Line 999", "A."]
    assert [note["path"] for note in as_json["held"]] == ["p2.md", "p10.md"]


@pytest.mark.parametrize(
    ("updated", "shown"), [([], "files 2"), (["b"], "(1 changed)")]
)
def test_replaced_picture_is_counted(tree, tmp_path, updated, shown):
    """
    A replaced picture is counted even if no document changes, as without --publish.
    """
    tree.files = [FileSource(name, tmp_path, 1, 1) for name in "ab"]
    report = ImportReport(files=FileReport(updated=updated))

    assert f"{shown}, left out 0" in reports.summary(tree, report)
