"""Operations that import a tree of documents from another machine."""

from api.operation import MIB, Call, operation
from api.projects import PROJECT_CHANGE
from api.projects.files import read_file
from models.errors import (
    DocumentImportIncomplete,
    DocumentImportNotFound,
    DocumentImportReplaced,
    LimitExceeded,
    PayloadTooLarge,
    ProjectNotFound,
    UnsupportedMediaType,
)
from models.projects.document_imports import applying, imports
from models.projects.document_imports.manifest import (
    AddedImportFile,
    AddedImportTexts,
    AddImportFile,
    AddImportTexts,
    AppliedDocumentImport,
    ApplyDocumentImport,
    DocumentImport,
    StartDocumentImport,
)
from models.projects.document_imports.options import describe_report
from models.projects.files.uploads import MAX_FILE_BYTES

COMMON_ERRORS = (
    DocumentImportNotFound,
    DocumentImportReplaced,
    *PROJECT_CHANGE,
    LimitExceeded,
)


@operation(
    "POST /projects/v1/document-imports/start",
    response=DocumentImport,
    errors=(ProjectNotFound, *PROJECT_CHANGE, LimitExceeded),
    max_body_bytes=8 * MIB,
)
def start_document_import(call: Call, request: StartDocumentImport) -> DocumentImport:
    """
    Start an import of a tree of documents, or go on with one.

    List all documents of the tree, and the files that they show. Then send those that
    missingTexts and missingFiles name, and apply the import. Nothing changes until
    then. The same request again goes on with the same import; another one for the same
    tree and collection replaces it, and keeps the parts that were sent. Without
    projectId, the import is into the docs project.
    """
    return imports.start_import(request, call.now, call.actor)


@operation(
    "POST /projects/v1/document-imports/add-texts",
    response=AddedImportTexts,
    errors=COMMON_ERRORS,
    max_body_bytes=8 * MIB,
)
def add_import_texts(call: Call, request: AddImportTexts) -> AddedImportTexts:
    """
    Send texts that an import needs; added counts those that were missing.

    They are kept until the import is applied or expires, and published by nothing else.
    """
    row, added = imports.add_import_texts(request, call.now, call.actor)
    return AddedImportTexts(id=row.id, added=added)


@operation(
    "POST /projects/v1/document-imports/add-file",
    response=AddedImportFile,
    errors=(*COMMON_ERRORS, PayloadTooLarge, UnsupportedMediaType),
    max_body_bytes=MAX_FILE_BYTES,
    read_upload=read_file,
)
def add_import_file(call: Call, request: AddImportFile) -> AddedImportFile:
    """
    Send a file that an import needs; the body is the file itself.

    It is checked and cleaned as by files/add, and becomes a file of the project when
    the import is applied.
    """
    upload = call.require_upload()
    row = imports.add_import_file(
        request,
        upload,
        call.now,
        call.actor,
        max_bytes=call.settings.files_max_bytes,
    )
    return AddedImportFile(
        id=row.id,
        name=request.name,
        sha256=upload.digest,
        source_sha256=upload.source_digest,
    )


@operation(
    "POST /projects/v1/document-imports/apply",
    response=AppliedDocumentImport,
    rebuilds="docs",
    errors=(*COMMON_ERRORS, DocumentImportIncomplete),
    max_body_bytes=8 * MIB,
)
def apply_document_import(
    call: Call, request: ApplyDocumentImport
) -> AppliedDocumentImport:
    """
    Apply an import as a whole, in one transaction, by the rules of docs import.

    A document that equals its file is not touched. One that people changed since the
    last import is held unless takeOver is true. With publish, each document is
    published as it is in its file. With prune, documents of the tree whose file is gone
    are unpublished and archived. Send an Idempotency-Key to repeat the call safely.
    """
    project, report = applying.apply_import(
        request, call.now, call.actor, max_bytes=call.settings.files_max_bytes
    )
    if not report.changed:
        call.mark_unchanged()
    if not project.builtin:
        call.skip_rebuild()
    return describe_report(report)
