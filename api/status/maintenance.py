"""What may be asked about maintenance windows."""

from api.operation import Call, operation
from models.errors import MaintenanceNotFound, ReferenceNotFound
from models.pagination import Page
from models.status.maintenance import (
    GetMaintenance,
    ListMaintenance,
    MaintenanceRow,
    StatusAddMaintenance,
    StatusMaintenance,
    StatusUpdateMaintenance,
    maintenance_listed,
    maintenance_with,
    schedule_maintenance,
    update_maintenance,
)


@operation(
    "POST /status/v1/admin/maintenance/add",
    scope="status:admin:maintenance:add",
    takes=StatusAddMaintenance,
    gives=StatusMaintenance,
    idempotent="required",
    audit="maintenance.scheduled",
    rebuilds="status",
    refuses=(ReferenceNotFound,),
)
def add_maintenance(call: Call, asked: StatusAddMaintenance) -> MaintenanceRow:
    """
    Announce a maintenance window.

    It starts and ends by the clock: active from startsAt until before endsAt.
    """
    window = schedule_maintenance(asked, call.now)
    call.audit(window)
    return window


@operation(
    "POST /status/v1/admin/maintenance/update",
    scope="status:admin:maintenance:update",
    takes=StatusUpdateMaintenance,
    gives=StatusMaintenance,
    audit="maintenance.updated",
    rebuilds="status",
    refuses=(MaintenanceNotFound, ReferenceNotFound),
)
def change_maintenance(call: Call, asked: StatusUpdateMaintenance) -> MaintenanceRow:
    """
    Change a window; members left out stay as they are.

    completed and cancelled win over the clock; scheduled puts the window back
    under it.
    """
    window, changes = update_maintenance(asked, call.now)
    call.audit_changes(window, changes)
    return window


@operation(
    "GET /status/v1/maintenance/list",
    scope="status:maintenance:list",
    takes=ListMaintenance,
    gives=list[StatusMaintenance],
)
def list_maintenance(call: Call, asked: ListMaintenance) -> Page[MaintenanceRow]:
    """
    List maintenance windows, newest first.

    from and to select those that overlap the range.
    """
    return maintenance_listed(asked, call.now)


@operation(
    "GET /status/v1/maintenance/get",
    scope="status:maintenance:get",
    takes=GetMaintenance,
    gives=StatusMaintenance,
    refuses=(MaintenanceNotFound,),
)
def get_maintenance(call: Call, asked: GetMaintenance) -> MaintenanceRow:
    """Get a maintenance window."""
    return maintenance_with(asked.id, call.now)
