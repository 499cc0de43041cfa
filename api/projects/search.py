"""What may be asked of search."""

from api.operation import Call, operation
from models.errors import ProjectNotFound
from models.pagination import Page
from models.projects.search.search import ListHits, SearchHit, search_hits


@operation(
    "GET /projects/v1/search/list",
    scope="projects:search:list",
    request=ListHits,
    response=list[SearchHit],
    errors=(ProjectNotFound,),
)
def search(call: Call, query: ListHits) -> Page[SearchHit]:
    """
    Search in work items, specifications, documents and comments, the best first.

    All words of q are needed; quotes make a phrase, and a star after two letters
    or more the beginning of a word. Of words that more than 500 things have, the
    newest 500 are ranked. Highlights are pairs of start and length in the snippet,
    in code points.
    """
    return search_hits(query)
