"""What may be asked about the roadmap."""

from typing import Any

from api.operation import Call, operation
from models.errors import ProjectNotFound
from models.projects.planning.roadmap import GetRoadmap, Roadmap, roadmap_of


@operation(
    "GET /projects/v1/roadmap/get",
    scope="projects:roadmap:get",
    request=GetRoadmap,
    response=Roadmap,
    errors=(ProjectNotFound,),
)
def get_roadmap(call: Call, query: GetRoadmap) -> dict[str, Any]:
    """
    Get the roadmap of a project, or of all that are not archived.

    Milestones stand by target, work by priority and then by due date. What is
    over, done or cancelled, is left out unless done is include; what is archived
    is never on it. limit is for each kind in each bucket.
    """
    return roadmap_of(query)
