"""
Define what an import over the API says of a tree, sends and reports.

An import has three steps. It starts with a list of the tree's documents and files by
their SHA-256, which the server answers with those that it does not have. These are sent
in parts, and kept for a day. Then the import is applied, in one transaction and by the
rules of an import on the server.

All steps can be repeated: an import that was interrupted is started again, and sends
only what is still missing. Nobody sees anything of it before it is applied. A newer
import of the same tree into the same collection replaces the one that was started
before, whose next step is refused with this reason.
"""

from datetime import timedelta
from typing import Annotated, Self

from pydantic import AfterValidator, Field, model_validator

from models.base import Schema
from models.fields import ID, SHA256_HEX, Id, MayOmit, Moment, SingleLine, WholeNumber
from models.projects import descriptions
from models.projects.document_imports.sources import SourceFields, WebsiteUrl
from models.projects.documents.documents import Collection
from models.projects.documents.paths import DocumentPath
from models.projects.fields import EXAMPLE_TIME, ProjectId, Text
from models.projects.files.names import FileName
from models.projects.files.uploads import MAX_FILE_BYTES

MAX_DOCUMENTS = MAX_FILES = 10_000
# Each page may have moved from another website, and several times on it.
MAX_ALIASES = 50_000
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

# What several fields mean.
TREE = Field(description="The name of the tree.", examples=["docs"])
PATH = Field(
    description="The path of the file in the tree.", examples=["guides/moving.md"]
)


class ListedDocument(SourceFields, example=("isNumbered",)):
    """A document of the tree; `sha256` is that of its text as it is sent."""

    path: Annotated[SourcePath, PATH]
    sha256: Sha256Hex = Field(
        description="The SHA-256 of the text in UTF-8, in hexadecimal.",
        examples=["5f" * 32],
    )

    def digest(self) -> str:
        return self.sha256


class ListedFile(Schema):
    """A picture or file of the tree."""

    name: Annotated[FileName, descriptions.FILE_NAME]
    sha256: Sha256Hex = Field(
        description="The SHA-256 of the file, in hexadecimal.", examples=["a3" * 32]
    )
    size: Annotated[WholeNumber, Field(ge=0, le=MAX_FILE_BYTES)] = Field(
        description="The number of bytes.", examples=[18204]
    )


class StartDocumentImport(Schema, example=("files",)):
    project_id: MayOmit[ProjectId] = None
    tree: Annotated[TreeName, TREE]
    collection: Annotated[Collection, descriptions.COLLECTION]
    base: MayOmit[WebsiteUrl] = Field(
        default=None,
        description="The URL where the tree is published, to which links to missing"
        " pages lead.",
        examples=["https://docs.example.com"],
    )
    below: DocumentPath = Field(
        default="",
        description="The path in the collection below which the pages are. Empty: at"
        " its root.",
        examples=["cli"],
    )
    documents: Annotated[list[ListedDocument], Field(max_length=MAX_DOCUMENTS)] = Field(
        description="All documents of the tree, in any order."
    )
    files: Annotated[list[ListedFile], Field(max_length=MAX_FILES)] = Field(
        default=[],
        description="The pictures and other files that the documents show.",
        examples=[[]],
    )
    skipped_paths: Annotated[list[SourcePath], Field(max_length=MAX_DOCUMENTS)] = Field(
        default=[],
        description="The paths of files that could not be read; their documents are"
        " not pruned.",
        examples=[[]],
    )

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

    id: Annotated[Id, ID]
    project_id: ProjectId
    tree: Annotated[str, TREE]
    collection: Annotated[Collection, descriptions.COLLECTION]
    missing_texts: list[str] = Field(
        description="The SHA-256 of each text that the server does not have.",
        examples=[["5f" * 32]],
    )
    missing_files: list[str] = Field(
        description="The names of files that the server does not have.",
        examples=[["docs/images/setup.png"]],
    )
    expires_at: Moment = Field(
        description="Until when the import can go on.", examples=[EXAMPLE_TIME]
    )


