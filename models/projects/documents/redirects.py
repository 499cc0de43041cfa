"""Let addresses of pages that are gone redirect to documents."""

from datetime import datetime
from typing import Annotated

from pydantic import Field

from models.base import Schema
from models.errors import PathTaken
from models.fields import ID, Id
from models.projects.documents.linking.aliases import Alias
from models.projects.documents.rows import (
    DocumentAliasRow,
    DocumentRow,
    document_with,
    record_redirect,
)
from models.projects.fields import Actor
from models.projects.members.role_checks import require_role
from models.projects.projects.activity import record_activity
from models.projects.projects.rows import require_active


class RedirectToDocument(Schema):
    id: Annotated[Id, ID]
    address: Alias = Field(
        description="An address on the site at which no page is, such as that of a"
        " page that was removed.",
        examples=["/guides/old-name/"],
    )


def redirect_to_document(
    request: RedirectToDocument, now: datetime, actor: Actor
) -> tuple[DocumentRow, bool]:
    """Let an address redirect to a document; return whether it did not before."""
    document, address = document_with(request.id), request.address
    require_role(document.project, actor, "documents:redirect")
    require_active(document.project, document)
    _require_no_page(document, address)
    alias = DocumentAliasRow
    own = (alias.document == document.id) & (alias.address == address)
    if alias.select().where(own & ~alias.is_declared).exists():
        return document, False
    record_redirect(document, address)
    record_activity(document, "document.redirected", actor, now, address=address)
    return document, True


def _require_no_page(document: DocumentRow, address: str) -> None:
    """Raise PathTaken if a page is at the address, or another file declares it."""
    row, alias = DocumentRow, DocumentAliasRow
    published = row.select(row.slug).where(
        (row.project == document.project) & row.published_version.is_null(False)
    )
    collection, _, path = address.strip("/").partition("/")
    has_page = (row.collection == collection) & (row.path == path)
    if other := published.where(has_page).first():
        raise PathTaken(
            f"The address {address} is that of the document '{other.slug}'. Unpublish"
            " or move it first."
        )
    declares = (alias.address == address) & alias.is_declared & (row.id != document.id)
    if other := published.join(alias).where(declares).first():
        raise PathTaken(
            f"The address {address} redirects to the document '{other.slug}', whose"
            " file declares it as an alias. Remove the alias from the file first."
        )
