"""What may be asked about the administrators' changes."""

from typing import Any

from api.operation import Call, operation
from models.pagination import Page
from models.projects.audit import (
    ListProjectsAudit,
    ProjectsAdminAuditEvent,
    projects_audit_listed,
)


@operation(
    "GET /projects/v1/admin/audit/list",
    scope="projects:admin:audit:list",
    request=ListProjectsAudit,
    response=list[ProjectsAdminAuditEvent],
)
def list_projects_audit(call: Call, query: ListProjectsAudit) -> Page[Any]:
    """List purges of projects and changes of global labels, newest first."""
    return projects_audit_listed(query)