class AddImportTexts(Schema):
    id: Annotated[Id, ID]
    texts: Annotated[list[Text], Field(min_length=1, max_length=MAX_TEXTS)] = Field(
        description="The texts.", examples=[["# Moving\n\nStart with small files.\n"]]
    )


class AddedImportTexts(Schema):
    id: Annotated[Id, ID]
    added: int = Field(description="The number of texts that were missing.")


class AddImportFile(Schema):
    id: Annotated[Id, ID]
    name: Annotated[FileName, descriptions.FILE_NAME]


class AddedImportFile(Schema):
    id: Annotated[Id, ID]
    name: Annotated[str, descriptions.FILE_NAME]
    sha256: str = Field(
        description="The SHA-256 of the stored bytes, in hexadecimal.",
        examples=["5f" * 32],
    )
    source_sha256: str = Field(
        description="The SHA-256 of the bytes as they were sent, before their"
        " metadata went.",
        examples=["a3" * 32],
    )


class ApplyDocumentImport(Schema, example=("publish",)):
    """The options of the import; files in `without_files` are left out."""

    id: Annotated[Id, ID]
    publish: bool = Field(
        default=False,
        description="Whether to publish the documents as they are in their files.",
        examples=[True],
    )
    prune: bool = Field(
        default=False,
        description="Whether to unpublish and archive documents whose file is gone.",
    )
    take_over: bool = Field(
        default=False,
        description="Whether to import documents too that people changed.",
    )
    without_files: Annotated[list[FileName], Field(max_length=MAX_FILES)] = Field(
        default=[], description="The names of files to leave out.", examples=[[]]
    )


class HeldSource(Schema):
    """A document that people changed, which the import leaves to them."""

    path: Annotated[str, PATH]
    slug: Annotated[str, descriptions.DOCUMENT_SLUG]
    reason: str = Field(
        description="Why the document was held.",
        examples=["It was edited after the last import."],
    )


class SourceNote(Schema):
    path: Annotated[str, PATH]
    reason: str = Field(
        description="The remark, as a sentence.",
        examples=["The slug 'moving' is taken."],
    )


class ImportedFiles(Schema):
    """The names of the files, by what was done."""

    added: list[str] = Field(
        description="The names of new files.", examples=[["docs/images/setup.png"]]
    )
    updated: list[str] = Field(
        description="The names of files with new bytes.", examples=[[]]
    )
    unchanged: list[str] = Field(
        description="The names of files that did not change.", examples=[[]]
    )
    removed: list[str] = Field(
        description="The names of files that the tree no longer uses.", examples=[[]]
    )


class AppliedDocumentImport(Schema):
    """The slugs of the documents, by what was done, and remarks about files."""

    created: list[str] = Field(
        description="The slugs of new documents.", examples=[["moving"]]
    )
    updated: list[str] = Field(
        description="The slugs of documents with a new version.", examples=[[]]
    )
    unchanged: list[str] = Field(
        description="The slugs of documents that equal their file.", examples=[[]]
    )
    published: list[str] = Field(
        description="The slugs of documents that were published.", examples=[["moving"]]
    )
    restored: list[str] = Field(
        description="The slugs of documents that were archived before.", examples=[[]]
    )
    pruned: list[str] = Field(
        description="The slugs of documents that were unpublished and archived.",
        examples=[[]],
    )
    renamed: list[str] = Field(
        description="The slugs of updated documents whose file was renamed.",
        examples=[[]],
    )
    held: list[HeldSource] = Field(
        description="Documents that people changed, which the import left alone.",
        examples=[[]],
    )
    files: ImportedFiles = Field(description="The names of files, by what was done.")
    notes: list[SourceNote] = Field(
        description="Remarks about files of the tree; one about the whole tree has"
        " its name as the path.",
        examples=[[]],
    )
