"""What may be asked about projects."""

from api.operation import Call, operation
from api.projects.by import by
from models.errors import ProjectNotFound
from models.pagination import Page
from models.projects.project import ProjectRow
from models.projects.projects import (
    GetProject,
    ListProjects,
    Project,
    project_got,
    projects_listed,
)


@operation(
    "GET /projects/v1/projects/list",
    scope="projects:projects:list",
    takes=ListProjects,
    gives=list[Project],
)
def list_projects(call: Call, asked: ListProjects) -> Page[ProjectRow]:
    """
    List projects, by name unless sort says else.

    Archived ones are left out unless archived is only or include.
    """
    return projects_listed(asked, by(call))


@operation(
    "GET /projects/v1/projects/get",
    scope="projects:projects:get",
    takes=GetProject,
    gives=Project,
    refuses=(ProjectNotFound,),
)
def get_project(call: Call, asked: GetProject) -> ProjectRow:
    """Get a project by its id or its slug."""
    return project_got(asked)
