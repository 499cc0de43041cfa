"""Record and list the activity of projects: who changed what, without the texts."""

from datetime import datetime
from typing import Annotated, Any

from peewee import AutoField, ForeignKeyField, TextField
from pydantic import Field, model_validator
from pydantic.alias_generators import to_camel

from models.base import Change, JsonField, MomentField, Row, Schema, new_id
from models.errors import ValidationFailed
from models.fields import (
    ID,
    LIMIT,
    RANGE_START,
    CreatedAt,
    Id,
    Moment,
    RangeEnd,
    format_moment,
)
from models.pagination import (
    CursorQuery,
    Limit,
    Page,
    ascending,
    cursor_page,
    descending,
    filter_rows,
)
from models.projects import descriptions
from models.projects.fields import (
    Actor,
    ChangerType,
    CommaSeparated,
    EntityType,
    Order,
    ProjectId,
    ProjectQuery,
)
from models.projects.projects.rows import ProjectRow, requested_project

# Only the lengths of these are recorded: the activity must not keep removed texts.
LENGTH_ONLY_FIELDS = ("content", "description")
# Of these, the added and the removed elements are recorded.
LIST_FIELDS = ("assignee_ids", "label_ids", "specifications")

# An exact action, or all actions of an entity type, such as work.*
Action = Annotated[
    str, Field(max_length=64, pattern=r"^[a-z]+\.(\*|[a-z]+(-[a-z]+)*)$")
]


class ProjectActivity(Schema):
    id: Annotated[Id, ID]
    project_id: ProjectId
    actor_id: Annotated[str, descriptions.CHANGER_ID]
    actor_type: ChangerType
    entity_type: Annotated[EntityType, descriptions.ENTITY_TYPE]
    entity_id: Annotated[str, descriptions.ENTITY_ID]
    action: Annotated[str, descriptions.ACTION]
    metadata: Annotated[dict[str, Any] | None, descriptions.METADATA]
    created_at: CreatedAt


class ListActivity(ProjectQuery, CursorQuery, example=("projectSlug", "limit")):
    entity_type: Annotated[EntityType | None, descriptions.ENTITY_TYPE] = None
    entity_id: Annotated[Id | None, descriptions.ENTITY_ID] = None
    actor_type: ChangerType | None = None
    actor_id: Annotated[Id | None, descriptions.CHANGER_ID] = None
    action: Annotated[CommaSeparated[Action] | None, descriptions.ACTION] = None
    from_: Annotated[Moment | None, Field(alias="from"), RANGE_START] = None
    to: RangeEnd | None = None
    order: Order | None = None
    after_id: Id | None = Field(
        default=None,
        description="The ID of the activity after which the list begins. Requires"
        " order=asc.",
    )
    limit: Annotated[Limit, LIMIT] = 50

    @model_validator(mode="after")
    def _after_id_is_ascending(self) -> "ListActivity":
        if self.after_id is not None and self.order == "desc":
            raise ValueError("afterId implies order asc, so order cannot be desc.")
        return self


class ActivityRow(Row):
    project_id: str

    # Numbers grow in the order of commits, so that a client that continues after its
    # last record misses none.
    number = AutoField()
    id = TextField(unique=True)
    project = ForeignKeyField(ProjectRow, on_delete="CASCADE")
    actor_id = TextField()
    actor_type = TextField()
    entity_type = TextField()
    entity_id = TextField(index=True)
    action = TextField()
    metadata = JsonField(null=True)
    created_at = MomentField()


def record_activity(
    entity: Any, action: str, actor: Actor, now: datetime, **metadata: Any
) -> None:
    """
    Record a change in its transaction; the action begins with the entity's type.

    The entity is a project, or something that belongs to one.
    """
    new_activity(entity, action, actor, now, **metadata).save(force_insert=True)


def set_archived(
    entity: Any,
    type: str,
    is_archived: bool,
    now: datetime,
    actor: Actor,
    **metadata: Any,
) -> bool:
    """Archive or restore the entity; return whether that changed anything."""
    if (entity.archived_at is not None) is is_archived:
        return False
    entity.change({"archived_at": now if is_archived else None}, now)
    action = f"{type}.{'archived' if is_archived else 'restored'}"
    record_activity(entity, action, actor, now, **metadata)
    return True


def new_activity(
    entity: Any, action: str, actor: Actor, now: datetime, **metadata: Any
) -> ActivityRow:
    """Return the record of a change, which is not saved yet."""
    is_project = isinstance(entity, ProjectRow)
    project_id = entity.id if is_project else entity.project_id
    actor.project_ids.add(project_id)
    if actor.request_id is not None:
        metadata["requestId"] = actor.request_id
    return ActivityRow(
        id=new_id(now),
        project=project_id,
        actor_id=actor.id,
        actor_type=actor.type,
        entity_type=action.partition(".")[0],
        entity_id=entity.id,
        action=action,
        metadata=metadata or None,
        created_at=now,
    )


def list_activity(query: ListActivity) -> Page[ActivityRow]:
    """Return a page of records, newest first; from is inclusive, to exclusive."""
    rows = ActivityRow.select()
    project = requested_project(query)
    if project is not None:
        rows = rows.where(ActivityRow.project == project.id)
    names = ("entity_type", "entity_id", "actor_type", "actor_id")
    rows = filter_rows(rows, ActivityRow, query, *names)
    if query.action is not None:
        rows = rows.where(_has_action(query.action))
    if query.from_ is not None:
        rows = rows.where(ActivityRow.created_at >= query.from_)
    if query.to is not None:
        rows = rows.where(ActivityRow.created_at < query.to)
    if query.after_id is not None:
        rows = rows.where(ActivityRow.number > _number_of(query.after_id))
    is_ascending = query.order == "asc" or query.after_id is not None
    sort = ascending if is_ascending else descending
    return cursor_page(rows, query, sort(ActivityRow.number))


def changes_to_json(changes: dict[str, Change]) -> dict[str, Any]:
    """
    Return the changed fields as JSON, by their names in the API.

    A long text is described by its lengths, a list by what was added and removed.
    """
    return {
        to_camel(name): _change_to_json(name, old, new)
        for name, (old, new) in changes.items()
    }


def _change_to_json(name: str, old: Any, new: Any) -> dict[str, Any]:
    if name in LENGTH_ONLY_FIELDS:
        return {"fromLength": len(old or ""), "toLength": len(new or "")}
    if name in LIST_FIELDS:
        return {"added": _difference(new, old), "removed": _difference(old, new)}
    return {"from": _to_json(old), "to": _to_json(new)}


def _difference(values: list[Any], others: list[Any]) -> list[Any]:
    return [_to_json(value) for value in values if value not in others]


def _to_json(value: Any) -> Any:
    if isinstance(value, Schema):
        return value.to_json()
    return format_moment(value) if isinstance(value, datetime) else value


def _has_action(actions: list[str]) -> Any:
    types = [action.removesuffix(".*") for action in actions if action.endswith(".*")]
    return ActivityRow.action.in_(actions) | ActivityRow.entity_type.in_(types)


def _number_of(id: str) -> int:
    row = ActivityRow.get_or_none(ActivityRow.id == id)
    if row is None:
        detail = f"No activity record has the id '{id}'."
        error = {"parameter": "afterId", "code": "unknown", "detail": detail}
        raise ValidationFailed(f"afterId: {detail}", error)
    return int(row.number)
