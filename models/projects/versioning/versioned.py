"""Store heads with their revisions: every save of a text is a new version."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Generic, Literal, TypeVar

from peewee import chunked
from pydantic import Field

from models.base import new_id, row_with_id
from models.errors import NotFound, RevisionNotFound, SlugTaken, VersionConflict
from models.fields import Id
from models.pagination import (
    CursorQuery,
    Page,
    ascending,
    cursor_page,
    descending,
    filter_rows,
)
from models.projects import descriptions
from models.projects.fields import (
    Actor,
    ArchivedFilter,
    ContentOption,
    GetRevision,
    IdOrSlugQuery,
    ListRevisions,
    Order,
    ProjectQuery,
    SearchText,
    UpdatedAfter,
    UpdatedBefore,
    sort_keys,
)
from models.projects.projects.rows import (
    ProjectRow,
    filter_by_history,
    requested_project,
)
from models.projects.search.text_index import index_text, with_summary

# Ids in one query, far below SQLite's limit of variables.
BATCH_SIZE = 500

Head = TypeVar("Head")
Revision = TypeVar("Revision")


@dataclass(frozen=True)
class Versioned(Generic[Head, Revision]):
    """
    A kind of entity whose content is versioned: documents or specifications.

    `head_model` is the row of the newest version, without its content.
    `revision_model` is the row of a revision; its column named by `noun` refers to
    the head. `not_found` is raised for an unknown id.
    """

    noun: Literal["document", "specification"]
    head_model: Any
    revision_model: Any
    not_found: type[NotFound]

    @property
    def head_column(self) -> Any:
        """The column of a revision that refers to its head."""
        return getattr(self.revision_model, self.noun)

    def with_id(self, id: str | None) -> Head:
        head: Head = row_with_id(self.head_model, id, self.not_found, self.noun)
        return head

    def get(self, query: IdOrSlugQuery) -> Head:
        """Return the head by its id, or by project and slug, with its content."""
        if query.id is not None:
            return self.load_content(self.with_id(query.id))
        model, project = self.head_model, requested_project(query)
        head: Head | None = model.get_or_none(
            (model.project == project) & (model.slug == query.slug)
        )
        if head is None:
            raise self.not_found(f"The project has no {self.noun} '{query.slug}'.")
        return self.load_content(head)

    def require_free_slug(self, project: ProjectRow, slug: str) -> None:
        """Raise SlugTaken if the project has the slug already, archived or not."""
        model = self.head_model
        is_same = (model.project == project) & (model.slug == slug)
        if model.select().where(is_same).exists():
            raise SlugTaken(
                f"The project '{project.slug}' already has a {self.noun} '{slug}'."
            )

    def require_version(self, head: Any, expected: int | None) -> None:
        """Raise VersionConflict, with a link to the diff, if the head has moved on."""
        if expected is None or expected == head.version:
            return
        extra: dict[str, Any] = {"current": head.version}
        if expected < head.version:
            extra["diff"] = (
                f"/projects/v1/{self.noun}-revisions/diff?{self.noun}Id={head.id}"
                f"&from={expected}&to={head.version}"
            )
        raise VersionConflict(
            f"The {head.noun} is at version {head.version}, not {expected}.", **extra
        )

    def save_revision(
        self, head: Any, content: str, actor: Actor, **fields: Any
    ) -> None:
        """Save the head as a revision, dated by its last update, and index its text."""
        revision: Any = self.new_revision(head, content, actor, **fields)
        revision.save(force_insert=True)
        # Only documents have a summary; that of a specification is of its revision.
        body = with_summary(getattr(head, "summary", None), content)
        index_text(head.project, self.noun, head.id, head.title, body)
        head.content = content

    def new_revision(
        self, head: Any, content: str, actor: Actor, **fields: Any
    ) -> Revision:
        """Return the head as a revision, which is not saved yet."""
        revision: Revision = self.revision_model(
            id=new_id(head.updated_at),
            version=head.version,
            title=head.title,
            author_id=actor.id,
            author_type=actor.type,
            created_at=head.updated_at,
            size=len(content.encode()),
            content=content,
            **{self.noun: head.id},
            **fields,
        )
        return revision

    def at_version(self, version: Any) -> Any:
        """Return the condition to join heads with the revision a head column names."""
        return (self.head_column == self.head_model.id) & (
            self.revision_model.version == version
        )

    def contents_of(self, ids: Sequence[str], version: Any) -> dict[str, str]:
        """Return the contents by head id, at the version in a column of the head."""
        contents: dict[str, str] = {}
        for batch in chunked(ids, BATCH_SIZE):
            query = (
                self.head_model.select(self.head_model.id, self.revision_model.content)
                .join(self.revision_model, on=self.at_version(version))
                .where(self.head_model.id.in_(batch))
            )
            contents |= dict(query.tuples())
        return contents

    def load_content(self, head: Any) -> Head:
        """Set the content of the head from its newest revision, and return the head."""
        head.content = self.contents_of([head.id], self.head_model.version)[head.id]
        loaded: Head = head
        return loaded

    def revision_of(self, head: Any, version: int) -> Revision:
        model = self.revision_model
        revision: Revision | None = model.get_or_none(
            (self.head_column == head.id) & (model.version == version)
        )
        if revision is None:
            raise RevisionNotFound(f"The {head.noun} has no version {version}.")
        return revision

    def get_revision(self, query: GetRevision) -> Revision:
        """Return a revision by its id or version, or the newest one at a time."""
        model = self.revision_model
        revision: Revision | None
        if query.id is not None:
            revision = model.get_or_none(model.id == query.id)
            if revision is None:
                raise RevisionNotFound(f"No revision has the id '{query.id}'.")
            return revision
        head: Any = self.with_id(query.parent_id)
        if query.version is not None:
            return self.revision_of(head, query.version)
        existed = (self.head_column == head.id) & (model.created_at <= query.at)
        revision = model.select().where(existed).order_by(model.version.desc()).first()
        if revision is None:
            raise RevisionNotFound(f"The {head.noun} did not exist at that time.")
        return revision

    def list_revisions(self, query: ListRevisions, *conditions: Any) -> Page[Revision]:
        head: Any = self.with_id(query.parent_id)
        model = self.revision_model
        columns = [c for c in model._meta.sorted_fields if c.name != "content"]
        rows = model.select(*columns).where(self.head_column == head.id, *conditions)
        is_omitted = query.content == "omit"
        sort = ascending if query.order == "asc" else descending
        page = cursor_page(
            rows,
            query,
            sort(model.version),
            weight=lambda row: 0 if is_omitted else row.size,
        )
        ids = [] if is_omitted else [revision.id for revision in page.items]
        texts = model.select(model.id, model.content).where(model.id.in_(ids))
        contents = dict(texts.tuples())
        for revision in page.items:
            revision.content = contents.get(revision.id, "")
        return page


class ListVersioned(ProjectQuery, CursorQuery):
    """The filters that both lists share."""

    creator_id: Annotated[Id | None, descriptions.CREATOR_ID] = None
    archived: Annotated[ArchivedFilter, descriptions.ARCHIVED] = "exclude"
    updated_after: UpdatedAfter | None = None
    updated_before: UpdatedBefore | None = None
    q: Annotated[SearchText | None, descriptions.WORDS] = None
    content: ContentOption = Field(
        default="include", description="Whether to include the content."
    )
    order: Order | None = None


def list_versioned(
    kind: Versioned[Head, Revision],
    query: ListVersioned,
    sort: str,
    conditions: list[Any],
) -> Page[Head]:
    """
    Return a page of heads, with their contents unless they are omitted.

    Without a project, archived projects are left out unless `archived` includes them.
    """
    head = kind.head_model
    rows = (
        head.select(head, kind.revision_model.size)
        .join(kind.revision_model, on=kind.at_version(head.version))
        .objects()
    )
    rows = filter_by_history(rows, head, query)
    rows = filter_rows(rows, head, query, "creator_id")
    for condition in (*conditions, *_project_conditions(head, query)):
        rows = rows.where(condition)
    is_omitted = query.content == "omit"
    page = cursor_page(
        rows,
        query,
        *sort_keys(head, sort, query.order),
        weight=lambda row: 0 if is_omitted else row.size,
    )
    ids = [] if is_omitted else [row.id for row in page.items]
    contents = kind.contents_of(ids, head.version)
    for row in page.items:
        row.content = contents.get(row.id, "")
    return page


def _project_conditions(head: Any, query: ListVersioned) -> list[Any]:
    project = requested_project(query)
    if project is not None:
        return [head.project == project.id]
    if query.archived != "exclude":
        return []
    is_active = ProjectRow.archived_at.is_null()
    return [head.project.in_(ProjectRow.select(ProjectRow.id).where(is_active))]
