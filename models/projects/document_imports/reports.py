"""Turn the report of an import into what the API returns, and back."""

from dataclasses import asdict

from models.projects.document_imports.manifest import (
    AppliedDocumentImport,
    HeldSource,
    ImportedFiles,
    SourceNote,
)
from models.projects.document_imports.options import HeldDocument, ImportReport
from models.projects.files.file_import import FileReport

OUTCOMES = (
    *("created", "updated", "unchanged", "published", "restored", "pruned"),
    "renamed",
)


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
