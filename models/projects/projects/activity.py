"""What happened in a project: a feed of who did what, without the words."""

from datetime import datetime
from typing import Annotated, Any

from peewee import AutoField, ForeignKeyField, TextField
from pydantic import Field, model_validator
from pydantic.alias_generators import to_camel

from models.base import Change, JsonField, MomentField, Row, Schema, new_id
from models.errors import ValidationFailed
from models.fields import Id, Moment, format_moment
from models.pagination import (
    CursorQuery,
    Limit,
    Page,
    ascending,
    cursor_page,
    descending,
)
from models.projects.fields import (
    Actor,
    ActorType,
    Commas,
    EntityType,
    OfProject,
    Order,
)
from models.projects.projects.rows import ProjectRow, project_asked

# Texts of which the feed tells only the length: it must not keep removed words.
LONG = ("content", "description")
# Lists of which the feed tells what came and what went.
LISTS = ("assignee_ids", "label_ids", "specifications")

# An exact action, or all actions on one kind of thing: work.*
Action = Annotated[
    str, Field(max_length=64, pattern=r"^[a-z]+\.(\*|[a-z]+(-[a-z]+)*)$")
]


class ProjectActivity(Schema):
    id: Id
    project_id: Id
    actor_id: str
    actor_type: ActorType
    entity_type: EntityType
    entity_id: str
    action: str
    metadata: dict[str, Any] | None
    created_at: Moment


class ListActivity(OfProject, CursorQuery):
    entity_type: EntityType | None = None
    entity_id: Id | None = None
    actor_type: ActorType | None = None
    actor_id: Id | None = None
    action: Commas[Action] | None = None
    from_: Annotated[Moment | None, Field(alias="from")] = None
    to: Moment | None = None
    order: Order | None = None
    after_id: Id | None = None
    limit: Limit = 50

    @model_validator(mode="after")
    def _after_goes_up(self) -> "ListActivity":
        if self.after_id is not None and self.order == "desc":
            raise ValueError("afterId goes with order asc, which it implies.")
        return self


class ActivityRow(Row):
    project_id: str

    # One writer at a time: numbers grow in the order of the commits, so a reader
    # who goes on after the last record it saw misses none.
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
    project: ProjectRow,
    action: str,
    entity_id: str,
    actor: Actor,
    now: datetime,
    **metadata: Any,
) -> None:
    """Put down what happened, inside the transaction of the change."""
    actor.about.add(project.id)
    if actor.request_id is not None:
        metadata["requestId"] = actor.request_id
    ActivityRow.create(
        id=new_id(now),
        project=project.id,
        actor_id=actor.id,
        actor_type=actor.type,
        entity_type=action.partition(".")[0],
        entity_id=entity_id,
        action=action,
        metadata=metadata or None,
        created_at=now,
    )


def activity_listed(query: ListActivity) -> Page[ActivityRow]:
    """Return a page of the feed; from is inclusive, to exclusive."""
    rows = ActivityRow.select()
    project = project_asked(query)
    if project is not None:
        rows = rows.where(ActivityRow.project == project.id)
    for name in ("entity_type", "entity_id", "actor_type", "actor_id"):
        wanted = getattr(query, name)
        if wanted is not None:
            rows = rows.where(getattr(ActivityRow, name) == wanted)
    if query.action is not None:
        rows = rows.where(_is_one_of(query.action))
    if query.from_ is not None:
        rows = rows.where(ActivityRow.created_at >= query.from_)
    if query.to is not None:
        rows = rows.where(ActivityRow.created_at < query.to)
    if query.after_id is not None:
        rows = rows.where(ActivityRow.number > _number_of(query.after_id))
    up = query.order == "asc" or query.after_id is not None
    sort = ascending if up else descending
    return cursor_page(rows, query, sort(ActivityRow.number))


def told_changes(changes: dict[str, Change]) -> dict[str, Any]:
    """
    Return what members became.

    Of a long text it is only how long it was and is, of a list what was added and
    removed.
    """
    return {to_camel(name): _told(name, *pair) for name, pair in changes.items()}


def _told(name: str, old: Any, new: Any) -> dict[str, Any]:
    if name in LONG:
        return {"fromLength": len(old or ""), "toLength": len(new or "")}
    if name in LISTS:
        return {"added": _beyond(new, old), "removed": _beyond(old, new)}
    return {"from": _plain(old), "to": _plain(new)}


def _beyond(some: list[Any], others: list[Any]) -> list[Any]:
    return [_plain(each) for each in some if each not in others]


def _plain(value: Any) -> Any:
    if isinstance(value, Schema):
        return value.to_json()
    return format_moment(value) if isinstance(value, datetime) else value


def _is_one_of(actions: list[str]) -> Any:
    kinds = [each.removesuffix(".*") for each in actions if each.endswith(".*")]
    return ActivityRow.action.in_(actions) | ActivityRow.entity_type.in_(kinds)


def _number_of(id: str) -> int:
    row = ActivityRow.get_or_none(ActivityRow.id == id)
    if row is None:
        detail = f"No record has the id '{id}'."
        error = {"parameter": "afterId", "code": "unknown", "detail": detail}
        raise ValidationFailed(f"afterId: {detail}", error)
    return int(row.number)
