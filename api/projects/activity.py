"""What may be asked about the activity in projects."""

from api.operation import Call, operation
from models.errors import ProjectNotFound
from models.pagination import Page
from models.projects.activity import (
    ActivityRow,
    ListActivity,
    ProjectActivity,
    activity_listed,
)


@operation(
    "GET /projects/v1/activity/list",
    scope="projects:activity:list",
    takes=ListActivity,
    gives=list[ProjectActivity],
    refuses=(ProjectNotFound,),
)
def list_activity(call: Call, asked: ListActivity) -> Page[ActivityRow]:
    """
    List what happened, newest first.

    With afterId the records after that one, oldest first: who goes on from the
    last record it saw misses none.
    """
    return activity_listed(asked)
