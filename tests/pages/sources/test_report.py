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
    """Remarks of a kind are ordered by path and line, with 9 before 10."""
    tree.notes = [
        Note("ch10.md", "A."),
        Note("ch9.md", "Line 47: x.rs was not included."),
        Note("ch9.md", f"Line {'9' * 5_000}: y.rs was not included."),
        Note("9.md", "A."),
    ]
    tree.skipped = [Note("b2.md", "It."), Note("b10.md", "It."), Note("b1.md", "It.")]
    skipped = [HeldDocument("p10.md", "p10", "A."), HeldDocument("p2.md", "p2", "A.")]
    report = ImportReport(
        held=skipped, notes=[("ch9.md", "Line 9: z.rs was not included.")]
    )

    lines = [line[:17] for line in reports.remarks(tree, report)]
    as_json = reports.to_json(tree, report)

    assert lines == [
        *("left out: b1.md: ", "left out: b2.md: ", "left out: b10.md:"),
        *("held: p2.md: A. -", "held: p10.md: A. "),
        *("note: ch9.md: Lin", "note: ch9.md: Lin", "note: ch9.md: Lin"),
        *("note: 9.md: A.", "note: ch10.md: A."),
    ]
    numbers = [note["reason"][:8] for note in as_json["notes"]]
    assert numbers == ["A.", "Line 9: ", "Line 47:", "Line 999", "A."]
    assert [note["path"] for note in as_json["held"]] == ["p2.md", "p10.md"]


def test_many_remarks_of_one_kind(tree):
    """They do not hide what readers will miss, which comes first."""
    aliases = [
        Note(f"{n}.md", f"The alias /old/{n}/ contains '..', so it was left alone.")
        for n in range(167)
    ]
    lost = [Note(f"{n}.md", f"The link ../x{n}.md#a leads nowhere.") for n in range(21)]
    tree.notes = [*aliases, Note("b.md", "Something else."), *lost]

    lines = list(reports.remarks(tree, ImportReport()))

    assert lines[0] == "note: 0.md: The link ../x0.md#a leads nowhere."
    more = [line for line in lines if "more remarks" in line]
    assert more == [
        "note: 1 more remarks of this kind; --json lists them all.",
        "note: 147 more remarks of this kind; --json lists them all.",
    ]
    assert lines[-1] == "note: b.md: Something else."
    assert len(lines) == 43
    assert len(reports.to_json(tree, ImportReport())["notes"]) == 189


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
