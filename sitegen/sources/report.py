"""Format the report of an import of documents, as lines and as JSON."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from models.projects.document_imports.options import ImportReport
from sitegen.sources.tree import Note, Tree

# In the order of the report.
OUTCOMES = (
    *("created", "updated", "unchanged", "published", "pruned", "restored"),
    "renamed",
)


def remarks(tree: Tree, report: ImportReport) -> Iterator[str]:
    """Yield a line for each file that was left out, held, a draft, or changed."""
    for label, notes in (("left out", tree.skipped), ("draft", tree.drafts)):
        for note in notes:
            yield f"{label}: {note.path}: {note.reason}"
    for held in report.held:
        yield f"held: {held.path}: {held.reason} --take-over imports it again."
    notes_of_tree = [(note.path, note.reason) for note in tree.notes]
    for path, reason in sorted([*notes_of_tree, *report.notes]):
        yield f"note: {path}: {reason}"


def changes(report: ImportReport) -> Iterator[str]:
    """Yield a line for each document that the import changes."""
    outcomes = ("created", "updated", "renamed", "restored", "published", "pruned")
    for outcome in outcomes:
        for slug in getattr(report, outcome):
            yield f"{outcome}: {slug}"


def summary(tree: Tree, report: ImportReport) -> str:
    outcomes = ("created", "updated", "unchanged", "published", "pruned")
    counts = [f"{outcome} {len(getattr(report, outcome))}" for outcome in outcomes]
    for outcome in ("renamed", "restored", "held"):
        if entries := getattr(report, outcome):
            counts.append(f"{outcome} {len(entries)}")
    if tree.files:
        counts.append(f"files {len(tree.files)}")
    left_out = f"left out {len(tree.skipped)}, drafts {len(tree.drafts)}"
    return f"{', '.join(counts)}, {left_out}"


def to_json(tree: Tree, report: ImportReport) -> dict[str, Any]:
    """Return the report for scripts: slugs by outcome, and notes by file."""
    notes = [*tree.notes, *(Note(path, reason) for path, reason in report.notes)]
    remarks = {"leftOut": tree.skipped, "drafts": tree.drafts, "notes": notes}
    slugs = {outcome: getattr(report, outcome) for outcome in OUTCOMES}
    lists = {name: list(map(asdict, notes)) for name, notes in remarks.items()}
    held = {"held": list(map(asdict, report.held))}
    return slugs | held | {"files": asdict(report.files)} | lists
