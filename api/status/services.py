"""The operations on the services of the status page."""

from api.operation import Call, operation
from models.errors import ServiceNotFound, SlugTaken
from models.status.services import catalogue
from models.status.services.catalogue import (
    ListAdminServices,
    RemovedService,
    StatusAddService,
    StatusAdminService,
    StatusRemoveService,
    StatusUpdateService,
    services_in_display_order,
)
from models.status.services.rows import ServiceRow
from models.status.snapshot.service_list_cache import service_list
from models.status.snapshot.snapshot import (
    GetService,
    ListServices,
    StatusServiceDetail,
    StatusServiceList,
    service_detail,
)
from models.storage.write_locks import WriteLock


@operation("GET /status/v1/admin/services/list", response=list[StatusAdminService])
def list_admin_services(call: Call, query: ListAdminServices) -> list[ServiceRow]:
    """List all services in display order, including disabled ones by default."""
    return services_in_display_order(include_disabled=query.include_disabled)


@operation(
    "POST /status/v1/admin/services/add",
    response=StatusAdminService,
    idempotent="required",
    audit="service.added",
    rebuilds="status",
    errors=(SlugTaken,),
)
def add_service(call: Call, request: StatusAddService) -> ServiceRow:
    """
    Add a service to the catalogue.

    Its state is unknown until a probe measures it. The slug cannot be changed.
    """
    service = catalogue.add_service(request, call.now)
    call.audit(service)
    return service


@operation(
    "POST /status/v1/admin/services/update",
    response=StatusAdminService,
    audit="service.updated",
    rebuilds="status",
    errors=(ServiceNotFound,),
)
def update_service(call: Call, request: StatusUpdateService) -> ServiceRow:
    """Update a service; omitted fields do not change."""
    service, changes = catalogue.update_service(request, call.now)
    call.audit_changes(service, changes)
    return service


@operation(
    "POST /status/v1/admin/services/remove",
    locks=WriteLock.MEASUREMENTS | WriteLock.STATUS,
    response=RemovedService,
    audit=("service.removed", "service.purged"),
    rebuilds="status",
    errors=(ServiceNotFound,),
)
def remove_service(call: Call, request: StatusRemoveService) -> RemovedService:
    """
    Remove a service from the page, or purge it with its measurements.

    In both cases incidents and maintenance windows keep its slug and name.
    """
    service, has_changed = catalogue.remove_service(request, call.now)
    action = "service.purged" if request.purge else "service.removed"
    call.audit_if(has_changed, service, action)
    return RemovedService(slug=service.slug, purged=request.purge)


@operation("GET /status/v1/services/list", response=StatusServiceList)
def list_services(call: Call, query: ListServices) -> StatusServiceList:
    """
    List the current state of every service, and the overall state.

    A group narrows the list. overall, checkedAt and stale always cover all services.
    """
    return service_list(call.now, call.settings.freshness, query.group)


@operation(
    "GET /status/v1/services/get",
    response=StatusServiceDetail,
    errors=(ServiceNotFound,),
)
def get_service(call: Call, query: GetService) -> StatusServiceDetail:
    """
    Get the state and uptime of a service, its incidents and its maintenance.

    Incidents and windows of the last 90 days are included, and all that are active
    or upcoming.
    """
    return service_detail(
        query.slug,
        call.now,
        call.settings.freshness,
        interval_seconds=call.settings.probe_interval_seconds,
    )
