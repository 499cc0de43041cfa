"""What is kept in versions: a head, and one revision for each accepted save."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

from models.base import new_id
from models.errors import NotFound, RevisionNotFound, SlugTaken, VersionConflict
from models.pagination import Page, ascending, cursor_page, descending
from models.projects.fields import Actor, GetRevision, ListRevisions, NamedInProject
from models.projects.projects.rows import ProjectRow, project_asked
from models.projects.search.text_index import index_text

# What one query may name; far below what SQLite takes.
AT_ONCE = 500

Head = TypeVar("Head")
Revision = TypeVar("Revision")


@dataclass(frozen=True)
class Versioned(Generic[Head, Revision]):
    """
    One kind of thing of which every version is kept.

    `head` is its row, without the text; `kept` the row of its revisions, which
    names the head by the noun; `missing` refuses an id that is none.
    """

    noun: Literal["document", "specification"]
    head: Any
    kept: Any
    missing: type[NotFound]

    @property
    def of(self) -> Any:
        """The column in which a revision names its head."""
        return getattr(self.kept, self.noun)

    def with_id(self, id: str | None) -> Head:
        found: Head | None = self.head.get_or_none(self.head.id == id)
        if found is None:
            raise self.missing(f"No {self.noun} has the id '{id}'.")
        return found

    def got(self, request: NamedInProject) -> Head:
        """Return the head that has the id, or the slug in the project, with text."""
        if request.id is not None:
            return self.with_content(self.with_id(request.id))
        project = project_asked(request)
        has = (self.head.project == project) & (self.head.slug == request.slug)
        found: Head | None = self.head.get_or_none(has)
        if found is None:
            raise self.missing(f"The project has no {self.noun} '{request.slug}'.")
        return self.with_content(found)

    def require_free(self, project: ProjectRow, slug: str) -> None:
        """Refuse a slug that stands in the project already, archived or not."""
        taken = (self.head.project == project) & (self.head.slug == slug)
        if self.head.select().where(taken).exists():
            raise SlugTaken(
                f"The project '{project.slug}' already has a {self.noun} '{slug}'."
            )

    def require_version(self, head: Any, expected: int | None) -> None:
        """Refuse to write over what the caller has not seen, and say where it is."""
        if expected is None or expected == head.version:
            return
        members: dict[str, Any] = {"current": head.version}
        if expected < head.version:
            members["diff"] = (
                f"/projects/v1/{self.noun}-revisions/diff?{self.noun}Id={head.id}"
                f"&from={expected}&to={head.version}"
            )
        raise VersionConflict(
            f"The {head.noun} is at version {head.version}, not {expected}.",
            **members,
        )

    def keep(self, head: Any, content: str, actor: Actor, **words: Any) -> None:
        """Keep the head as a revision, at the time of its save, and index it."""
        self.kept.create(
            id=new_id(head.updated_at),
            version=head.version,
            title=head.title,
            author_id=actor.id,
            author_type=actor.type,
            created_at=head.updated_at,
            size=len(content.encode()),
            content=content,
            **{self.noun: head.id},
            **words,
        )
        index_text(head.project, self.noun, head.id, head.title, content)
        head.content = content

    def at_version(self, version: Any) -> Any:
        """Return, for a join, that a revision is the one its head's column names."""
        return (self.of == self.head.id) & (self.kept.version == version)

    def contents_of(self, ids: Sequence[str], version: Any) -> dict[str, str]:
        """Return the texts by id of the head; `version` is a column of it."""
        found: dict[str, str] = {}
        for start in range(0, len(ids), AT_ONCE):
            query = (
                self.head.select(self.head.id, self.kept.content)
                .join(self.kept, on=self.at_version(version))
                .where(self.head.id.in_(ids[start : start + AT_ONCE]))
            )
            found |= dict(query.tuples())
        return found

    def with_content(self, head: Any) -> Head:
        head.content = self.contents_of([head.id], self.head.version)[head.id]
        given: Head = head
        return given

    def revision_of(self, head: Any, version: int) -> Revision:
        has = (self.of == head.id) & (self.kept.version == version)
        found: Revision | None = self.kept.get_or_none(has)
        if found is None:
            raise RevisionNotFound(f"The {head.noun} has no version {version}.")
        return found

    def revision_got(self, query: GetRevision) -> Revision:
        """Return a revision by its id, its version, or the time it was in force."""
        if query.id is not None:
            found: Revision | None = self.kept.get_or_none(self.kept.id == query.id)
            if found is None:
                raise RevisionNotFound(f"No revision has the id '{query.id}'.")
            return found
        head: Any = self.with_id(query.of_id)
        if query.version is not None:
            return self.revision_of(head, query.version)
        then = (self.of == head.id) & (self.kept.created_at <= query.at)
        newest = self.kept.version.desc()
        found = self.kept.select().where(then).order_by(newest).first()
        if found is None:
            raise RevisionNotFound(f"The {head.noun} did not exist at that time.")
        return found

    def revisions_listed(self, query: ListRevisions, *where: Any) -> Page[Revision]:
        head: Any = self.with_id(query.of_id)
        columns = [c for c in self.kept._meta.sorted_fields if c.name != "content"]
        rows = self.kept.select(*columns).where(self.of == head.id, *where)
        is_omitted = query.content == "omit"
        sort = ascending if query.order == "asc" else descending
        page = cursor_page(
            rows,
            query,
            sort(self.kept.version),
            weight=lambda row: 0 if is_omitted else row.size,
        )
        ids = [] if is_omitted else [each.id for each in page.items]
        texts = self.kept.select(self.kept.id, self.kept.content)
        texts_by_id = dict(texts.where(self.kept.id.in_(ids)).tuples())
        for each in page.items:
            each.content = texts_by_id.get(each.id, "")
        return page
