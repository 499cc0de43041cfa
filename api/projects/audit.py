"""Handle requests about the audit log of projects."""

from typing import Any

from api.operation import Call, operation
from models.pagination import Page
from models.projects import audit
from models.projects.audit import ListProjectsAudit, ProjectsAdminAuditEvent


@operation("GET /projects/v1/admin/audit/list", response=list[ProjectsAdminAuditEvent])
def list_projects_audit(call: Call, query: ListProjectsAudit) -> Page[Any]:
    """List the purges of projects and the changes of global labels, newest first."""
    return audit.list_projects_audit(query)
