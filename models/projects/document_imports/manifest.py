"""
Define what an import over the API says of a tree, sends and reports.

An import has three steps. It starts with a list of the tree's documents and files by
their SHA-256, which the server answers with those that it does not have. These are sent
in parts, and kept for a day. Then the import is applied, in one transaction and by the
rules of an import on the server.

All steps can be repeated: an import that was interrupted is started again, and sends
only what is still missing. Nobody sees anything of it before it is applied. A newer
import of the same tree into the same collection replaces the one that was started
before, which is told so when it goes on.
"""

from datetime import timedelta
from typing import Annotated, Self

from pydantic import AfterValidator, Field, model_validator

from models.base import Schema
from models.fields import SHA256_HEX, Id, MayOmit, Moment, SingleLine, WholeNumber
from models.projects.document_imports.sources import SourceFields, WebsiteUrl
from models.projects.documents.documents import Collection
from models.projects.fields import Text
from models.projects.files.names import FileName
from models.projects.files.uploads import MAX_FILE_BYTES

MAX_DOCUMENTS = MAX_FILES = MAX_ALIASES = 10_000
MAX_TEXTS = 1_000
# Of the new texts of an import: writing them takes about a tenth of a second a
# megabyte, and other writes wait for it in SQLite.
MAX_TEXT_BYTES = 50_000_000
# For so long after its last step, an import can go on.
RETENTION = timedelta(hours=24)


def _require_inside(path: str) -> str:
    if path.startswith("/") or not {"", ".", ".."}.isdisjoint(path.split("/")):
        raise ValueError("Must be a path inside the tree, such as guides/setup.md.")
    return path


Sha256Hex = Annotated[str, Field(pattern=SHA256_HEX)]
SourcePath = Annotated[
    str,
    Field(min_length=1, max_length=1_000),
    SingleLine,
    AfterValidator(_require_inside),
]
TreeName = Annotated[str, Field(min_length=1, max_length=200), SingleLine]


class ListedDocument(SourceFields):
    """A document of the tree; `sha256` is that of its text as it is sent."""

    path: SourcePath
    sha256: Sha256Hex

    def digest(self) -> str:
        return self.sha256


class ListedFile(Schema):
    """A picture or file of the tree."""

    name: FileName
    sha256: Sha256Hex
    size: Annotated[WholeNumber, Field(ge=0, le=MAX_FILE_BYTES)]


class StartDocumentImport(Schema):
    project_id: MayOmit[Id] = None
    tree: TreeName
    collection: Collection
    base: MayOmit[WebsiteUrl] = None
    documents: Annotated[list[ListedDocument], Field(max_length=MAX_DOCUMENTS)]
    files: Annotated[list[ListedFile], Field(max_length=MAX_FILES)] = []
    skipped_paths: Annotated[list[SourcePath], Field(max_length=MAX_DOCUMENTS)] = []

    @model_validator(mode="after")
    def _require_distinct(self) -> Self:
        if not self.documents and not self.skipped_paths:
            raise ValueError("List at least one document.")
        paths = {document.path for document in self.documents}
        if len(paths) < len(self.documents):
            raise ValueError("Two documents have the same path.")
        if sum(len(document.aliases) for document in self.documents) > MAX_ALIASES:
            raise ValueError(f"All documents together have over {MAX_ALIASES} aliases.")
        if len({file.name for file in self.files}) < len(self.files):
            raise ValueError("Two files have the same name.")
        return self


class DocumentImport(Schema):
    """An import that was started, and what the server does not have of it."""

    id: Id
    project_id: Id
    tree: str
    collection: Collection
    missing_texts: list[str]
    missing_files: list[str]
    expires_at: Moment


class AddImportTexts(Schema):
    id: Id
    texts: Annotated[list[Text], Field(min_length=1, max_length=MAX_TEXTS)]


class AddedImportTexts(Schema):
    id: Id
    added: int


class AddImportFile(Schema):
    id: Id
    name: FileName


class AddedImportFile(Schema):
    id: Id
    name: str
    sha256: str
    source_sha256: str


class ApplyDocumentImport(Schema):
    """The options of the import; files in `without_files` are left out."""

    id: Id
    publish: bool = False
    prune: bool = False
    take_over: bool = False
    without_files: Annotated[list[FileName], Field(max_length=MAX_FILES)] = []


class HeldSource(Schema):
    """A document that people changed, which the import leaves to them."""

    path: str
    slug: str
    reason: str


class SourceNote(Schema):
    path: str
    reason: str


class ImportedFiles(Schema):
    """The names of the files, by what was done."""

    added: list[str]
    updated: list[str]
    unchanged: list[str]
    removed: list[str]


class AppliedDocumentImport(Schema):
    """The slugs of the documents, by what was done, and remarks about files."""

    created: list[str]
    updated: list[str]
    unchanged: list[str]
    published: list[str]
    restored: list[str]
    pruned: list[str]
    renamed: list[str]
    held: list[HeldSource]
    files: ImportedFiles
    notes: list[SourceNote]
