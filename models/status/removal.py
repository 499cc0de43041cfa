"""Taking a service off the page, or out of the catalogue with its measurements."""

from datetime import datetime

from models.base import Shape
from models.status.affected import keep_name
from models.status.services import ServiceRow, service_named
from models.words import StatusSlug


class StatusRemoveService(Shape):
    slug: StatusSlug
    purge: bool = False


class RemovedService(Shape):
    slug: str
    purged: bool


def remove_service(
    asked: StatusRemoveService, now: datetime
) -> tuple[ServiceRow, bool]:
    """
    Take a service off the page, or purge it; tell whether that changed anything.

    A purge takes its measurements and counters along; incidents and windows keep
    its slug and its last name.
    """
    service = service_named(asked.slug)
    if asked.purge:
        keep_name(service)
        service.delete_instance()
        return service, True
    return service, bool(service.change({"enabled": False}, now))
