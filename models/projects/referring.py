"""How a reference comes to stand on a thing, changes, and goes."""

from datetime import datetime
from typing import Any

from models.base import new_id
from models.errors import LimitExceeded, NameTaken, ValidationFailed
from models.projects.activity import record_activity
from models.projects.entities import Entity, entity_with, require_open
from models.projects.members import require_role
from models.projects.project import require_updated_at
from models.projects.reference import ExternalReferenceRow, reference_with
from models.projects.references import AddReference, RemoveReference, UpdateReference
from models.projects.systems import system_of
from models.projects.words import By

MOST_REFERENCES = 100
# What a maintainer answers for; the rest is a contributor's.
LIFECYCLE = ("project", "milestone", "member")


def add_reference(
    asked: AddReference, now: datetime, by: By
) -> tuple[ExternalReferenceRow, bool]:
    """
    Put a reference on the thing; tell whether that changed anything.

    One that stands there already, by its system and id or else by its address, is
    updated in its place: members left out are kept.
    """
    entity = entity_with(
        asked.entity_type, asked.entity_id, project_id=asked.project_id
    )
    _require_may(entity, by, "add")
    require_open(entity)
    system = asked.system or system_of(asked.url)
    found = _same(entity, asked, system)
    if found is not None:
        return _changed(entity, found, _sent(asked), now, by)
    _require_free(entity, None, {"url": asked.url})
    if _on(entity).count() >= MOST_REFERENCES:
        raise LimitExceeded(
            f"There are {MOST_REFERENCES} references here, which is the most."
        )
    members = asked.members() | {"system": system, "project_id": entity.project.id}
    reference = ExternalReferenceRow.create(
        id=new_id(now),
        creator_id=by.actor_id,
        creator_type=by.actor_type,
        created_at=now,
        updated_at=now,
        **members,
    )
    _record(entity, reference, "added", now, by)
    return reference, True


def update_reference(
    asked: UpdateReference, now: datetime, by: By
) -> tuple[ExternalReferenceRow, bool]:
    """Change the reference; tell whether anything did."""
    reference = reference_with(asked.id)
    entity = _entity_of(reference)
    _require_may(entity, by, "update")
    require_updated_at(reference, asked.expected_updated_at)
    require_open(entity)
    wanted = asked.given()
    for aside in ("id", "expected_updated_at"):
        wanted.pop(aside, None)
    if wanted.get("url", "kept") is None and reference.external_id is None:
        detail = "A reference without an externalId needs its url."
        error = {"pointer": "/url", "code": "needed", "detail": detail}
        raise ValidationFailed(f"url: {detail}", error)
    return _changed(entity, reference, wanted, now, by)


def remove_reference(asked: RemoveReference, now: datetime, by: By) -> bool:
    """Take the reference away; tell whether it was there."""
    reference = ExternalReferenceRow.get_or_none(ExternalReferenceRow.id == asked.id)
    if reference is None:
        return False
    entity = _entity_of(reference)
    _require_may(entity, by, "remove")
    require_open(entity)
    reference.delete_instance()
    _record(entity, reference, "removed", now, by)
    return True


def _entity_of(reference: ExternalReferenceRow) -> Entity:
    """Return what it stands on; a member may have left, and the reference stays."""
    kind: Any = reference.entity_type
    id = reference.entity_id
    if kind == "member":
        return Entity(kind, id, reference.project, None)
    return entity_with(kind, id)


def _require_may(entity: Entity, by: By, verb: str) -> None:
    case = f"references:{verb}"
    if entity.type in LIFECYCLE:
        case += " on a project, milestone or member"
    require_role(entity.project, by, case)


def _on(entity: Entity) -> Any:
    """Select what stands on the thing; an account is a member of many projects."""
    return ExternalReferenceRow.select().where(
        ExternalReferenceRow.entity_id == entity.id,
        ExternalReferenceRow.entity_type == entity.type,
        ExternalReferenceRow.project == entity.project.id,
    )


def _same(
    entity: Entity, asked: AddReference, system: str
) -> ExternalReferenceRow | None:
    """Return the reference that has the identity which is asked for."""
    row = ExternalReferenceRow
    if asked.external_id is None:
        has = row.url == asked.url
    else:
        has = (row.system == system) & (row.external_id == asked.external_id)
    found: ExternalReferenceRow | None = _on(entity).where(has).first()
    return found


def _sent(asked: AddReference) -> dict[str, Any]:
    """Return what an adding says anew of the reference that stands there."""
    aside = {"entity_type", "entity_id", "project_id", "external_id"}
    return {name: each for name, each in asked.given().items() if name not in aside}


def _changed(
    entity: Entity,
    reference: ExternalReferenceRow,
    wanted: dict[str, Any],
    now: datetime,
    by: By,
) -> tuple[ExternalReferenceRow, bool]:
    _require_free(entity, reference, wanted)
    changes = reference.change(wanted, now)
    if changes:
        _record(entity, reference, "updated", now, by)
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
    entity: Entity, reference: ExternalReferenceRow, verb: str, now: datetime, by: By
) -> None:
    action = f"{entity.type}.reference-{verb}"
    record_activity(
        entity.project,
        action,
        entity.id,
        by,
        now,
        referenceId=reference.id,
        system=reference.system,
        kind=reference.kind,
        externalId=reference.external_id,
        url=reference.url,
    )
