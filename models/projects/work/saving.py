"""A change of a work item: what it sets by itself, and what is put down about it."""

from datetime import datetime
from typing import Any

from models.base import Change
from models.projects.fields import Actor
from models.projects.projects.activity import record_activity, told_changes
from models.projects.search.text_index import index_text
from models.projects.work.blockers import open_blockers
from models.projects.work.links import TIES, tie
from models.projects.work.rows import WorkItemRow


def save(
    item: WorkItemRow, wanted: dict[str, Any], now: datetime, actor: Actor, **batch: Any
) -> bool:
    """
    Save what differs, with the ties that were read; tell whether anything did.

    Who enters done is completed now, who leaves it is not completed any more.
    """
    ties = {name: each for name, each in wanted.items() if name in TIES}
    plain = {name: each for name, each in wanted.items() if name not in ties}
    status = plain.get("status", item.status)
    if (status == "done") != (item.status == "done"):
        plain["completed_at"] = now if status == "done" else None
    tied = tie(item, ties)
    changes = item.change(plain, now)
    if tied and not changes:
        item.touch(now)
    if "title" in changes or "description" in changes:
        index_text(item.project, "work", item.id, item.title, item.description)
    _put_down(item, changes | tied, now, actor, batch)
    return bool(changes or tied)


def _put_down(
    item: WorkItemRow,
    changes: dict[str, Change],
    now: datetime,
    actor: Actor,
    batch: dict[str, Any],
) -> None:
    """Transitions have a record of their own, so that they can be filtered."""
    changes.pop("completed_at", None)
    moved = changes.pop("status", None)
    told: dict[str, Any] = {"number": item.number}
    if changes:
        changed = told | {"changes": told_changes(changes)} | batch
        record_activity(item.project, "work.updated", item.id, actor, now, **changed)
    if moved is None:
        return
    told |= {"from": moved[0], "to": moved[1]}
    blockers = [each.id for each in open_blockers(item)] if moved[1] == "done" else []
    if blockers:
        told["openBlockers"] = blockers
    record_activity(
        item.project, "work.status-changed", item.id, actor, now, **told | batch
    )
