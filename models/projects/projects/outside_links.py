"""
Remove the links that other projects' work items have to a project that is purged.

The items change without a call of their own: their updated_at and their activity tell
readers what they lost.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from models.projects.fields import Actor
from models.projects.projects.rows import ProjectRow
from models.projects.specifications.rows import SpecificationRow
from models.projects.work.items import save_changes
from models.projects.work.links import load_links
from models.projects.work.relationships import Edge, record_removal
from models.projects.work.rows import (
    WorkItemRow,
    WorkRelationshipRow,
    WorkSpecificationRow,
)

# Items whose links are loaded at a time, far below SQLite's limit of variables.
BATCH_SIZE = 500


def remove_outside_links(project: ProjectRow, now: datetime, actor: Actor) -> None:
    """Remove the links to the project's specifications and work items."""
    _remove_specification_links(project, now, actor)
    _remove_relationships(project, now, actor)


def _remove_specification_links(
    project: ProjectRow, now: datetime, actor: Actor
) -> None:
    specification, link = SpecificationRow, WorkSpecificationRow
    own = specification.select(specification.id).where(
        specification.project == project.id
    )
    purged_ids = {row.id for row in own}
    linked = link.select(link.work).where(link.specification.in_(own))
    is_outside = WorkItemRow.project != project.id
    items = list(_items_with_projects(is_outside, WorkItemRow.id.in_(linked)))
    for start in range(0, len(items), BATCH_SIZE):
        for item in load_links(items[start : start + BATCH_SIZE]):
            remaining = [
                link
                for link in item.specifications
                if link.specification_id not in purged_ids
            ]
            values = {"specifications": remaining}
            save_changes(item, values, now, actor, purgedProjectId=project.id)


def _remove_relationships(project: ProjectRow, now: datetime, actor: Actor) -> None:
    row = WorkRelationshipRow
    own = WorkItemRow.select(WorkItemRow.id).where(WorkItemRow.project == project.id)
    is_crossing = (row.source.in_(own) & row.target.not_in(own)) | (
        row.source.not_in(own) & row.target.in_(own)
    )
    sources = row.select(row.source).where(is_crossing)
    targets = row.select(row.target).where(is_crossing)
    is_end = WorkItemRow.id.in_(sources) | WorkItemRow.id.in_(targets)
    items = {item.id: item for item in _items_with_projects(is_end)}
    for crossing in row.select().where(is_crossing).order_by(row.number):
        source, target = items[crossing.source_id], items[crossing.target_id]
        edge = Edge(source, target, crossing.relationship)
        outside = target if source.project_id == project.id else source
        record_removal(edge, outside, now, actor, purgedProjectId=project.id)
    row.delete().where(is_crossing).execute()
    for item in items.values():
        if item.project_id != project.id:
            item.touch(now)


def _items_with_projects(*conditions: Any) -> Iterable[WorkItemRow]:
    rows = WorkItemRow.select(WorkItemRow, ProjectRow).join(ProjectRow)
    items: Iterable[WorkItemRow] = rows.where(*conditions).order_by(WorkItemRow.id)
    return items
