"""The operations on incidents."""

from api.operation import Call, operation
from models.errors import IncidentNotFound, ReferenceNotFound
from models.pagination import Page
from models.status.incidents import events, incidents
from models.status.incidents.incidents import (
    GetIncident,
    IncidentRow,
    IncidentUpdateRow,
    ListIncidents,
    StatusAddIncident,
    StatusAddIncidentUpdate,
    StatusIncident,
    StatusIncidentDetail,
    StatusIncidentUpdate,
    StatusUpdateIncident,
)


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

    Until it is resolved, its severity is the state of every service it affects. The
    body becomes the first update of its timeline.
    """
    incident = incidents.open_incident(request, call.now, call.clock_at)
    call.audit(incident)
    if request.notify:
        call.notify(events.opened_event(incident))
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
    Update an incident; omitted fields do not change.

    Resolving it sets resolvedAt to the current time unless it is sent. Reopening it
    clears resolvedAt.
    """
    incident, changes = incidents.update_incident(request, call.now, call.clock_at)
    call.audit_changes(incident, changes)
    call.notify(events.changed_event(incident, changes))
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
def add_incident_update(
    call: Call, request: StatusAddIncidentUpdate
) -> IncidentUpdateRow:
    """
    Post an update to the timeline of an incident.

    If a status is sent, the incident takes it; otherwise its status does not change.
    """
    update = incidents.add_incident_update(request, call.now, call.clock_at)
    call.audit(update, detail=f"status: {update.status}")
    if request.notify:
        call.notify(events.update_event(update))
    return update


@operation(
    "GET /status/v1/incidents/list",
    scope="status:incidents:list",
    request=ListIncidents,
    response=list[StatusIncident],
)
def list_incidents(call: Call, query: ListIncidents) -> Page[IncidentRow]:
    """
    List incidents, newest first.

    The status active means not resolved. from and to select the incidents that
    overlap the range.
    """
    return incidents.list_incidents(query, call.now)


@operation(
    "GET /status/v1/incidents/get",
    scope="status:incidents:get",
    request=GetIncident,
    response=StatusIncidentDetail,
    errors=(IncidentNotFound,),
)
def get_incident(call: Call, query: GetIncident) -> StatusIncidentDetail:
    """Get an incident with its updates, oldest first."""
    return incidents.incident_detail(query.id)
