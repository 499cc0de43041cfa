"""Search work items, specifications, documents and comments by words."""

from collections.abc import Iterable
from typing import Annotated, Any, Literal

from peewee import Case, fn
from pydantic import Field

from models.base import Schema
from models.fields import LIMIT, Id, QueryInteger, UpdatedAt
from models.pagination import Page, RankedQuery
from models.projects import descriptions
from models.projects.discussion.rows import CommentRow
from models.projects.documents.rows import DocumentRow
from models.projects.fields import ArchivedAt, CommaSeparated, ProjectId, ProjectQuery
from models.projects.projects.rows import archived_projects, requested_project
from models.projects.search.ranking import ranked_page
from models.projects.search.search_query import match_expression
from models.projects.search.snippets import SEARCHED_LENGTH, Highlight, SnippetMaker
from models.projects.search.text_index import Indexed, IndexedTextRow
from models.projects.specifications.rows import SpecificationRow
from models.projects.work.rows import WorkItemRow

ENTITY_ROWS: dict[str, Any] = {
    "work": WorkItemRow,
    "specification": SpecificationRow,
    "document": DocumentRow,
}


class SearchHit(Schema):
    """
    An entity that matches.

    Each highlight is a start and a length in the snippet, in code points. The title
    and archivedAt of a comment are those of the entity it is on.
    """

    entity_type: Annotated[Indexed, descriptions.ENTITY_TYPE]
    entity_id: Annotated[Id, descriptions.ENTITY_ID]
    project_id: ProjectId
    number: Annotated[int | None, descriptions.NUMBER]
    slug: Annotated[str | None, descriptions.SLUG]
    title: Annotated[str, descriptions.TITLE]
    status: str | None = Field(description="The status.", examples=["planned"])
    snippet: str = Field(
        description="A passage that contains the words.",
        examples=["Moving the archive"],
    )
    highlights: list[Highlight] = Field(
        description="The positions of matches in the snippet: start and length.",
        examples=[[[0, 6]]],
    )
    on_type: Literal["work", "specification", "document"] | None = Field(
        description="The type of the object that the comment is on.", examples=[None]
    )
    on_id: Id | None = Field(
        description="The ID of the object that the comment is on.", examples=[None]
    )
    archived_at: ArchivedAt | None
    updated_at: UpdatedAt


class ListHits(ProjectQuery, RankedQuery):
    q: Annotated[str, Field(min_length=1, max_length=200), descriptions.WORDS]
    types: CommaSeparated[Indexed] | None = Field(
        default=None, description="The types of objects to search, separated by commas."
    )
    archived: Annotated[Literal["exclude", "include"], descriptions.ARCHIVED] = (
        "exclude"
    )
    limit: Annotated[QueryInteger, Field(ge=1, le=50), LIMIT] = 20


def search_hits(query: ListHits) -> Page[SearchHit]:
    """Return a page of hits: the newest MAX_RANKED best first, then the others."""
    match = match_expression(query.q)
    if match is None:
        return Page([], {"cursor": None})
    numbers, meta = ranked_page(match, query, _conditions(query))
    return Page(_hits(query.q, numbers), meta)


def _conditions(query: ListHits) -> list[Any]:
    text = IndexedTextRow
    conditions: list[Any] = []
    project = requested_project(query)
    if project is not None:
        conditions.append(text.project == project.id)
    elif query.archived == "exclude":
        conditions.append(text.project.not_in(archived_projects()))
    if query.types is not None:
        conditions.append(text.entity_type.in_(query.types))
    if query.archived == "exclude":
        conditions.append(_archived_at().is_null())
    return conditions


def _archived_at() -> Any:
    """Return the SQL expression of archivedAt; a comment has that of its entity."""
    text, comment = IndexedTextRow, CommentRow
    of_subject = comment.select(
        _archived_at_of(comment.entity_type, comment.entity_id)
    ).where(comment.id == text.entity_id)
    return Case(
        text.entity_type,
        [("comment", of_subject)],
        _archived_at_of(text.entity_type, text.entity_id),
    )


def _archived_at_of(type: Any, id: Any) -> Any:
    cases = [
        (name, row.select(row.archived_at).where(row.id == id))
        for name, row in ENTITY_ROWS.items()
    ]
    return Case(type, cases)


def _hits(query: str, numbers: list[int]) -> list[SearchHit]:
    """Return the hits of the texts with these numbers, in their order."""
    text, snippets = IndexedTextRow, SnippetMaker(query)
    body = fn.SUBSTR(text.body, 1, SEARCHED_LENGTH).alias("body")
    rows = text.select(text.number, text.entity_type, text.entity_id, body)
    by_number = {row.number: row for row in rows.where(text.number.in_(numbers))}
    texts = [by_number[number] for number in numbers]
    comments = _with_ids(CommentRow, _entity_ids(texts, "comment"))
    subjects = [*texts, *comments.values()]
    entities = {
        name: _with_ids(row, _entity_ids(subjects, name))
        for name, row in ENTITY_ROWS.items()
    }
    return [_hit(row, comments, entities, snippets) for row in texts]


def _entity_ids(rows: Iterable[Any], type: str) -> list[str]:
    return [row.entity_id for row in rows if row.entity_type == type]


def _with_ids(model: Any, ids: list[str]) -> dict[str, Any]:
    return {row.id: row for row in model.select().where(model.id.in_(ids))}


def _hit(
    text: IndexedTextRow,
    comments: dict[str, Any],
    entities: dict[str, dict[str, Any]],
    snippets: SnippetMaker,
) -> SearchHit:
    comment = comments.get(text.entity_id)
    subject = comment or text
    entity = entities[subject.entity_type][subject.entity_id]
    own = None if comment else entity
    snippet, highlights = snippets.snippet(text.body)
    return SearchHit.model_validate(
        {
            "entity_type": text.entity_type,
            "entity_id": text.entity_id,
            "project_id": entity.project_id,
            "title": entity.title,
            "snippet": snippet,
            "highlights": highlights,
            "on_type": comment and comment.entity_type,
            "on_id": comment and comment.entity_id,
            "archived_at": entity.archived_at,
            "updated_at": (comment or entity).updated_at,
        }
        | {name: getattr(own, name, None) for name in ("number", "slug", "status")}
    )
