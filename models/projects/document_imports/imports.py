"""Start imports over the API, keep the parts that are sent, and let them expire."""

from datetime import datetime

from peewee import fn

from models.base import new_id
from models.errors import DocumentImportReplaced, LimitExceeded, ValidationFailed
from models.projects.document_imports.manifest import (
    MAX_TEXT_BYTES,
    RETENTION,
    AddImportFile,
    AddImportTexts,
    DocumentImport,
    StartDocumentImport,
)
from models.projects.document_imports.parts import (
    list_files,
    list_texts,
    listed_texts,
    missing_files,
    missing_texts,
    parts_of,
    values_of,
)
from models.projects.document_imports.rows import (
    DocumentImportRow,
    ImportFileRow,
    ImportTextRow,
    import_with,
)
from models.projects.documents.rows import digest_of
from models.projects.fields import Actor
from models.projects.files.contents import delete_unused_contents, store_content
from models.projects.files.files import require_space
from models.projects.files.uploads import Upload
from models.projects.members.role_checks import require_role
from models.projects.projects.projects import docs_project
from models.projects.projects.rows import ProjectRow, project_with, require_active

# Imports of a project that were started and not applied.
MAX_IMPORTS = 20


def start_import(
    request: StartDocumentImport, now: datetime, actor: Actor
) -> DocumentImport:
    """
    Start an import, or go on with the one that the same request started.

    It replaces an earlier import of the tree, whose parts it takes over.
    """
    id = request.project_id
    project = docs_project() if id is None else project_with(id)
    require_role(project, actor, "document-imports:start")
    require_active(project)
    manifest = request.canonical_bytes().decode()
    row = _latest_import(project, request)
    if row is None or row.manifest != manifest:
        row = _replace_import(row, project, request, manifest, now)
    else:
        row.touch(now)
    list_texts(row, request.documents)
    list_files(row, request.files)
    return DocumentImport(
        id=row.id,
        project_id=project.id,
        tree=request.tree,
        collection=request.collection,
        missing_texts=missing_texts(row),
        missing_files=missing_files(row),
        expires_at=row.updated_at + RETENTION,
    )


def _latest_import(
    project: ProjectRow, request: StartDocumentImport
) -> DocumentImportRow | None:
    """Return the import of the tree that has not been replaced."""
    row = DocumentImportRow
    latest: DocumentImportRow | None = row.get_or_none(
        (row.project == project.id)
        & (row.tree == request.tree)
        & (row.collection == request.collection)
        & (row.manifest != "")
    )
    return latest


def _replace_import(
    previous: DocumentImportRow | None,
    project: ProjectRow,
    request: StartDocumentImport,
    manifest: str,
    now: datetime,
) -> DocumentImportRow:
    """Create an import, with the parts of the one before it."""
    if previous is None:
        _require_few_imports(project)
    row: DocumentImportRow = DocumentImportRow.create(
        id=new_id(now),
        project=project,
        tree=request.tree,
        collection=request.collection,
        manifest=manifest,
        updated_at=now,
    )
    if previous is not None:
        for part in (ImportTextRow, ImportFileRow):
            parts = part.update(document_import=row.id)
            parts.where(part.document_import == previous.id).execute()
        previous.manifest = ""
        previous.touch(now)
    return row


def _require_few_imports(project: ProjectRow) -> None:
    rows = DocumentImportRow.select().where(
        (DocumentImportRow.project == project.id) & (DocumentImportRow.manifest != "")
    )
    if rows.count() >= MAX_IMPORTS:
        raise LimitExceeded(
            f"The project '{project.slug}' has {MAX_IMPORTS} imports that were started"
            " and not applied. Apply one, or wait until one expires: that takes a day."
        )


def current_import(id: str, actor: Actor, case: str) -> DocumentImportRow:
    """Return an import that can go on; raise if another one replaced it."""
    row = import_with(id)
    require_role(row.project, actor, case)
    require_active(row.project)
    if not row.manifest:
        raise DocumentImportReplaced(
            f"A newer import of the tree '{row.tree}' has started since this one, and"
            " replaces it. If this one has the newer files, start it again."
        )
    return row


def add_import_texts(
    request: AddImportTexts, now: datetime, actor: Actor
) -> tuple[DocumentImportRow, int]:
    """Keep texts that an import needs; return how many of them are new."""
    row = current_import(request.id, actor, "document-imports:add-texts")
    texts = {digest_of(text): text for text in request.texts}
    missing = {*missing_texts(row)}
    if unknown := texts.keys() - listed_texts(row):
        raise ValidationFailed(
            f"The import needs no text with the SHA-256 {min(unknown)}."
        )
    for sha256 in texts.keys() & missing:
        text = texts[sha256]
        is_this = (ImportTextRow.document_import == row.id) & (
            ImportTextRow.sha256 == sha256
        )
        values = {"content": text, "size": len(text.encode())}
        ImportTextRow.update(values).where(is_this).execute()
    size = parts_of(row, ImportTextRow, fn.SUM(ImportTextRow.size)).scalar() or 0
    if size > MAX_TEXT_BYTES:
        raise LimitExceeded(
            f"The new texts of an import may have {MAX_TEXT_BYTES} bytes together."
            " Import some of the tree's folders first, each as a tree of its own."
        )
    row.touch(now)
    return row, len(texts.keys() & missing)


def add_import_file(
    request: AddImportFile,
    upload: Upload,
    now: datetime,
    actor: Actor,
    *,
    max_bytes: int,
) -> DocumentImportRow:
    """Keep a file that an import needs, until it is applied."""
    row = current_import(request.id, actor, "document-imports:add-file")
    is_this = (ImportFileRow.document_import == row.id) & (
        ImportFileRow.name == request.name
    )
    part = ImportFileRow.get_or_none(is_this)
    if part is None or part.source_digest != upload.source_digest:
        raise ValidationFailed(
            f"The import needs no file '{request.name}' with the SHA-256"
            f" {upload.source_digest}."
        )
    if part.content_id is None:
        store_content(upload)
        ImportFileRow.update(content=upload.digest).where(is_this).execute()
        require_space(row.project, max_bytes)
    row.touch(now)
    return row


def delete_expired_imports(now: datetime) -> None:
    """Delete the imports that have not gone on for a day, with their parts."""
    row = DocumentImportRow
    delete_imports(list(row.select().where(row.updated_at < now - RETENTION)))


def delete_imports(rows: list[DocumentImportRow]) -> None:
    for row in rows:
        digests = values_of(parts_of(row, ImportFileRow, ImportFileRow.content))
        row.delete_instance()
        delete_unused_contents(digests - {None})
