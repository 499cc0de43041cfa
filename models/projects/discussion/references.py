"""List, add, change and remove references to other systems, such as issues."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, model_validator

from models.base import Schema, canonical_json
from models.errors import LimitExceeded, NameTaken, ValidationFailed
from models.fields import (
    ID,
    SLUG,
    TRIMMED,
    CreatedAt,
    Id,
    MayOmit,
    SingleLine,
    UpdatedAt,
)
from models.pagination import CursorQuery, Page, cursor_page, descending, filter_rows
from models.projects import descriptions
from models.projects.discussion.external_systems import read_url, system_of
from models.projects.discussion.rows import ExternalReferenceRow, reference_with
from models.projects.entities import Entity, entity_with, require_writable
from models.projects.fields import (
    Actor,
    ChangeRequest,
    CreatorType,
    EntityType,
    ExpectedUpdatedAt,
    ProjectId,
    ProjectQuery,
    WasRemoved,
)
from models.projects.members.role_checks import require_role
from models.projects.projects.activity import record_activity
from models.projects.projects.rows import filter_by_project, require_updated_at

MAX_METADATA_BYTES = 4096
MAX_REFERENCES = 100

# References on these need a maintainer; on others, a contributor.
MAINTAINER_TYPES = ("project", "milestone", "member")

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
# What several fields mean.
KIND = Field(description="The type of the object in the external system.")
FILTERS = ("entity_type", "entity_id", "system", "kind", "external_id", "url", "state")


def _validate_metadata(value: dict[str, object]) -> dict[str, object]:
    if len(canonical_json(value)) > MAX_METADATA_BYTES:
        raise ValueError(f"Must be at most {MAX_METADATA_BYTES} bytes of JSON.")
    texts = [*value, *(text for text in value.values() if isinstance(text, str))]
    if any("\x00" in text for text in texts):
        raise ValueError("Must not contain the NUL character.")
    return value


Metadata = Annotated[
    dict[str, str | int | float | bool | None], AfterValidator(_validate_metadata)
]


class ExternalReference(Schema):
    id: Annotated[Id, ID]
    project_id: ProjectId
    entity_type: Annotated[EntityType, descriptions.ENTITY_TYPE]
    entity_id: Annotated[Id, descriptions.ENTITY_ID]
    system: Annotated[str, descriptions.SYSTEM]
    kind: Annotated[ReferenceKind, KIND]
    url: Annotated[str | None, descriptions.URL]
    external_id: Annotated[str | None, descriptions.EXTERNAL_ID]
    title: Annotated[str | None, descriptions.TITLE]
    state: Annotated[str | None, descriptions.STATE]
    metadata: Annotated[Metadata | None, descriptions.METADATA]
    creator_id: Annotated[str, descriptions.CREATOR_ID]
    creator_type: CreatorType
    created_at: CreatedAt
    updated_at: UpdatedAt


class RemovedReference(Schema):
    id: Annotated[Id, ID]
    removed: WasRemoved


class ListReferences(ProjectQuery, CursorQuery, example=("projectSlug",)):
    entity_type: Annotated[EntityType | None, descriptions.ENTITY_TYPE] = None
    entity_id: Annotated[Id | None, descriptions.ENTITY_ID] = None
    system: Annotated[System | None, descriptions.SYSTEM] = None
    kind: Annotated[ReferenceKind | None, KIND] = None
    external_id: Annotated[ExternalId | None, descriptions.EXTERNAL_ID] = None
    url: Annotated[Url | None, descriptions.URL] = None
    state: Annotated[ReferenceState | None, descriptions.STATE] = None


class GetReference(Schema):
    id: Annotated[Id, ID]


class AddReference(Schema, example=("url", "title")):
    entity_type: Annotated[EntityType, descriptions.ENTITY_TYPE]
    entity_id: Annotated[Id, descriptions.ENTITY_ID]
    project_id: MayOmit[ProjectId] = None
    url: Annotated[Url | None, descriptions.URL] = None
    external_id: Annotated[ExternalId | None, descriptions.EXTERNAL_ID] = None
    system: Annotated[MayOmit[System], descriptions.SYSTEM] = None
    kind: Annotated[ReferenceKind, KIND] = "other"
    title: Annotated[ReferenceTitle | None, descriptions.TITLE] = None
    state: Annotated[ReferenceState | None, descriptions.STATE] = None
    metadata: Annotated[Metadata | None, descriptions.METADATA] = None

    @model_validator(mode="after")
    def _require_identity(self) -> "AddReference":
        if (self.project_id is not None) != (self.entity_type == "member"):
            raise ValueError(
                "projectId is required for a member, and not allowed otherwise."
            )
        if self.url is None and self.external_id is None:
            raise ValueError("Give url or externalId, or both.")
        return self


class UpdateReference(ChangeRequest, example=("state",)):
    id: Annotated[Id, ID]
    url: Annotated[Url | None, descriptions.URL] = None
    title: Annotated[ReferenceTitle | None, descriptions.TITLE] = None
    kind: Annotated[MayOmit[ReferenceKind], KIND] = None
    state: Annotated[ReferenceState | None, descriptions.STATE] = None
    metadata: Annotated[Metadata | None, descriptions.METADATA] = None
    expected_updated_at: MayOmit[ExpectedUpdatedAt] = None


class RemoveReference(Schema):
    id: Annotated[Id, ID]


def list_references(query: ListReferences) -> Page[ExternalReferenceRow]:
    """Return a page, newest first; an entity in an archived project must be named."""
    is_named = query.entity_id is not None
    row = ExternalReferenceRow
    rows = filter_by_project(row.select(), row, query, is_named=is_named)
    rows = filter_rows(rows, row, query, *FILTERS)
    return cursor_page(rows, query, descending(row.created_at), descending(row.id))


def add_reference(
    request: AddReference, now: datetime, actor: Actor
) -> tuple[ExternalReferenceRow, bool]:
    """
    Add a reference to an entity; return whether that changed anything.

    If the entity has the reference already, by system and externalId or else by URL,
    it is updated; omitted fields keep their values.
    """
    entity = entity_with(
        request.entity_type, request.entity_id, project_id=request.project_id
    )
    _require_role(entity, actor, "add")
    require_writable(entity)
    system = request.system or system_of(request.url)
    existing = _existing(entity, request, system)
    if existing is not None:
        return _update(entity, existing, _sent_fields(request), now, actor)
    _require_unique(entity, None, {"url": request.url})
    if _references_of(entity).count() >= MAX_REFERENCES:
        raise LimitExceeded(
            f"An entity has at most {MAX_REFERENCES} external references."
        )
    fields = request.all_fields() | {"system": system, "project_id": entity.project.id}
    reference = ExternalReferenceRow.create(
        **actor.creation(now),
        **fields,
    )
    _record_activity(entity, reference, "added", now, actor)
    return reference, True


def update_reference(
    request: UpdateReference, now: datetime, actor: Actor
) -> tuple[ExternalReferenceRow, bool]:
    """Update a reference; return whether that changed anything."""
    reference = reference_with(request.id)
    entity = _entity_of(reference)
    _require_role(entity, actor, "update")
    require_updated_at(reference, request.expected_updated_at)
    require_writable(entity)
    values = request.changed_values()
    if values.get("url", "omitted") is None and reference.external_id is None:
        detail = "A reference without an externalId needs its url."
        error = {"pointer": "/url", "code": "needed", "detail": detail}
        raise ValidationFailed(f"url: {detail}", error)
    return _update(entity, reference, values, now, actor)


def remove_reference(request: RemoveReference, now: datetime, actor: Actor) -> bool:
    """Remove a reference; return whether there was one."""
    reference = ExternalReferenceRow.get_or_none(ExternalReferenceRow.id == request.id)
    if reference is None:
        return False
    entity = _entity_of(reference)
    _require_role(entity, actor, "remove")
    require_writable(entity)
    reference.delete_instance()
    _record_activity(entity, reference, "removed", now, actor)
    return True


def _entity_of(reference: ExternalReferenceRow) -> Entity:
    """Return the entity of a reference; it outlives a member who has left."""
    kind: Any = reference.entity_type
    id = reference.entity_id
    if kind == "member":
        return Entity(kind, id, reference.project, None)
    return entity_with(kind, id)


def _require_role(entity: Entity, actor: Actor, verb: str) -> None:
    case = f"references:{verb}"
    if entity.type in MAINTAINER_TYPES:
        case += " on a project, milestone or member"
    require_role(entity.project, actor, case)


def _references_of(entity: Entity) -> Any:
    """Select by project too, since an account may be a member of several."""
    return ExternalReferenceRow.select().where(
        ExternalReferenceRow.entity_id == entity.id,
        ExternalReferenceRow.entity_type == entity.type,
        ExternalReferenceRow.project == entity.project.id,
    )


def _existing(
    entity: Entity, request: AddReference, system: str
) -> ExternalReferenceRow | None:
    """Return the reference with the requested system and id, or else with the URL."""
    row = ExternalReferenceRow
    if request.external_id is None:
        is_same = row.url == request.url
    else:
        is_same = (row.system == system) & (row.external_id == request.external_id)
    existing: ExternalReferenceRow | None = (
        _references_of(entity).where(is_same).first()
    )
    return existing


def _sent_fields(request: AddReference) -> dict[str, Any]:
    """Return the fields with which a repeated add updates the reference."""
    identity = {"entity_type", "entity_id", "project_id", "external_id"}
    return {
        name: value
        for name, value in request.sent_fields().items()
        if name not in identity
    }


def _update(
    entity: Entity,
    reference: ExternalReferenceRow,
    values: dict[str, Any],
    now: datetime,
    actor: Actor,
) -> tuple[ExternalReferenceRow, bool]:
    _require_unique(entity, reference, values)
    changes = reference.change(values, now)
    if changes:
        _record_activity(entity, reference, "updated", now, actor)
    return reference, bool(changes)


def _require_unique(
    entity: Entity, reference: ExternalReferenceRow | None, values: dict[str, Any]
) -> None:
    """Raise NameTaken if another reference of the entity has the URL or the id."""
    row, others = ExternalReferenceRow, _references_of(entity)
    if reference is not None:
        others = others.where(row.id != reference.id)
    url, system = values.get("url"), values.get("system")
    if url is not None and others.where(row.url == url).exists():
        raise NameTaken("Another reference of this entity has this url.")
    if system is None or reference is None or reference.external_id is None:
        return
    is_same = (row.system == system) & (row.external_id == reference.external_id)
    if others.where(is_same).exists():
        raise NameTaken("Another reference of this entity has this externalId.")


def _record_activity(
    entity: Entity,
    reference: ExternalReferenceRow,
    verb: str,
    now: datetime,
    actor: Actor,
) -> None:
    action = f"{entity.type}.reference-{verb}"
    record_activity(
        entity,
        action,
        actor,
        now,
        referenceId=reference.id,
        system=reference.system,
        kind=reference.kind,
        externalId=reference.external_id,
        url=reference.url,
    )
