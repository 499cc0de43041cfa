"""Format the report of an import of documents, as lines and as JSON."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Any, TypeVar

from models.projects.document_imports.options import HeldDocument, ImportReport
from sitegen.sources.tree import Note, Tree

NoteT = TypeVar("NoteT", Note, HeldDocument)
# Remarks of one kind that are printed.
MAX_OF_KIND = 20
# The words of remarks on what readers will not find, or see as it is not meant.
LOSSES = (
    *("leads nowhere", "leads to no heading", "left out", "shown as text"),
    *("not included.", "could not be resolved", "Markdown source is shown"),
    "were removed",
)
_NAMED = re.compile(r"[/.#'0-9]")
_DIGITS = re.compile(r"([0-9]+)")
# In the order of the report.
OUTCOMES = (
    *("created", "updated", "unchanged", "published", "pruned", "restored"),
    "renamed",
)


def remarks(tree: Tree, report: ImportReport) -> Iterator[str]:
    """Yield a line for each file that was left out, held, or changed."""
    for note in _in_order(tree.skipped):
        yield f"left out: {note.path}: {note.reason}"
    for held in _in_order(report.held):
        yield f"held: {held.path}: {held.reason} --take-over imports it again."
    kinds: dict[str, list[Note]] = {}
    for note in _all_notes(tree, report):
        kinds.setdefault(_kind(note.reason), []).append(note)
    # What readers miss comes first, then the remarks of which there are most.
    for notes in sorted(
        kinds.values(), key=lambda notes: (not _is_loss(notes[0]), -len(notes))
    ):
        for note in notes[:MAX_OF_KIND]:
            yield f"note: {note.path}: {note.reason}"
        if len(notes) > MAX_OF_KIND:
            count = len(notes) - MAX_OF_KIND
            yield f"note: {count} more remarks of this kind; --json lists them all."


def drafts(tree: Tree) -> Iterator[str]:
    """Yield a line for each file that its author does not want to be a page."""
    for note in _in_order(tree.drafts):
        yield f"draft: {note.path}: {note.reason}"


def _kind(reason: str) -> str:
    """Return what remarks of one kind have in common: no names, paths and numbers."""
    words = re.sub(r"^Line [0-9]+: ", "", reason).partition(": ")[0].split()
    return " ".join(word for word in words if not _NAMED.search(word.rstrip(".")))


def _is_loss(note: Note) -> bool:
    return any(words in note.reason for words in LOSSES)


def _all_notes(tree: Tree, report: ImportReport) -> list[Note]:
    return _in_order([*tree.notes, *(Note(*note) for note in report.notes)])


def _in_order(notes: Iterable[NoteT]) -> list[NoteT]:
    """Return notes by path and line; numbers are compared as such."""
    return sorted(notes, key=lambda note: (_key(note.path), _key(note.reason)))


def _key(text: str) -> list[str | tuple[int, str]]:
    # Texts and numbers alternate, so that like is compared with like.
    parts: list[str | tuple[int, str]] = list(_DIGITS.split(text))
    for index in range(1, len(parts), 2):
        digits = str(parts[index]).lstrip("0")
        parts[index] = (len(digits), digits)
    return parts


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
        replaced = len(report.files.updated)
        changed = f" ({replaced} changed)" if replaced else ""
        counts.append(f"files {len(tree.files)}{changed}")
    left_out = f"left out {len(tree.skipped)}, drafts {len(tree.drafts)}"
    return f"{', '.join(counts)}, {left_out}"


def to_json(tree: Tree, report: ImportReport) -> dict[str, Any]:
    """Return the report for scripts: slugs by outcome, and notes by file."""
    notes = _all_notes(tree, report)
    remarks = {
        "leftOut": _in_order(tree.skipped),
        "drafts": _in_order(tree.drafts),
        "notes": notes,
    }
    slugs = {outcome: getattr(report, outcome) for outcome in OUTCOMES}
    lists = {name: list(map(asdict, notes)) for name, notes in remarks.items()}
    held = {"held": list(map(asdict, _in_order(report.held)))}
    return slugs | held | {"files": asdict(report.files)} | lists
