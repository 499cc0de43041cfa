"""Say why a service has its state, with a link to the incident or the maintenance."""

from typing import Any

from api.console.console_request import ConsoleRequest
from api.console.page import address
from models.status.reasons import reason_facts
from models.status.state import Reason

# The operation without which the page of the subject cannot be read, and its path.
_SUBJECTS = {
    "incident": ("GET /status/v1/incidents/get", "incidents"),
    "maintenance": ("GET /status/v1/maintenance/get", "maintenance"),
}


def shown_reason(request: ConsoleRequest, reason: Reason) -> dict[str, Any]:
    """Return the reason as the templates show it."""
    href = None
    if reason.subject:
        route, path = _SUBJECTS[reason.kind]
        if request.may(route):
            href = address(f"{path}/{reason.subject.id}/")
    return reason_facts(reason) | {"href": href}
