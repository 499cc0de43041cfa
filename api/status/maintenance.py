"""What may be asked about maintenance windows."""

from api.operation import Call, operation
from models.errors import MaintenanceNotFound, ReferenceNotFound
from models.pagination import Page
from models.status.maintenance import windows
from models.status.maintenance.windows import (
    GetMaintenance,
    ListMaintenance,
    MaintenanceRow,
    StatusAddMaintenance,
    StatusMaintenance,
    StatusUpdateMaintenance,
    maintenance_listed,
    maintenance_with,
    schedule_maintenance,
)


@operation(
    "POST /status/v1/admin/maintenance/add",
    scope="status:admin:maintenance:add",
    request=StatusAddMaintenance,
    response=StatusMaintenance,
    idempotent="required",
    audit="maintenance.scheduled",
    rebuilds="status",
    errors=(ReferenceNotFound,),
)
def add_maintenance(call: Call, request: StatusAddMaintenance) -> MaintenanceRow:
    """
    Announce a maintenance window.

    It starts and ends by the clock: active from startsAt until before endsAt.
    """
    window = schedule_maintenance(request, call.now)
    call.audit(window)
    return window


@operation(
    "POST /status/v1/admin/maintenance/update",
    scope="status:admin:maintenance:update",
    request=StatusUpdateMaintenance,
    response=StatusMaintenance,
    audit="maintenance.updated",
    rebuilds="status",
    errors=(MaintenanceNotFound, ReferenceNotFound),
)
def update_maintenance(call: Call, request: StatusUpdateMaintenance) -> MaintenanceRow:
    """
    Change a window; members left out stay as they are.

    completed and cancelled win over the clock; scheduled puts the window back
    under it.
    """
    window, changes = windows.update_maintenance(request, call.now)
    call.audit_changes(window, changes)
    return window


@operation(
    "GET /status/v1/maintenance/list",
    scope="status:maintenance:list",
    request=ListMaintenance,
    response=list[StatusMaintenance],
)
def list_maintenance(call: Call, query: ListMaintenance) -> Page[MaintenanceRow]:
    """
    List maintenance windows, newest first.

    from and to select those that overlap the range.
    """
    return maintenance_listed(query, call.now)


@operation(
    "GET /status/v1/maintenance/get",
    scope="status:maintenance:get",
    request=GetMaintenance,
    response=StatusMaintenance,
    errors=(MaintenanceNotFound,),
)
def get_maintenance(call: Call, query: GetMaintenance) -> MaintenanceRow:
    """Get a maintenance window."""
    return maintenance_with(query.id, call.now)
