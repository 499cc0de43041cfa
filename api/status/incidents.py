"""The operations on incidents."""

from api.operation import Call, operation
from models.errors import (
    IncidentNotFound,
    IncidentUpdateNotFound,
    ReferenceNotFound,
    VersionConflict,
)
from models.notifications.events import withdraw_events
from models.pagination import Page
from models.status.incidents import corrections, events, incidents
from models.status.incidents.corrections import (
    Correction,
    GetIncidentUpdateHistory,
    StatusIncidentUpdateHistory,
    StatusRemoveIncidentUpdate,
    StatusUpdateIncidentUpdate,
)
from models.status.incidents.incidents import (
    GetIncident,
    IncidentRow,
    IncidentUpdateRow,
    ListIncidents,
    RemovedIncident,
    StatusAddIncident,
    StatusAddIncidentUpdate,
    StatusIncident,
    StatusIncidentDetail,
    StatusIncidentUpdate,
    StatusRemoveIncident,
    StatusUpdateIncident,
)


@operation(
    "POST /status/v1/admin/incidents/add",
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
    response=StatusIncident,
    audit="incident.updated",
    rebuilds="status",
    errors=(IncidentNotFound, ReferenceNotFound),
)
def update_incident(call: Call, request: StatusUpdateIncident) -> IncidentRow:
    """
    Update an incident; omitted fields do not change.

    Another severity applies from now on: the past keeps those that the incident had.
    Resolving it sets resolvedAt to the current time unless it is sent. Reopening it
    clears resolvedAt. Subscribers are told of another status or severity and of other
    services, but not of another title or time. Messages to people have no text then,
    unless there is one that they were not told yet.
    """
    incident, changes = incidents.update_incident(request, call.now, call.clock_at)
    call.audit_changes(incident, changes)
    if request.notify:
        call.notify(events.changed_event(incident, changes))
    return incident


@operation(
    "POST /status/v1/admin/incidents/remove",
    response=RemovedIncident,
    audit="incident.removed",
    rebuilds="status",
    errors=(IncidentNotFound,),
)
def remove_incident(call: Call, request: StatusRemoveIncident) -> IncidentRow:
    """
    Remove an incident that should never have been, such as a test.

    It leaves the site, the lists and the history of states; only the audit log and
    incident-updates/history have it. No subscriber is told of the removal, and nothing
    that is still to be sent about it is sent: resolve a real incident instead.
    """
    incident = incidents.remove_incident(request, call.now)
    call.audit(incident, detail=incidents.describe_removal(incident))
    withdraw_events(incident.id, call.now)
    return incident


@operation(
    "POST /status/v1/admin/incident-updates/add",
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
    "POST /status/v1/admin/incident-updates/update",
    response=StatusIncidentUpdate,
    audit="incident.update-corrected",
    rebuilds="status",
    errors=(IncidentUpdateNotFound, VersionConflict),
)
def update_incident_update(
    call: Call, request: StatusUpdateIncidentUpdate
) -> IncidentUpdateRow:
    """
    Correct the text or the status of an update in the timeline of an incident.

    The update keeps its time, and its page shows that it was edited. The earlier texts
    are in incident-updates/history. If the update is the newest and gave the incident
    its present status, the incident takes the corrected status, and subscribers are
    told; they are not told of a corrected text.
    """
    correction = corrections.correct_update(request, call.now, call.clock_at)
    _report_correction(call, correction, is_notified=request.notify)
    return correction.update


@operation(
    "POST /status/v1/admin/incident-updates/remove",
    response=StatusIncidentUpdate,
    audit="incident.update-removed",
    rebuilds="status",
    errors=(IncidentUpdateNotFound,),
)
def remove_incident_update(
    call: Call, request: StatusRemoveIncidentUpdate
) -> IncidentUpdateRow:
    """
    Remove an update from the timeline of an incident.

    The timeline says at its time that an update was removed; its text is only in
    incident-updates/history and in the audit log. If the update is the newest and gave
    the incident its present status, the incident takes that of the newest remaining
    update, and subscribers are told.
    """
    correction = corrections.remove_update(request, call.now, call.clock_at)
    _report_correction(call, correction, is_notified=request.notify)
    return correction.update


def _report_correction(call: Call, correction: Correction, is_notified: bool) -> None:
    if not correction.is_made:
        call.mark_unchanged()
        return
    call.audit(correction.update, detail=correction.detail)
    events.revise_update_events(correction.update, call.now)
    if is_notified:
        incident = correction.update.incident
        call.notify(events.changed_event(incident, correction.incident_changes))


@operation(
    "GET /status/v1/admin/incident-updates/history",
    response=list[StatusIncidentUpdateHistory],
    errors=(IncidentNotFound, IncidentUpdateNotFound),
)
def get_incident_update_history(
    call: Call, query: GetIncidentUpdateHistory
) -> list[StatusIncidentUpdateHistory]:
    """
    Get every version of an update, or of all updates of an incident, oldest first.

    Updates that were removed, and those of a removed incident, are included. An update
    with a single version was never corrected.
    """
    return corrections.update_history(query)


@operation("GET /status/v1/incidents/list", response=list[StatusIncident])
def list_incidents(call: Call, query: ListIncidents) -> Page[IncidentRow]:
    """
    List incidents, newest first.

    The status active means not resolved. from and to select the incidents that
    overlap the range.
    """
    return incidents.list_incidents(query, call.now)


@operation(
    "GET /status/v1/incidents/get",
    response=StatusIncidentDetail,
    errors=(IncidentNotFound,),
)
def get_incident(call: Call, query: GetIncident) -> StatusIncidentDetail:
    """Get an incident with its updates, oldest first."""
    return incidents.incident_detail(query.id)
