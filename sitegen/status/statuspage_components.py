"""Services and their groups as the components of Statuspage v2."""

import hashlib
from datetime import UTC
from functools import cached_property
from typing import Any

from models.fields import format_moment
from models.status.incidents.incidents import IncidentRow
from models.status.maintenance.windows import MaintenanceRow
from models.status.services.rows import ServiceRow
from models.status.snapshot.snapshot import StatusService, StatusSnapshot

# A reader that does not know a word takes it for operational: unknown is told as
# degraded, and the description says why.
STATUS = {
    "operational": "operational",
    "maintenance": "under_maintenance",
    "unknown": "degraded_performance",
    "degraded": "degraded_performance",
    "partial-outage": "partial_outage",
    "major-outage": "major_outage",
}
WORST_FIRST = (
    "major_outage",
    "partial_outage",
    "degraded_performance",
    "under_maintenance",
    "operational",
)

Component = dict[str, Any]


class Components:
    """What is on the page; a group stands before its services."""

    def __init__(self, status_snapshot: StatusSnapshot, page_id: str) -> None:
        self._board = status_snapshot
        self._page_id = page_id

    @cached_property
    def listed(self) -> list[Component]:
        found: list[Component] = []
        groups: dict[str, list[Component]] = {}
        top = 0
        for service in self._board.services:
            group = service.group
            if group is None:
                top += 1
                found.append(self._component(service, top, None))
                continue
            if group not in groups:
                top += 1
                groups[group] = [{"id": short_id(f"group {group}"), "position": top}]
                found.append(groups[group][0])
            container, *children = groups[group]
            child = self._component(service, len(children) + 1, container["id"])
            groups[group].append(child)
            found.append(child)
        for name, (container, *children) in groups.items():
            container |= self._container(name, container, children)
        return found

    def of(self, subject: IncidentRow | MaintenanceRow) -> list[Component]:
        """Return what an incident or a window affects and is still on the page."""
        numbers = [each.service_id for each in subject.services]
        return [self._by_number[n] for n in numbers if n in self._by_number]

    def name(self, component: Component) -> str:
        """Return the name of a service with its group before it."""
        group = self._groups.get(component["group_id"])
        return f"{group} - {component['name']}" if group else str(component["name"])

    @cached_property
    def _by_number(self) -> dict[int | None, Component]:
        by_id = {each["id"]: each for each in self.listed}
        return {each.number: by_id[each.id] for each in self._board.services}

    @cached_property
    def _groups(self) -> dict[str | None, str]:
        return {each["id"]: each["name"] for each in self.listed if each["group"]}

    def _component(
        self, service: ServiceRow, position: int, group_id: str | None
    ) -> Component:
        told = self._board.service_status(service)
        return {
            "id": service.id,
            "name": service.name,
            "status": STATUS[told.state],
            "created_at": format_moment(service.created_at),
            "updated_at": format_moment(service.updated_at),
            "position": position,
            "description": _description(told),
            "showcase": True,
            "start_date": service.created_at.astimezone(UTC).date().isoformat(),
            "group_id": group_id,
            "page_id": self._page_id,
            "group": False,
            "only_show_if_degraded": False,
        }

    def _container(
        self, name: str, container: Component, children: list[Component]
    ) -> Component:
        return {
            "id": container["id"],
            "name": name,
            "status": min((c["status"] for c in children), key=WORST_FIRST.index),
            "created_at": min(c["created_at"] for c in children),
            "updated_at": max(c["updated_at"] for c in children),
            "position": container["position"],
            "description": None,
            "showcase": False,
            "start_date": None,
            "group_id": None,
            "page_id": self._page_id,
            "group": True,
            "only_show_if_degraded": False,
            "components": [each["id"] for each in children],
        }


def short_id(text: str) -> str:
    """Return a short id that is always the same for the same text."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _description(service: StatusService) -> str | None:
    if service.state != "unknown":
        return service.description
    return " ".join(filter(None, [service.description, "No recent measurement."]))
