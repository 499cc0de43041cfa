"""External references: what in other systems belongs to a thing of a project."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from models.base import Shape, canonical
from models.pagination import CursorQuery, Page, descending, page_of
from models.projects.listing import in_projects
from models.projects.reference import ExternalReferenceRow
from models.projects.systems import read_url
from models.projects.words import ActorType, EntityType, OfProject
from models.words import SLUG, TRIMMED, Id, MayOmit, Moment, SingleLine

MOST_METADATA = 4096

ReferenceKind = Literal[
    "issue",
    "pull_request",
    "commit",
    "branch",
    "release",
    "build",
    "incident",
    "ticket",
    "document",
    "design",
    "discussion",
    "other",
]
System = Annotated[str, Field(min_length=1, max_length=48, pattern=SLUG)]
Url = Annotated[str, Field(max_length=2048), AfterValidator(read_url)]
ExternalId = Annotated[str, TRIMMED, Field(min_length=1, max_length=200), SingleLine]
ReferenceTitle = Annotated[
    str, TRIMMED, Field(min_length=1, max_length=200), SingleLine
]
ReferenceState = Annotated[str, TRIMMED, Field(min_length=1, max_length=40), SingleLine]


def _short(value: dict[str, object]) -> dict[str, object]:
    if len(canonical(value)) > MOST_METADATA:
        raise ValueError(f"Must be at most {MOST_METADATA} bytes of JSON.")
    words = [*value, *(each for each in value.values() if isinstance(each, str))]
    if any("\x00" in each for each in words):
        raise ValueError("Must not contain the NUL character.")
    return value


Metadata = Annotated[dict[str, str | int | float | bool | None], AfterValidator(_short)]


class ExternalReference(Shape):
    id: Id
    project_id: Id
    entity_type: EntityType
    entity_id: Id
    system: str
    kind: ReferenceKind
    url: str | None
    external_id: str | None
    title: str | None
    state: str | None
    metadata: Metadata | None
    creator_id: str
    creator_type: ActorType
    created_at: Moment
    updated_at: Moment


class RemovedReference(Shape):
    id: Id
    removed: bool


class ListReferences(OfProject, CursorQuery):
    entity_type: EntityType | None = None
    entity_id: Id | None = None
    system: System | None = None
    kind: ReferenceKind | None = None
    external_id: ExternalId | None = None
    url: Url | None = None
    state: ReferenceState | None = None


class GetReference(Shape):
    id: Id


class AddReference(Shape):
    entity_type: EntityType
    entity_id: Id
    project_id: MayOmit[Id] = None
    url: Url | None = None
    external_id: ExternalId | None = None
    system: MayOmit[System] = None
    kind: ReferenceKind = "other"
    title: ReferenceTitle | None = None
    state: ReferenceState | None = None
    metadata: Metadata | None = None

    @model_validator(mode="after")
    def _names_both_ends(self) -> "AddReference":
        if (self.project_id is not None) != (self.entity_type == "member"):
            raise ValueError("projectId goes with a member, and with nothing else.")
        if self.url is None and self.external_id is None:
            raise ValueError("Give url or externalId, or both.")
        return self


class UpdateReference(Shape):
    id: Id
    url: Url | None = None
    title: ReferenceTitle | None = None
    kind: MayOmit[ReferenceKind] = None
    state: ReferenceState | None = None
    metadata: Metadata | None = None
    expected_updated_at: MayOmit[Moment] = None

    @model_validator(mode="after")
    def _says_something(self) -> "UpdateReference":
        if not self.model_fields_set - {"id", "expected_updated_at"}:
            raise ValueError("Give at least one member to change.")
        return self


class RemoveReference(Shape):
    id: Id


FILTERS = ("entity_type", "entity_id", "system", "kind", "external_id", "url", "state")


def references_listed(asked: ListReferences) -> Page[ExternalReferenceRow]:
    """Return a page, newest first; a thing that is named is told of anyway."""
    is_named = asked.entity_id is not None
    row = ExternalReferenceRow
    query = in_projects(row.select(), row, asked, is_named=is_named)
    for name in FILTERS:
        wanted = getattr(asked, name)
        if wanted is not None:
            query = query.where(getattr(row, name) == wanted)
    return page_of(query, asked, descending(row.created_at), descending(row.id))
