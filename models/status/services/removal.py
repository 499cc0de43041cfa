"""Taking a service off the page, or out of the catalogue with its measurements."""

from datetime import datetime

from models.base import Schema
from models.fields import StatusSlug
from models.status.services.affected import keep_name
from models.status.services.catalogue import ServiceRow, service_named


class StatusRemoveService(Schema):
    slug: StatusSlug
    purge: bool = False


class RemovedService(Schema):
    slug: str
    purged: bool


def remove_service(
    request: StatusRemoveService, now: datetime
) -> tuple[ServiceRow, bool]:
    """
    Take a service off the page, or purge it; tell whether that changed anything.

    A purge takes its measurements and counters along; incidents and windows keep
    its slug and its last name.
    """
    service = service_named(request.slug)
    if request.purge:
        keep_name(service)
        service.delete_instance()
        return service, True
    return service, bool(service.change({"enabled": False}, now))
