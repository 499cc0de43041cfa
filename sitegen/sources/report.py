"""What an import tells when it is done: what came in, what did not, and why."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from models.projects.documents.document_import import ImportReport
from sitegen.sources.tree import Note, Tree

# What can become of a document, in the order in which it is told.
BECAME = ("created", "updated", "unchanged", "published", "pruned", "restored")


def remarks(tree: Tree, report: ImportReport) -> Iterator[str]:
    """Yield a line for each thing that a person should look at, by file."""
    for word, notes in (("left out", tree.skipped), ("draft", tree.drafts)):
        for each in notes:
            yield f"{word}: {each.path}: {each.reason}"
    told = [(each.path, each.reason) for each in tree.notes]
    for path, reason in sorted([*told, *report.notes]):
        yield f"note: {path}: {reason}"


def changes(report: ImportReport) -> Iterator[str]:
    """Yield a line for each document that becomes another."""
    for word in ("created", "updated", "restored", "published", "pruned"):
        for slug in getattr(report, word):
            yield f"{word}: {slug}"


def summary(tree: Tree, report: ImportReport) -> str:
    words = ("created", "updated", "unchanged", "published", "pruned")
    counts = [f"{word} {len(getattr(report, word))}" for word in words]
    if report.restored:
        counts.append(f"restored {len(report.restored)}")
    left_out = f"left out {len(tree.skipped)}, drafts {len(tree.drafts)}"
    return f"{', '.join(counts)}, {left_out}"


def told(tree: Tree, report: ImportReport) -> dict[str, Any]:
    """Return all of it, for a script: slugs by what became of them, and remarks."""
    notes = [*tree.notes, *(Note(*each) for each in report.notes)]
    remarks = {"leftOut": tree.skipped, "drafts": tree.drafts, "notes": notes}
    became = {word: getattr(report, word) for word in BECAME}
    return became | {name: list(map(asdict, each)) for name, each in remarks.items()}
