"""The tables of documents: heads, revisions and aliases."""

from hashlib import sha256
from typing import Any

from peewee import (
    AutoField,
    BooleanField,
    ForeignKeyField,
    IntegerField,
    TextField,
)

from models.base import MomentField, Row
from models.errors import DocumentNotFound, PathTaken
from models.projects.documents.paths import page_address
from models.projects.fields import Actor
from models.projects.projects.rows import ProjectRow
from models.projects.versioning.versioned import Versioned


class DocumentRow(Row):
    """The head of a document; its content is stored in the revisions."""

    project_id: str
    content: str

    id = TextField(primary_key=True)
    project = ForeignKeyField(ProjectRow, on_delete="CASCADE")
    title = TextField()
    slug = TextField()
    path = TextField()
    type = TextField()
    summary = TextField(null=True)
    version = IntegerField()
    collection = TextField(null=True)
    section = TextField(null=True)
    position = IntegerField()
    published_version = IntegerField(null=True)
    published_at = MomentField(null=True)
    creator_id = TextField()
    creator_type = TextField()
    created_at = MomentField()
    updated_at = MomentField()
    archived_at = MomentField(null=True)
    # The file it was imported from: links between files are relative to it.
    source_path = TextField(null=True)
    # The name of the tree that contains the file.
    source_tree = TextField(null=True)
    # The address that the file declares on the website of the tree, if it differs from
    # the path.
    source_address = TextField(null=True)
    # The URL of that website, where links lead that the tree cannot resolve.
    source_base = TextField(null=True)
    # When the file was last changed, by its history. None: it says nothing, or a person
    # has changed the document since.
    changed_at = MomentField(null=True)
    # The label in navigation, if the file or its tree gives one that is not the title.
    nav_title = TextField(null=True)
    # Whether navigation, search and sitemap have the page: files may say otherwise.
    is_listed = BooleanField(default=True)
    # Whether the page shows the summary below its title: files may say otherwise.
    has_lead = BooleanField(default=True)
    # The language of the text, if the file declares it.
    language = TextField(null=True)
    # The collection into which the file was imported.
    source_collection = TextField(null=True)
    # The number of its last activity that an import has seen: what has a higher number
    # was done by people.
    imported_activity = IntegerField(null=True)

    class Meta:
        indexes = (
            (("project", "slug"), True),
            (("project", "collection", "path"), False),
            (("updated_at", "id"), False),
        )

    @property
    def noun(self) -> str:
        return f"document '{self.slug}'"

    @property
    def is_on_site(self) -> bool:
        return self.published_version is not None and self.project.builtin


class DocumentRevisionRow(Row):
    document_id: str

    id = TextField(primary_key=True)
    document = ForeignKeyField(DocumentRow, on_delete="CASCADE", index=False)
    version = IntegerField()
    title = TextField()
    summary = TextField(null=True)
    note = TextField(null=True)
    author_id = TextField()
    author_type = TextField()
    created_at = MomentField()
    # Bytes and SHA-256 of the content. The content is the last column, so that
    # reading the others stays cheap.
    size = IntegerField()
    digest = TextField()
    content = TextField()

    class Meta:
        indexes = ((("document", "version"), True),)


def digest_of(content: str) -> str:
    """Return the SHA-256 of a text, part of the key of its rendered body."""
    return sha256(content.encode()).hexdigest()


class DocumentAliasRow(Row):
    """An address of the site, such as /old/setup/, that redirects to a document."""

    document_id: str

    number = AutoField()
    document = ForeignKeyField(DocumentRow, on_delete="CASCADE", index=False)
    address = TextField()
    # Whether the document's file declares it. Otherwise the page was there before.
    is_declared = BooleanField()

    class Meta:
        indexes = ((("document", "address"), True),)


class Documents(Versioned[DocumentRow, DocumentRevisionRow]):
    """The documents, whose revisions have the digests of their contents."""

    def new_revision(
        self, head: Any, content: str, actor: Actor, **fields: Any
    ) -> DocumentRevisionRow:
        digest = digest_of(content)
        return super().new_revision(head, content, actor, digest=digest, **fields)


DOCUMENTS = Documents("document", DocumentRow, DocumentRevisionRow, DocumentNotFound)


def document_with(id: str) -> DocumentRow:
    return DOCUMENTS.with_id(id)


def require_free_path(
    project: ProjectRow, collection: str | None, path: str, id: str | None = None
) -> None:
    """Raise PathTaken if another document of the collection has the path."""
    row = DocumentRow
    has_path = (row.collection == collection) & (row.path == path)
    taken = row.select(row.slug).where((row.project == project) & has_path)
    if other := taken.where(row.id != (id or "")).first():
        raise PathTaken(
            f"The address {page_address(collection, path)} is that of the document"
            f" '{other.slug}'."
        )


def record_former_address(document: DocumentRow) -> None:
    """Store the address of a document on the site, so that it can redirect."""
    if document.is_on_site:
        record_redirect(document, page_address(document.collection, document.path))


def record_redirect(document: DocumentRow, address: str) -> None:
    """Let an address redirect to a document, whatever its file declares."""
    alias = DocumentAliasRow
    # Of several pages that were there, the last one counts.
    was_there = (alias.address == address) & ~alias.is_declared
    alias.delete().where(was_there & (alias.document != document.id)).execute()
    alias.insert(document=document.id, address=address, is_declared=False).on_conflict(
        conflict_target=[alias.document, alias.address],
        update={alias.is_declared: False},
    ).execute()
