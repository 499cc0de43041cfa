"""What an import is asked to do, and what it reports."""

from dataclasses import asdict, dataclass, field
from datetime import datetime

from models.projects.document_imports.manifest import (
    AppliedDocumentImport,
    HeldSource,
    ImportedFiles,
    SourceNote,
)
from models.projects.documents.documents import Collection
from models.projects.fields import Actor
from models.projects.files.file_import import FileReport
from models.settings import Settings

OUTCOMES = (
    *("created", "updated", "unchanged", "published", "restored", "pruned"),
    "renamed",
)


@dataclass(frozen=True)
class HeldDocument:
    """A document that the import leaves to the people who changed it."""

    path: str
    slug: str
    reason: str


@dataclass
class ImportReport:
    """The slugs of the documents, by what was done."""

    created: list[str] = field(default_factory=list)
    updated: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    published: list[str] = field(default_factory=list)
    restored: list[str] = field(default_factory=list)
    pruned: list[str] = field(default_factory=list)
    # Those among the updated ones whose file, and with it their slug, was renamed.
    renamed: list[str] = field(default_factory=list)
    held: list[HeldDocument] = field(default_factory=list)
    files: FileReport = field(default_factory=FileReport)
    # Pairs of a file's path and a remark about it.
    notes: list[tuple[str, str]] = field(default_factory=list)

    @property
    def changed(self) -> bool:
        changed = self.created or self.updated or self.published
        return bool(changed or self.restored or self.pruned or self.files.changed)


@dataclass(frozen=True)
class ImportOptions:
    """
    Where an import writes, and what it does.

    `tree` names the folder; a document belongs to one file of one tree. `base` is the
    URL where the tree is published, to which links lead that it cannot resolve. The
    pages are below `path` in the collection.
    `publish` publishes every document as it is in its file. `prune` unpublishes and
    archives the documents whose file is gone; files in `skipped_paths` could not be
    read but exist. `take_over` also imports what people changed since the last import.
    `is_dry_run` rolls everything back.
    """

    collection: Collection
    now: datetime
    actor: Actor
    tree: str
    base: str | None = None
    path: str = ""
    publish: bool = False
    prune: bool = False
    take_over: bool = False
    skipped_paths: frozenset[str] = frozenset()
    is_dry_run: bool = False
    # The limit of all files of the project.
    files_max_bytes: int = Settings.files_max_bytes


def describe_report(report: ImportReport) -> AppliedDocumentImport:
    return AppliedDocumentImport(
        **{outcome: getattr(report, outcome) for outcome in OUTCOMES},
        held=[HeldSource(**asdict(held)) for held in report.held],
        files=ImportedFiles(**asdict(report.files)),
        notes=[SourceNote(path=path, reason=reason) for path, reason in report.notes],
    )


def parse_report(applied: AppliedDocumentImport) -> ImportReport:
    return ImportReport(
        **{outcome: getattr(applied, outcome) for outcome in OUTCOMES},
        held=[HeldDocument(**held.all_fields()) for held in applied.held],
        files=FileReport(**applied.files.all_fields()),
        notes=[(note.path, note.reason) for note in applied.notes],
    )
