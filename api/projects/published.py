"""What may be asked about the public docs."""

from api.operation import Call, operation
from models.errors import DocumentNotFound
from models.pagination import Page
from models.projects.published import (
    GetPublished,
    ListPublished,
    PublishedDocument,
    published_got,
    published_listed,
)


@operation(
    "GET /projects/v1/published/list",
    scope="projects:published:list",
    takes=ListPublished,
    gives=list[PublishedDocument],
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
    refuses=(DocumentNotFound,),
)
def get_published(call: Call, asked: GetPublished) -> PublishedDocument:
    """Get a published document of the docs project by its slug."""
    return published_got(asked)
