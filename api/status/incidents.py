"""What may be asked about incidents."""

from api.operation import Call, operation
from models.errors import IncidentNotFound, ReferenceNotFound
from models.pagination import Page
from models.status.incidents import incidents
from models.status.incidents.incidents import (
    EntryRow,
    GetIncident,
    IncidentRow,
    StatusAddIncident,
    StatusAddIncidentUpdate,
    StatusIncident,
    StatusIncidentDetail,
    StatusIncidentUpdate,
    StatusUpdateIncident,
    add_entry,
    incident_detail,
    open_incident,
)
from models.status.incidents.listing import ListIncidents, incidents_listed


@operation(
    "POST /status/v1/admin/incidents/add",
    scope="status:admin:incidents:add",
    request=StatusAddIncident,
    response=StatusIncident,
    idempotent="required",
    audit="incident.opened",
    rebuilds="status",
    errors=(ReferenceNotFound,),
)
def add_incident(call: Call, request: StatusAddIncident) -> IncidentRow:
    """
    Open an incident.

    It imposes its severity on every service it affects until it is resolved.
    The body becomes the first entry of its timeline.
    """
    incident = open_incident(request, call.now)
    call.audit(incident)
    return incident


@operation(
    "POST /status/v1/admin/incidents/update",
    scope="status:admin:incidents:update",
    request=StatusUpdateIncident,
    response=StatusIncident,
    audit="incident.updated",
    rebuilds="status",
    errors=(IncidentNotFound, ReferenceNotFound),
)
def update_incident(call: Call, request: StatusUpdateIncident) -> IncidentRow:
    """
    Change an incident; members left out stay as they are.

    Resolving sets resolvedAt to now unless it is given; leaving resolved clears
    it.
    """
    incident, changes = incidents.update_incident(request, call.now)
    call.audit_changes(incident, changes)
    return incident


@operation(
    "POST /status/v1/admin/incident-updates/add",
    scope="status:admin:incident-updates:add",
    request=StatusAddIncidentUpdate,
    response=StatusIncidentUpdate,
    idempotent="required",
    audit="incident.update-posted",
    rebuilds="status",
    errors=(IncidentNotFound,),
)
def add_incident_update(call: Call, request: StatusAddIncidentUpdate) -> EntryRow:
    """
    Append an entry to an incident's timeline.

    With a status the incident takes it; without one it keeps its own.
    """
    entry = add_entry(request, call.now)
    call.audit(entry, detail=f"status: {entry.status}")
    return entry


@operation(
    "GET /status/v1/incidents/list",
    scope="status:incidents:list",
    request=ListIncidents,
    response=list[StatusIncident],
)
def list_incidents(call: Call, query: ListIncidents) -> Page[IncidentRow]:
    """
    List incidents, newest first.

    active means not resolved; from and to select those that overlap the range.
    """
    return incidents_listed(query, call.now)


@operation(
    "GET /status/v1/incidents/get",
    scope="status:incidents:get",
    request=GetIncident,
    response=StatusIncidentDetail,
    errors=(IncidentNotFound,),
)
def get_incident(call: Call, query: GetIncident) -> StatusIncidentDetail:
    """Get an incident with its timeline, oldest entry first."""
    return incident_detail(query.id)
