"""The operations on templates of incidents."""

from api.operation import Call, operation
from models.errors import IncidentTemplateNotFound, NameTaken, VersionConflict
from models.status.incidents import templates


@operation(
    "GET /status/v1/admin/incident-templates/list",
    response=list[templates.IncidentTemplate],
)
def list_incident_templates(call: Call) -> list[templates.IncidentTemplateRow]:
    """List the templates of incidents by name."""
    return templates.list_templates()


@operation(
    "POST /status/v1/admin/incident-templates/add",
    response=templates.IncidentTemplate,
    idempotent="required",
    audit="incident-template.added",
    errors=(NameTaken,),
)
def add_incident_template(
    call: Call, request: templates.AddIncidentTemplate
) -> templates.IncidentTemplateRow:
    """
    Add a template: a title, a severity and a text with which incidents begin.

    Its name is for operators. Nothing is published.
    """
    template = templates.add_template(request, call.now)
    call.audit(template)
    return template


@operation(
    "POST /status/v1/admin/incident-templates/update",
    response=templates.IncidentTemplate,
    audit="incident-template.updated",
    errors=(IncidentTemplateNotFound, NameTaken, VersionConflict),
)
def update_incident_template(
    call: Call, request: templates.UpdateIncidentTemplate
) -> templates.IncidentTemplateRow:
    """
    Update a template; omitted fields do not change.

    Incidents that were opened with its text keep theirs.
    """
    template, changes = templates.update_template(request, call.now)
    call.audit_changes(template, changes)
    return template


@operation(
    "POST /status/v1/admin/incident-templates/remove",
    response=templates.IncidentTemplate,
    audit="incident-template.removed",
    errors=(IncidentTemplateNotFound,),
)
def remove_incident_template(
    call: Call, request: templates.RemoveIncidentTemplate
) -> templates.IncidentTemplateRow:
    """Delete a template. Incidents that were opened with its text keep theirs."""
    template = templates.remove_template(request)
    call.audit(template)
    return template
