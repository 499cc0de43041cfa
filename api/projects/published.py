"""Operations on the published documents of the docs project."""

from api.operation import Call, operation
from models.errors import DocumentNotFound
from models.pagination import Page
from models.projects.documents import published
from models.projects.documents.published import (
    GetPublished,
    ListPublished,
    OutlineCollection,
    PublishedDocument,
)


@operation(
    "GET /projects/v1/published/list",
    response=list[PublishedDocument],
    etag=True,
)
def list_published(call: Call, query: ListPublished) -> Page[PublishedDocument]:
    """
    List the published documents of the docs project, at their published versions.

    They are sorted by collection, section (null first), position and title. A page
    also ends at 4 MiB of content.
    """
    return published.list_published(query)


@operation(
    "GET /projects/v1/published/get",
    response=PublishedDocument,
    etag=True,
    errors=(DocumentNotFound,),
)
def get_published(call: Call, query: GetPublished) -> PublishedDocument:
    """Get a published document of the docs project by its slug."""
    return published.get_published(query)


@operation(
    "GET /projects/v1/published/outline",
    response=list[OutlineCollection],
    etag=True,
)
def get_published_outline(call: Call) -> list[OutlineCollection]:
    """
    Get the table of contents of the public docs.

    Pages are sorted as on the public site: by collection, section (null first),
    position and title. Imported trees stand one after the other, except in a section
    that they share.
    """
    return published.published_outline()
