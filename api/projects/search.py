"""Search in projects."""

from api.operation import Call, operation
from models.errors import ProjectNotFound
from models.pagination import Page
from models.projects.search.search import ListHits, SearchHit, search_hits


@operation(
    "GET /projects/v1/search/list",
    response=list[SearchHit],
    errors=(ProjectNotFound,),
)
def search(call: Call, query: ListHits) -> Page[SearchHit]:
    """
    Search work items, specifications, documents and comments, best match first.

    A hit contains all words of q, in its title or its text, which for a document
    includes the summary. Quotes mark a phrase; a star after at least two
    letters matches words with that prefix. If more than 500 entities match, the newest
    500 are ranked; the others follow on further pages, newest first, whose
    meta.sortedBy is time. Highlights are pairs of start and length in the snippet, in
    code points.
    """
    return search_hits(query)
