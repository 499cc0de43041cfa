"""What happened in a project: a feed of who did what, without the words."""

from datetime import datetime
from typing import Annotated, Any

from peewee import AutoField, ForeignKeyField, TextField
from pydantic import Field, model_validator
from pydantic.alias_generators import to_camel

from models.base import Change, JsonField, MomentField, Row, Shape, new_id
from models.errors import ValidationFailed
from models.pagination import (
    CursorQuery,
    Limit,
    Page,
    ascending,
    descending,
    page_of,
)
from models.projects.project import ProjectRow, project_asked
from models.projects.words import ActorType, By, Commas, EntityType, OfProject, Order
from models.words import Id, Moment, told_moment

# Texts of which the feed tells only the length: it must not keep removed words.
LONG = ("content", "description")
# Lists of which the feed tells what came and what went.
LISTS = ("assignee_ids", "label_ids", "specifications")

# An exact action, or all actions on one kind of thing: work.*
Action = Annotated[
    str, Field(max_length=64, pattern=r"^[a-z]+\.(\*|[a-z]+(-[a-z]+)*)$")
]


class ProjectActivity(Shape):
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
    by: By,
    now: datetime,
    **metadata: Any,
) -> None:
    """Put down what happened, inside the transaction of the change."""
    by.about.add(project.id)
    if by.request_id is not None:
        metadata["requestId"] = by.request_id
    ActivityRow.create(
        id=new_id(now),
        project=project.id,
        actor_id=by.actor_id,
        actor_type=by.actor_type,
        entity_type=action.partition(".")[0],
        entity_id=entity_id,
        action=action,
        metadata=metadata or None,
        created_at=now,
    )


def activity_listed(asked: ListActivity) -> Page[ActivityRow]:
    """Return a page of the feed; from is inclusive, to exclusive."""
    query = ActivityRow.select()
    project = project_asked(asked)
    if project is not None:
        query = query.where(ActivityRow.project == project.id)
    for name in ("entity_type", "entity_id", "actor_type", "actor_id"):
        wanted = getattr(asked, name)
        if wanted is not None:
            query = query.where(getattr(ActivityRow, name) == wanted)
    if asked.action is not None:
        query = query.where(_is_one_of(asked.action))
    if asked.from_ is not None:
        query = query.where(ActivityRow.created_at >= asked.from_)
    if asked.to is not None:
        query = query.where(ActivityRow.created_at < asked.to)
    if asked.after_id is not None:
        query = query.where(ActivityRow.number > _number_of(asked.after_id))
    up = asked.order == "asc" or asked.after_id is not None
    sort = ascending if up else descending
    return page_of(query, asked, sort(ActivityRow.number))


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
    if isinstance(value, Shape):
        return value.told()
    return told_moment(value) if isinstance(value, datetime) else value


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
