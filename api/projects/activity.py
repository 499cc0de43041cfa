"""Handle requests about the activity of projects."""

from api.operation import Call, operation
from models.errors import ProjectNotFound
from models.pagination import Page
from models.projects.projects import activity
from models.projects.projects.activity import ActivityRow, ListActivity, ProjectActivity


@operation(
    "GET /projects/v1/activity/list",
    response=list[ProjectActivity],
    errors=(ProjectNotFound,),
)
def list_activity(call: Call, query: ListActivity) -> Page[ActivityRow]:
    """
    List activity records, newest first.

    With afterId, list the records after that one, oldest first. A client that
    continues from the last record it has seen misses none.
    """
    return activity.list_activity(query)
