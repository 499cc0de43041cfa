"""What may be asked about the public docs."""

from api.operation import Call, operation
from models.errors import DocumentNotFound
from models.pagination import Page
from models.projects.published import (
    GetPublished,
    ListPublished,
    OutlineCollection,
    PublishedDocument,
    published_got,
    published_listed,
    published_outline,
)


@operation(
    "GET /projects/v1/published/list",
    scope="projects:published:list",
    takes=ListPublished,
    gives=list[PublishedDocument],
    revalidates=True,
)
def list_published(call: Call, asked: ListPublished) -> Page[PublishedDocument]:
    """
    List the published documents of the docs project, as they were published.

    They come by collection, section (none first), position and title. A page
    also ends at 4 MiB of text.
    """
    return published_listed(asked)


@operation(
    "GET /projects/v1/published/get",
    scope="projects:published:get",
    takes=GetPublished,
    gives=PublishedDocument,
    revalidates=True,
    refuses=(DocumentNotFound,),
)
def get_published(call: Call, asked: GetPublished) -> PublishedDocument:
    """Get a published document of the docs project by its slug."""
    return published_got(asked)


@operation(
    "GET /projects/v1/published/outline",
    scope="projects:published:outline",
    gives=list[OutlineCollection],
    revalidates=True,
)
def outline_published(call: Call) -> list[OutlineCollection]:
    """
    Get the table of contents of the public docs, without their texts.

    Pages stand as on the public site: by collection, section (none first),
    position and title.
    """
    return published_outline()
