"""Store heads with their revisions: every save of a text is a new version."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

from models.base import new_id
from models.errors import NotFound, RevisionNotFound, SlugTaken, VersionConflict
from models.pagination import Page, ascending, cursor_page, descending
from models.projects.fields import Actor, GetRevision, IdOrSlugQuery, ListRevisions
from models.projects.projects.rows import ProjectRow, requested_project
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
        head: Head | None = self.head_model.get_or_none(self.head_model.id == id)
        if head is None:
            raise self.not_found(f"No {self.noun} has the id '{id}'.")
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
        for start in range(0, len(ids), BATCH_SIZE):
            query = (
                self.head_model.select(self.head_model.id, self.revision_model.content)
                .join(self.revision_model, on=self.at_version(version))
                .where(self.head_model.id.in_(ids[start : start + BATCH_SIZE]))
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
