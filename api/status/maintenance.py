"""The operations on maintenance windows."""

from api.operation import Call, operation
from models.errors import MaintenanceNotFound, ReferenceNotFound
from models.notifications.events import withdraw_events
from models.pagination import Page
from models.status.maintenance import events, windows
from models.status.maintenance.windows import (
    GetMaintenance,
    ListMaintenance,
    MaintenanceRow,
    RemovedMaintenance,
    StatusAddMaintenance,
    StatusMaintenance,
    StatusRemoveMaintenance,
    StatusUpdateMaintenance,
)


@operation(
    "POST /status/v1/admin/maintenance/add",
    response=StatusMaintenance,
    idempotent="required",
    audit="maintenance.scheduled",
    rebuilds="status",
    errors=(ReferenceNotFound,),
)
def add_maintenance(call: Call, request: StatusAddMaintenance) -> MaintenanceRow:
    """
    Schedule a maintenance window.

    It starts and ends automatically: it is active from startsAt until endsAt.
    """
    window = windows.schedule_maintenance(request, call.now, call.clock_at)
    call.audit(window)
    if request.notify:
        call.notify(events.scheduled_event(window))
    return window


@operation(
    "POST /status/v1/admin/maintenance/update",
    response=StatusMaintenance,
    audit="maintenance.updated",
    rebuilds="status",
    errors=(MaintenanceNotFound, ReferenceNotFound),
)
def update_maintenance(call: Call, request: StatusUpdateMaintenance) -> MaintenanceRow:
    """
    Update a maintenance window; omitted fields do not change.

    The statuses completed and cancelled take precedence over the times of the
    window. scheduled lets it start and end automatically again.
    """
    window, changes = windows.update_maintenance(request, call.now, call.clock_at)
    call.audit_changes(window, changes)
    if request.notify:
        call.notify(events.changed_event(window, changes, call.clock_at))
    return window


@operation(
    "POST /status/v1/admin/maintenance/remove",
    response=RemovedMaintenance,
    audit="maintenance.removed",
    rebuilds="status",
    errors=(MaintenanceNotFound,),
)
def remove_maintenance(call: Call, request: StatusRemoveMaintenance) -> MaintenanceRow:
    """
    Remove a maintenance window that should never have been, such as a test.

    It leaves the site and the lists, and calendars show it as cancelled, without its
    title. Measurements taken during it count towards uptime again. No subscriber is
    told of the removal, and nothing that is still to be sent about it is sent: cancel
    a window that was really planned instead.
    """
    window = windows.remove_maintenance(request, call.now, call.clock_at)
    call.audit(window, detail=windows.describe_removal(window))
    withdraw_events(window.id, call.now)
    return window


@operation("GET /status/v1/maintenance/list", response=list[StatusMaintenance])
def list_maintenance(call: Call, query: ListMaintenance) -> Page[MaintenanceRow]:
    """
    List maintenance windows, newest first.

    from and to select the windows that overlap the range.
    """
    return windows.list_maintenance(query, call.now)


@operation(
    "GET /status/v1/maintenance/get",
    response=StatusMaintenance,
    errors=(MaintenanceNotFound,),
)
def get_maintenance(call: Call, query: GetMaintenance) -> MaintenanceRow:
    """Get a maintenance window."""
    return windows.maintenance_with_id(query.id, call.now)
