"""What may be asked about the activity in projects."""

from api.operation import Call, operation
from models.errors import ProjectNotFound
from models.pagination import Page
from models.projects.projects.activity import (
    ActivityRow,
    ListActivity,
    ProjectActivity,
    activity_listed,
)


@operation(
    "GET /projects/v1/activity/list",
    scope="projects:activity:list",
    request=ListActivity,
    response=list[ProjectActivity],
    errors=(ProjectNotFound,),
)
def list_activity(call: Call, query: ListActivity) -> Page[ActivityRow]:
    """
    List what happened, newest first.

    With afterId the records after that one, oldest first: who goes on from the
    last record it saw misses none.
    """
    return activity_listed(query)
