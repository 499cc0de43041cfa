"""External references: what in other systems belongs to a thing of a project."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, model_validator

from models.base import Schema, canonical_json, new_id
from models.errors import LimitExceeded, NameTaken, ValidationFailed
from models.fields import SLUG, TRIMMED, Id, MayOmit, Moment, SingleLine
from models.pagination import CursorQuery, Page, cursor_page, descending
from models.projects.discussion.external_systems import read_url, system_of
from models.projects.discussion.rows import ExternalReferenceRow, reference_with
from models.projects.entities import Entity, entity_with, require_open
from models.projects.fields import Actor, ActorType, EntityType, OfProject
from models.projects.members.role_checks import require_role
from models.projects.projects.activity import record_activity
from models.projects.projects.rows import require_updated_at
from models.projects.projects.visibility import in_projects

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
    if len(canonical_json(value)) > MOST_METADATA:
        raise ValueError(f"Must be at most {MOST_METADATA} bytes of JSON.")
    words = [*value, *(each for each in value.values() if isinstance(each, str))]
    if any("\x00" in each for each in words):
        raise ValueError("Must not contain the NUL character.")
    return value


Metadata = Annotated[dict[str, str | int | float | bool | None], AfterValidator(_short)]


class ExternalReference(Schema):
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


class RemovedReference(Schema):
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


class GetReference(Schema):
    id: Id


class AddReference(Schema):
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


class UpdateReference(Schema):
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


class RemoveReference(Schema):
    id: Id


FILTERS = ("entity_type", "entity_id", "system", "kind", "external_id", "url", "state")


def references_listed(query: ListReferences) -> Page[ExternalReferenceRow]:
    """Return a page, newest first; a thing that is named is told of anyway."""
    is_named = query.entity_id is not None
    row = ExternalReferenceRow
    rows = in_projects(row.select(), row, query, is_named=is_named)
    for name in FILTERS:
        wanted = getattr(query, name)
        if wanted is not None:
            rows = rows.where(getattr(row, name) == wanted)
    return cursor_page(rows, query, descending(row.created_at), descending(row.id))


MOST_REFERENCES = 100
# What a maintainer answers for; the rest is a contributor's.
LIFECYCLE = ("project", "milestone", "member")


def add_reference(
    request: AddReference, now: datetime, actor: Actor
) -> tuple[ExternalReferenceRow, bool]:
    """
    Put a reference on the thing; tell whether that changed anything.

    One that stands there already, by its system and id or else by its address, is
    updated in its place: members left out are kept.
    """
    entity = entity_with(
        request.entity_type, request.entity_id, project_id=request.project_id
    )
    _require_may(entity, actor, "add")
    require_open(entity)
    system = request.system or system_of(request.url)
    found = _same(entity, request, system)
    if found is not None:
        return _changed(entity, found, _sent(request), now, actor)
    _require_free(entity, None, {"url": request.url})
    if _on(entity).count() >= MOST_REFERENCES:
        raise LimitExceeded(
            f"There are {MOST_REFERENCES} references here, which is the most."
        )
    members = request.all_fields() | {"system": system, "project_id": entity.project.id}
    reference = ExternalReferenceRow.create(
        id=new_id(now),
        creator_id=actor.id,
        creator_type=actor.type,
        created_at=now,
        updated_at=now,
        **members,
    )
    _record(entity, reference, "added", now, actor)
    return reference, True


def update_reference(
    request: UpdateReference, now: datetime, actor: Actor
) -> tuple[ExternalReferenceRow, bool]:
    """Change the reference; tell whether anything did."""
    reference = reference_with(request.id)
    entity = _entity_of(reference)
    _require_may(entity, actor, "update")
    require_updated_at(reference, request.expected_updated_at)
    require_open(entity)
    wanted = request.sent_fields()
    for aside in ("id", "expected_updated_at"):
        wanted.pop(aside, None)
    if wanted.get("url", "kept") is None and reference.external_id is None:
        detail = "A reference without an externalId needs its url."
        error = {"pointer": "/url", "code": "needed", "detail": detail}
        raise ValidationFailed(f"url: {detail}", error)
    return _changed(entity, reference, wanted, now, actor)


def remove_reference(request: RemoveReference, now: datetime, actor: Actor) -> bool:
    """Take the reference away; tell whether it was there."""
    reference = ExternalReferenceRow.get_or_none(ExternalReferenceRow.id == request.id)
    if reference is None:
        return False
    entity = _entity_of(reference)
    _require_may(entity, actor, "remove")
    require_open(entity)
    reference.delete_instance()
    _record(entity, reference, "removed", now, actor)
    return True


def _entity_of(reference: ExternalReferenceRow) -> Entity:
    """Return what it stands on; a member may have left, and the reference stays."""
    kind: Any = reference.entity_type
    id = reference.entity_id
    if kind == "member":
        return Entity(kind, id, reference.project, None)
    return entity_with(kind, id)


def _require_may(entity: Entity, actor: Actor, verb: str) -> None:
    case = f"references:{verb}"
    if entity.type in LIFECYCLE:
        case += " on a project, milestone or member"
    require_role(entity.project, actor, case)


def _on(entity: Entity) -> Any:
    """Select what stands on the thing; an account is a member of many projects."""
    return ExternalReferenceRow.select().where(
        ExternalReferenceRow.entity_id == entity.id,
        ExternalReferenceRow.entity_type == entity.type,
        ExternalReferenceRow.project == entity.project.id,
    )


def _same(
    entity: Entity, request: AddReference, system: str
) -> ExternalReferenceRow | None:
    """Return the reference that has the identity which is asked for."""
    row = ExternalReferenceRow
    if request.external_id is None:
        has = row.url == request.url
    else:
        has = (row.system == system) & (row.external_id == request.external_id)
    found: ExternalReferenceRow | None = _on(entity).where(has).first()
    return found


def _sent(request: AddReference) -> dict[str, Any]:
    """Return what an adding says anew of the reference that stands there."""
    aside = {"entity_type", "entity_id", "project_id", "external_id"}
    return {
        name: each for name, each in request.sent_fields().items() if name not in aside
    }


def _changed(
    entity: Entity,
    reference: ExternalReferenceRow,
    wanted: dict[str, Any],
    now: datetime,
    actor: Actor,
) -> tuple[ExternalReferenceRow, bool]:
    _require_free(entity, reference, wanted)
    changes = reference.change(wanted, now)
    if changes:
        _record(entity, reference, "updated", now, actor)
    return reference, bool(changes)


def _require_free(
    entity: Entity, reference: ExternalReferenceRow | None, wanted: dict[str, Any]
) -> None:
    """An address stands once on a thing, and so does the id in a system."""
    row, others = ExternalReferenceRow, _on(entity)
    if reference is not None:
        others = others.where(row.id != reference.id)
    url, system = wanted.get("url"), wanted.get("system")
    if url is not None and others.where(row.url == url).exists():
        raise NameTaken("Another reference here already has this url.")
    if system is None or reference is None or reference.external_id is None:
        return
    has = (row.system == system) & (row.external_id == reference.external_id)
    if others.where(has).exists():
        raise NameTaken("Another reference here already has this externalId.")


def _record(
    entity: Entity,
    reference: ExternalReferenceRow,
    verb: str,
    now: datetime,
    actor: Actor,
) -> None:
    action = f"{entity.type}.reference-{verb}"
    record_activity(
        entity.project,
        action,
        entity.id,
        actor,
        now,
        referenceId=reference.id,
        system=reference.system,
        kind=reference.kind,
        externalId=reference.external_id,
        url=reference.url,
    )
