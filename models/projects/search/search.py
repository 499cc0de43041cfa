"""Search: the things of projects that have the words, the best first."""

from collections.abc import Iterable
from typing import Annotated, Any, Literal

from peewee import Case, fn
from pydantic import Field

from models.base import Schema
from models.fields import Id, Moment, QueryInteger
from models.pagination import CursorQuery, Page
from models.projects.discussion.rows import CommentRow
from models.projects.documents.rows import DocumentRow
from models.projects.fields import Commas, OfProject
from models.projects.projects.rows import ProjectRow, project_asked
from models.projects.search.ranking import ranked_page
from models.projects.search.search_query import match_of
from models.projects.search.snippets import LOOKED_THROUGH, Finder, Highlight
from models.projects.search.text_index import Indexed, IndexedTextRow
from models.projects.specifications.rows import SpecificationRow
from models.projects.work.rows import WorkItemRow

ROWS: dict[str, Any] = {
    "work": WorkItemRow,
    "specification": SpecificationRow,
    "document": DocumentRow,
}


class SearchHit(Schema):
    """
    One thing that was found.

    Highlights are places in the snippet, each its start and its length in code
    points. Of a comment, the title and archivedAt are those of what it is on.
    """

    entity_type: Indexed
    entity_id: Id
    project_id: Id
    number: int | None
    slug: str | None
    title: str
    status: str | None
    snippet: str
    highlights: list[Highlight]
    on_type: Literal["work", "specification", "document"] | None
    on_id: Id | None
    archived_at: Moment | None
    updated_at: Moment


class ListHits(OfProject, CursorQuery):
    q: Annotated[str, Field(min_length=1, max_length=200)]
    types: Commas[Indexed] | None = None
    archived: Literal["exclude", "include"] = "exclude"
    limit: Annotated[QueryInteger, Field(ge=1, le=50)] = 20


def hits_listed(query: ListHits) -> Page[SearchHit]:
    """Return a page of hits, of the newest things that have the words."""
    match = match_of(query.q)
    if match is None:
        return Page([], {"cursor": None})
    numbers, cursor = ranked_page(match, query, _texts(query))
    return Page(_hits(query.q, numbers), {"cursor": cursor})


def _texts(query: ListHits) -> list[Any]:
    """Return the conditions under which a text may be told of."""
    text = IndexedTextRow
    found: list[Any] = []
    project = project_asked(query)
    if project is not None:
        found.append(text.project == project.id)
    elif query.archived == "exclude":
        archived = ProjectRow.archived_at.is_null(False)
        hidden = ProjectRow.select(ProjectRow.id).where(archived)
        found.append(text.project.not_in(hidden))
    if query.types is not None:
        found.append(text.entity_type.in_(query.types))
    if query.archived == "exclude":
        found.append(_archived_at().is_null())
    return found


def _archived_at() -> Any:
    """When the thing was archived; a comment goes with what it is on."""
    text, comment = IndexedTextRow, CommentRow
    on = comment.select(_of_rows(comment.entity_type, comment.entity_id))
    of_comment = on.where(comment.id == text.entity_id)
    return Case(
        text.entity_type,
        [("comment", of_comment)],
        _of_rows(text.entity_type, text.entity_id),
    )


def _of_rows(type: Any, id: Any) -> Any:
    each = [
        (name, row.select(row.archived_at).where(row.id == id))
        for name, row in ROWS.items()
    ]
    return Case(type, each)


def _hits(asked: str, numbers: list[int]) -> list[SearchHit]:
    text, finder = IndexedTextRow, Finder(asked)
    body = fn.SUBSTR(text.body, 1, LOOKED_THROUGH).alias("body")
    rows = text.select(text.number, text.entity_type, text.entity_id, body)
    found = {row.number: row for row in rows.where(text.number.in_(numbers))}
    ordered = [found[number] for number in numbers]
    comments = _with_ids(CommentRow, _ids(ordered, "comment"))
    named = [*ordered, *comments.values()]
    things = {name: _with_ids(row, _ids(named, name)) for name, row in ROWS.items()}
    return [_hit(each, comments, things, finder) for each in ordered]


def _ids(rows: Iterable[Any], type: str) -> list[str]:
    return [row.entity_id for row in rows if row.entity_type == type]


def _with_ids(row: Any, ids: list[str]) -> dict[str, Any]:
    return {each.id: each for each in row.select().where(row.id.in_(ids))}


def _hit(
    text: IndexedTextRow,
    comments: dict[str, Any],
    things: dict[str, dict[str, Any]],
    finder: Finder,
) -> SearchHit:
    comment = comments.get(text.entity_id)
    on = comment or text
    thing = things[on.entity_type][on.entity_id]
    own = None if comment else thing
    snippet, highlights = finder.snippet(text.body)
    return SearchHit.model_validate(
        {
            "entity_type": text.entity_type,
            "entity_id": text.entity_id,
            "project_id": thing.project_id,
            "title": thing.title,
            "snippet": snippet,
            "highlights": highlights,
            "on_type": comment and comment.entity_type,
            "on_id": comment and comment.entity_id,
            "archived_at": thing.archived_at,
            "updated_at": (comment or thing).updated_at,
        }
        | {name: getattr(own, name, None) for name in ("number", "slug", "status")}
    )
