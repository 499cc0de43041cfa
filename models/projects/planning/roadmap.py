"""The roadmap: what is planned for now, next, later and someday."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

from models.base import Schema
from models.fields import QueryInteger
from models.projects.fields import OfProject
from models.projects.planning.milestones import Milestone
from models.projects.planning.rows import MilestoneRow
from models.projects.projects.visibility import in_projects
from models.projects.work.blockers import OVER
from models.projects.work.items import WorkItem
from models.projects.work.links import with_ties
from models.projects.work.rows import BUCKETS, WorkItemRow

# In no bucket means not on the roadmap.
ON_ROADMAP = tuple(each for each in BUCKETS if each != "none")


class RoadmapBucket(Schema):
    """`truncated` tells that there is more than the limit lets through."""

    bucket: Literal["now", "next", "later", "someday"]
    milestones: list[Milestone]
    work: list[WorkItem]
    truncated: bool


class Roadmap(Schema):
    buckets: list[RoadmapBucket]


class GetRoadmap(OfProject):
    limit: Annotated[QueryInteger, Field(ge=1, le=100)] = 50
    done: Literal["exclude", "include"] = "exclude"


@dataclass(frozen=True)
class Source:
    """Where the things of a bucket come from, and in which order they stand."""

    row: Any
    over: tuple[str, ...]
    order: tuple[Any, ...]


MILESTONES = Source(
    MilestoneRow,
    ("completed", "cancelled"),
    (MilestoneRow.target_at.asc(nulls="last"), MilestoneRow.id),
)
WORK = Source(
    WorkItemRow,
    OVER,
    (WorkItemRow.priority, WorkItemRow.due_at.asc(nulls="last"), WorkItemRow.id),
)


def roadmap_of(query: GetRoadmap) -> dict[str, Any]:
    """Return each bucket with what is in it; nothing archived is on a roadmap."""
    return {"buckets": [_filled(query, bucket) for bucket in ON_ROADMAP]}


def _filled(query: GetRoadmap, bucket: str) -> dict[str, Any]:
    milestones, work = (_within(query, bucket, each) for each in (MILESTONES, WORK))
    return {
        "bucket": bucket,
        "milestones": milestones[: query.limit],
        "work": with_ties(work[: query.limit]),
        "truncated": max(len(milestones), len(work)) > query.limit,
    }


def _within(query: GetRoadmap, bucket: str, source: Source) -> list[Any]:
    row = source.row
    rows = in_projects(row.select(), row, query)
    rows = rows.where(row.bucket == bucket, row.archived_at.is_null())
    if query.done == "exclude":
        rows = rows.where(row.status.not_in(source.over))
    return list(rows.order_by(*source.order).limit(query.limit + 1))
