"""What the key may do in a project: by its scopes, and by its role there."""

from dataclasses import dataclass
from typing import Any

from werkzeug.wrappers import Response

from api.console.console_request import ConsoleRequest
from api.console.forms.form import Form

GET_ACCESS = "GET /projects/v1/access/get"
GET_PROJECT = "GET /projects/v1/projects/get"


@dataclass(frozen=True)
class ProjectAccess:
    """`allowed` are scopes; None if the key may not ask which its role allows."""

    request: ConsoleRequest
    role: str | None
    allowed: frozenset[str] | None

    def may(self, route: str) -> bool:
        """Return whether scopes and role allow the operation."""
        scope = self.scope(route)
        return self.covers(route) and (self.allowed is None or scope in self.allowed)

    def covers(self, route: str) -> bool:
        return self.request.may(route)

    def scope(self, route: str) -> str:
        return self.request.operations[route].scope


def project_access(request: ConsoleRequest, project_id: str) -> ProjectAccess:
    access = request.read_if_allowed(GET_ACCESS, projectId=project_id)
    if access is None:
        return ProjectAccess(request, None, None)
    allowed = frozenset(f"projects:{name}" for name in access["allowed"])
    return ProjectAccess(request, access["effectiveRole"], allowed)


def create_page(
    request: ConsoleRequest, template: str, project_id: str, form: Form
) -> Response:
    """Show the form that creates something in a project."""
    return request.page(
        template,
        form.status,
        project=read_project(request, project_id),
        access=project_access(request, project_id),
        form=form,
    )


def read_project(request: ConsoleRequest, id: str) -> dict[str, Any]:
    project: dict[str, Any] = request.read(GET_PROJECT, id=id)
    return project
