"""Handle requests about the roadmap."""

from typing import Any

from api.operation import Call, operation
from models.errors import ProjectNotFound
from models.projects.planning.roadmap import GetRoadmap, Roadmap, build_roadmap


@operation("GET /projects/v1/roadmap/get", response=Roadmap, errors=(ProjectNotFound,))
def get_roadmap(call: Call, query: GetRoadmap) -> dict[str, Any]:
    """
    Get the roadmap of a project, or of all that are not archived.

    Milestones are sorted by target, work items by priority and then by due date.
    Completed, done and cancelled ones are left out unless done is include; archived
    ones always are. limit applies to the milestones and to the work items of each
    bucket.
    """
    return build_roadmap(query)
