"""What may be asked about services."""

from api.operation import Call, operation
from models.errors import ServiceNotFound, SlugTaken
from models.status.counters import StatusUptimeSummary, uptime_of
from models.status.present import service_list
from models.status.published import (
    GetService,
    ListServices,
    StatusServiceDetail,
    StatusServiceList,
    service_detail,
)
from models.status.removal import (
    RemovedService,
    StatusRemoveService,
    remove_service,
)
from models.status.services import (
    GetUptime,
    ListAdminServices,
    ServiceRow,
    StatusAddService,
    StatusAdminService,
    StatusUpdateService,
    add_service,
    services_in_order,
    shown_service,
    update_service,
)


@operation(
    "GET /status/v1/admin/services/list",
    scope="status:admin:services:list",
    takes=ListAdminServices,
    gives=list[StatusAdminService],
)
def list_admin_services(call: Call, asked: ListAdminServices) -> list[ServiceRow]:
    """List the catalogue in display order, with what is off the page."""
    return services_in_order(include_disabled=asked.include_disabled)


@operation(
    "POST /status/v1/admin/services/add",
    scope="status:admin:services:add",
    takes=StatusAddService,
    gives=StatusAdminService,
    idempotent="required",
    audit="service.added",
    rebuilds="status",
    refuses=(SlugTaken,),
)
def add_status_service(call: Call, asked: StatusAddService) -> ServiceRow:
    """
    Add a service to the catalogue.

    Its state is unknown until a probe has measured it. The slug never changes.
    """
    service = add_service(asked, call.now)
    call.audit(service)
    return service


@operation(
    "POST /status/v1/admin/services/update",
    scope="status:admin:services:update",
    takes=StatusUpdateService,
    gives=StatusAdminService,
    audit="service.updated",
    rebuilds="status",
    refuses=(ServiceNotFound,),
)
def update_status_service(call: Call, asked: StatusUpdateService) -> ServiceRow:
    """Change a service; members left out stay as they are."""
    service, changes = update_service(asked, call.now)
    call.audit_changes(service, changes)
    return service


@operation(
    "POST /status/v1/admin/services/remove",
    scope="status:admin:services:remove",
    takes=StatusRemoveService,
    gives=RemovedService,
    audit=("service.removed", "service.purged"),
    rebuilds="status",
    refuses=(ServiceNotFound,),
)
def remove_status_service(call: Call, asked: StatusRemoveService) -> RemovedService:
    """
    Take a service off the page, or purge it with its measurements.

    Incidents and maintenance windows keep its slug and name either way.
    """
    service, changed = remove_service(asked, call.now)
    if changed:
        call.audit(service, "service.purged" if asked.purge else "service.removed")
    else:
        call.unchanged()
    return RemovedService(slug=service.slug, purged=asked.purge)


@operation(
    "GET /status/v1/services/list",
    scope="status:services:list",
    takes=ListServices,
    gives=StatusServiceList,
)
def list_services(call: Call, asked: ListServices) -> StatusServiceList:
    """
    Tell the present state of every service, and of the whole.

    A group narrows the list; overall, checkedAt and stale are of all services.
    """
    return service_list(call.now, call.settings.freshness, asked.group)


@operation(
    "GET /status/v1/services/get",
    scope="status:services:get",
    takes=GetService,
    gives=StatusServiceDetail,
    refuses=(ServiceNotFound,),
)
def get_service(call: Call, asked: GetService) -> StatusServiceDetail:
    """
    Tell one service's state and uptimes, its incidents and windows.

    Those of the last 90 days, and all that are active or to come.
    """
    return service_detail(
        asked.slug,
        call.now,
        call.settings.freshness,
        interval_seconds=call.settings.probe_interval_seconds,
    )


@operation(
    "GET /status/v1/uptime/get",
    scope="status:uptime:get",
    takes=GetUptime,
    gives=StatusUptimeSummary,
    refuses=(ServiceNotFound,),
)
def get_uptime(call: Call, asked: GetUptime) -> StatusUptimeSummary:
    """Tell the uptime of one service over a rolling period, by default 24h."""
    service = shown_service(asked.slug)
    interval = call.settings.probe_interval_seconds
    return uptime_of(service, asked.period, call.now, interval_seconds=interval)
