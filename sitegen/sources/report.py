"""What an import tells when it is done: what came in, what did not, and why."""

from collections.abc import Iterator

from models.projects.exchange import ImportReport
from sitegen.sources.tree import Tree


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
