"""The roadmap: what is planned for now, next, later and someday."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

from models.base import Shape
from models.projects.blockers import OVER
from models.projects.listing import in_projects
from models.projects.milestone import MilestoneRow
from models.projects.milestones import Milestone
from models.projects.ties import with_ties
from models.projects.words import OfProject
from models.projects.work_item import BUCKETS, WorkItemRow
from models.projects.work_items import WorkItem
from models.words import Digits

# In no bucket means not on the roadmap.
ON_ROADMAP = tuple(each for each in BUCKETS if each != "none")


class RoadmapBucket(Shape):
    """`truncated` tells that there is more than the limit lets through."""

    bucket: Literal["now", "next", "later", "someday"]
    milestones: list[Milestone]
    work: list[WorkItem]
    truncated: bool


class Roadmap(Shape):
    buckets: list[RoadmapBucket]


class GetRoadmap(OfProject):
    limit: Annotated[Digits, Field(ge=1, le=100)] = 50
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


def roadmap_of(asked: GetRoadmap) -> dict[str, Any]:
    """Return each bucket with what is in it; nothing archived is on a roadmap."""
    return {"buckets": [_filled(asked, bucket) for bucket in ON_ROADMAP]}


def _filled(asked: GetRoadmap, bucket: str) -> dict[str, Any]:
    milestones, work = (_within(asked, bucket, each) for each in (MILESTONES, WORK))
    return {
        "bucket": bucket,
        "milestones": milestones[: asked.limit],
        "work": with_ties(work[: asked.limit]),
        "truncated": max(len(milestones), len(work)) > asked.limit,
    }


def _within(asked: GetRoadmap, bucket: str, source: Source) -> list[Any]:
    row = source.row
    query = in_projects(row.select(), row, asked)
    query = query.where(row.bucket == bucket, row.archived_at.is_null())
    if asked.done == "exclude":
        query = query.where(row.status.not_in(source.over))
    return list(query.order_by(*source.order).limit(asked.limit + 1))
