"""Build the roadmap: the milestones and work items of each bucket."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

from models.base import Schema
from models.fields import LIMIT, QueryInteger
from models.projects import descriptions
from models.projects.fields import IsTruncated, ProjectQuery
from models.projects.planning.milestones import Milestone
from models.projects.planning.rows import MilestoneRow
from models.projects.projects.rows import filter_by_project
from models.projects.work.blockers import CLOSED_STATUSES
from models.projects.work.items import WorkItem
from models.projects.work.links import load_links
from models.projects.work.rows import BUCKETS, WorkItemRow

# The bucket none means not on the roadmap.
ROADMAP_BUCKETS = tuple(bucket for bucket in BUCKETS if bucket != "none")


class RoadmapBucket(Schema):
    """`truncated` is true if there is more than the limit."""

    bucket: Annotated[Literal["now", "next", "later", "someday"], descriptions.BUCKET]
    milestones: list[Milestone] = Field(description="The milestones.")
    work: Annotated[list[WorkItem], descriptions.WORK]
    truncated: IsTruncated


class Roadmap(Schema):
    buckets: list[RoadmapBucket] = Field(description="The buckets of the roadmap.")


class GetRoadmap(ProjectQuery, example=("projectSlug",)):
    limit: Annotated[QueryInteger, Field(ge=1, le=100), LIMIT] = 50
    done: Literal["exclude", "include"] = Field(
        default="exclude", description="Whether to include completed work items."
    )


@dataclass(frozen=True)
class Source:
    """A table of entities on the roadmap, their closed statuses and their order."""

    table: Any
    closed_statuses: tuple[str, ...]
    order: tuple[Any, ...]


MILESTONES = Source(
    MilestoneRow,
    ("completed", "cancelled"),
    (MilestoneRow.target_at.asc(nulls="last"), MilestoneRow.id),
)
WORK_ITEMS = Source(
    WorkItemRow,
    CLOSED_STATUSES,
    (WorkItemRow.priority, WorkItemRow.due_at.asc(nulls="last"), WorkItemRow.id),
)


def build_roadmap(query: GetRoadmap) -> dict[str, Any]:
    """Return the fields of Roadmap; archived entities are left out."""
    return {"buckets": [_bucket(query, bucket) for bucket in ROADMAP_BUCKETS]}


def _bucket(query: GetRoadmap, bucket: str) -> dict[str, Any]:
    milestones = _entities(query, bucket, MILESTONES)
    items = _entities(query, bucket, WORK_ITEMS)
    return {
        "bucket": bucket,
        "milestones": milestones[: query.limit],
        "work": load_links(items[: query.limit]),
        "truncated": max(len(milestones), len(items)) > query.limit,
    }


def _entities(query: GetRoadmap, bucket: str, source: Source) -> list[Any]:
    """Return the entities in the bucket, one more than the limit if there are more."""
    table = source.table
    rows = filter_by_project(table.select(), table, query)
    rows = rows.where(table.bucket == bucket, table.archived_at.is_null())
    if query.done == "exclude":
        rows = rows.where(table.status.not_in(source.closed_statuses))
    return list(rows.order_by(*source.order).limit(query.limit + 1))
