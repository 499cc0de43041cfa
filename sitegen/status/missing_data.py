"""Name the services without whose data the overall status is unavailable."""

from typing import Any

from models.display_text import plain_line
from models.fields import format_moment
from models.site_addresses import url_path
from models.status.formatting import date_time
from models.status.snapshot.snapshot import StatusService, StatusServiceList
from sitegen.urls import service_path

# How many services are named; the others are counted.
MAX_NAMED = 3


def missing_data(service_list: StatusServiceList) -> dict[str, Any] | None:
    """Return which services have no data and since when, as templates show it."""
    services = services_without_data(service_list)
    if not services:
        return None
    return {
        "services": [
            {
                "name": service.name,
                "href": url_path(service_path(service.slug)),
                "since": service.observed_at and format_moment(service.observed_at),
            }
            for service in services[:MAX_NAMED]
        ],
        "others": len(services[MAX_NAMED:]),
    }


def missing_data_text(service_list: StatusServiceList) -> str | None:
    """Return the same as one line of text."""
    services = services_without_data(service_list)
    if not services:
        return None
    named = [_describe(service) for service in services[:MAX_NAMED]]
    if others := len(services[MAX_NAMED:]):
        named.append(f"{others} more")
    *first, last = named
    return "Without data: " + " and ".join(filter(None, (", ".join(first), last)))


def services_without_data(service_list: StatusServiceList) -> list[StatusService]:
    """
    Return the services that make the overall status unavailable, in display order.

    They are those whose state is unknown. If there are none, no measurement at all is
    fresh, and they are all that were not measured lately.
    """
    if service_list.overall != "unavailable":
        return []
    services = service_list.services
    unknown = [service for service in services if service.state == "unknown"]
    return unknown or [service for service in services if service.stale]


def _describe(service: StatusService) -> str:
    name = plain_line(service.name)
    if service.observed_at is None:
        return f"{name} (never measured)"
    return f"{name} (since {date_time(service.observed_at)})"
