"""What may be asked about services."""

from api.operation import Call, operation
from models.errors import ServiceNotFound, SlugTaken
from models.status.measurements.counts import StatusUptimeSummary, uptime_of
from models.status.services import catalogue, removal
from models.status.services.catalogue import (
    GetUptime,
    ListAdminServices,
    ServiceRow,
    StatusAddService,
    StatusAdminService,
    StatusUpdateService,
    services_in_order,
    shown_service,
)
from models.status.services.removal import RemovedService, StatusRemoveService
from models.status.snapshot.service_list_cache import service_list
from models.status.snapshot.snapshot import (
    GetService,
    ListServices,
    StatusServiceDetail,
    StatusServiceList,
    service_detail,
)


@operation(
    "GET /status/v1/admin/services/list",
    scope="status:admin:services:list",
    request=ListAdminServices,
    response=list[StatusAdminService],
)
def list_admin_services(call: Call, query: ListAdminServices) -> list[ServiceRow]:
    """List the catalogue in display order, with what is off the page."""
    return services_in_order(include_disabled=query.include_disabled)


@operation(
    "POST /status/v1/admin/services/add",
    scope="status:admin:services:add",
    request=StatusAddService,
    response=StatusAdminService,
    idempotent="required",
    audit="service.added",
    rebuilds="status",
    errors=(SlugTaken,),
)
def add_service(call: Call, request: StatusAddService) -> ServiceRow:
    """
    Add a service to the catalogue.

    Its state is unknown until a probe has measured it. The slug never changes.
    """
    service = catalogue.add_service(request, call.now)
    call.audit(service)
    return service


@operation(
    "POST /status/v1/admin/services/update",
    scope="status:admin:services:update",
    request=StatusUpdateService,
    response=StatusAdminService,
    audit="service.updated",
    rebuilds="status",
    errors=(ServiceNotFound,),
)
def update_service(call: Call, request: StatusUpdateService) -> ServiceRow:
    """Change a service; members left out stay as they are."""
    service, changes = catalogue.update_service(request, call.now)
    call.audit_changes(service, changes)
    return service


@operation(
    "POST /status/v1/admin/services/remove",
    scope="status:admin:services:remove",
    request=StatusRemoveService,
    response=RemovedService,
    audit=("service.removed", "service.purged"),
    rebuilds="status",
    errors=(ServiceNotFound,),
)
def remove_service(call: Call, request: StatusRemoveService) -> RemovedService:
    """
    Take a service off the page, or purge it with its measurements.

    Incidents and maintenance windows keep its slug and name either way.
    """
    service, changed = removal.remove_service(request, call.now)
    if changed:
        call.audit(service, "service.purged" if request.purge else "service.removed")
    else:
        call.mark_unchanged()
    return RemovedService(slug=service.slug, purged=request.purge)


@operation(
    "GET /status/v1/services/list",
    scope="status:services:list",
    request=ListServices,
    response=StatusServiceList,
)
def list_services(call: Call, query: ListServices) -> StatusServiceList:
    """
    Tell the present state of every service, and of the whole.

    A group narrows the list; overall, checkedAt and stale are of all services.
    """
    return service_list(call.now, call.settings.freshness, query.group)


@operation(
    "GET /status/v1/services/get",
    scope="status:services:get",
    request=GetService,
    response=StatusServiceDetail,
    errors=(ServiceNotFound,),
)
def get_service(call: Call, query: GetService) -> StatusServiceDetail:
    """
    Tell one service's state and uptimes, its incidents and windows.

    Those of the last 90 days, and all that are active or to come.
    """
    return service_detail(
        query.slug,
        call.now,
        call.settings.freshness,
        interval_seconds=call.settings.probe_interval_seconds,
    )


@operation(
    "GET /status/v1/uptime/get",
    scope="status:uptime:get",
    request=GetUptime,
    response=StatusUptimeSummary,
    errors=(ServiceNotFound,),
)
def get_uptime(call: Call, query: GetUptime) -> StatusUptimeSummary:
    """Tell the uptime of one service over a rolling period, by default 24h."""
    service = shown_service(query.slug)
    interval = call.settings.probe_interval_seconds
    return uptime_of(service, query.period, call.now, interval_seconds=interval)
