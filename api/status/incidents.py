"""What may be asked about incidents."""

from api.operation import Call, operation
from models.errors import IncidentNotFound, ReferenceNotFound
from models.pagination import Page
from models.status.incidents import (
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
    update_incident,
)
from models.status.register import ListIncidents, incidents_listed


@operation(
    "POST /status/v1/admin/incidents/add",
    scope="status:admin:incidents:add",
    takes=StatusAddIncident,
    gives=StatusIncident,
    idempotent="required",
    audit="incident.opened",
    rebuilds="status",
    refuses=(ReferenceNotFound,),
)
def add_incident(call: Call, asked: StatusAddIncident) -> IncidentRow:
    """
    Open an incident.

    It imposes its severity on every service it affects until it is resolved.
    The body becomes the first entry of its timeline.
    """
    incident = open_incident(asked, call.now)
    call.audit(incident)
    return incident


@operation(
    "POST /status/v1/admin/incidents/update",
    scope="status:admin:incidents:update",
    takes=StatusUpdateIncident,
    gives=StatusIncident,
    audit="incident.updated",
    rebuilds="status",
    refuses=(IncidentNotFound, ReferenceNotFound),
)
def change_incident(call: Call, asked: StatusUpdateIncident) -> IncidentRow:
    """
    Change an incident; members left out stay as they are.

    Resolving sets resolvedAt to now unless it is given; leaving resolved clears
    it.
    """
    incident, changes = update_incident(asked, call.now)
    call.audit_changes(incident, changes)
    return incident


@operation(
    "POST /status/v1/admin/incident-updates/add",
    scope="status:admin:incident-updates:add",
    takes=StatusAddIncidentUpdate,
    gives=StatusIncidentUpdate,
    idempotent="required",
    audit="incident.update-posted",
    rebuilds="status",
    refuses=(IncidentNotFound,),
)
def add_incident_update(call: Call, asked: StatusAddIncidentUpdate) -> EntryRow:
    """
    Append an entry to an incident's timeline.

    With a status the incident takes it; without one it keeps its own.
    """
    entry = add_entry(asked, call.now)
    call.audit(entry, detail=f"status: {entry.status}")
    return entry


@operation(
    "GET /status/v1/incidents/list",
    scope="status:incidents:list",
    takes=ListIncidents,
    gives=list[StatusIncident],
)
def list_incidents(call: Call, asked: ListIncidents) -> Page[IncidentRow]:
    """
    List incidents, newest first.

    active means not resolved; from and to select those that overlap the range.
    """
    return incidents_listed(asked, call.now)


@operation(
    "GET /status/v1/incidents/get",
    scope="status:incidents:get",
    takes=GetIncident,
    gives=StatusIncidentDetail,
    refuses=(IncidentNotFound,),
)
def get_incident(call: Call, asked: GetIncident) -> StatusIncidentDetail:
    """Get an incident with its timeline, oldest entry first."""
    return incident_detail(asked.id)
