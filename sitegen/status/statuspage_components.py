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

# Clients take a status that they do not know for operational. So unknown becomes
# degraded, and the description says why.
COMPONENT_STATUS = {
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
    """The components on the page; a group precedes its services."""

    def __init__(self, snapshot: StatusSnapshot, page_id: str) -> None:
        self._snapshot = snapshot
        self._page_id = page_id

    @cached_property
    def listed(self) -> list[Component]:
        components: list[Component] = []
        # The group itself, then its services.
        groups: dict[str, list[Component]] = {}
        position = 0
        for service in self._snapshot.services:
            name = service.group
            if name is None:
                position += 1
                components.append(self._service(service, position, None))
                continue
            if name not in groups:
                position += 1
                groups[name] = [{"id": short_id(f"group {name}"), "position": position}]
                components.append(groups[name][0])
            group, *children = groups[name]
            child = self._service(service, len(children) + 1, group["id"])
            groups[name].append(child)
            components.append(child)
        for name, (group, *children) in groups.items():
            group |= self._group(name, group, children)
        return components

    def affected_by(self, subject: IncidentRow | MaintenanceRow) -> list[Component]:
        """Return the components on the page that an incident or a window affects."""
        numbers = [service.service_id for service in subject.services]
        return [
            self._by_number[number] for number in numbers if number in self._by_number
        ]

    def qualified_name(self, component: Component) -> str:
        """Return the name of a service, preceded by that of its group."""
        group = self._group_names.get(component["group_id"])
        return f"{group} - {component['name']}" if group else str(component["name"])

    @cached_property
    def _by_number(self) -> dict[int | None, Component]:
        by_id = {component["id"]: component for component in self.listed}
        return {
            service.number: by_id[service.id] for service in self._snapshot.services
        }

    @cached_property
    def _group_names(self) -> dict[str | None, str]:
        return {
            component["id"]: component["name"]
            for component in self.listed
            if component["group"]
        }

    def _service(
        self, row: ServiceRow, position: int, group_id: str | None
    ) -> Component:
        service = self._snapshot.service_status(row)
        return {
            "id": row.id,
            "name": row.name,
            "status": COMPONENT_STATUS[service.state],
            "created_at": format_moment(row.created_at),
            "updated_at": format_moment(row.updated_at),
            "position": position,
            "description": _description(service),
            "showcase": True,
            "start_date": row.created_at.astimezone(UTC).date().isoformat(),
            "group_id": group_id,
            "page_id": self._page_id,
            "group": False,
            "only_show_if_degraded": False,
        }

    def _group(
        self, name: str, group: Component, children: list[Component]
    ) -> Component:
        return {
            "id": group["id"],
            "name": name,
            "status": min((c["status"] for c in children), key=WORST_FIRST.index),
            "created_at": min(c["created_at"] for c in children),
            "updated_at": max(c["updated_at"] for c in children),
            "position": group["position"],
            "description": None,
            "showcase": False,
            "start_date": None,
            "group_id": None,
            "page_id": self._page_id,
            "group": True,
            "only_show_if_degraded": False,
            "components": [child["id"] for child in children],
        }


def short_id(text: str) -> str:
    """Return a short id; equal texts have equal ids."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _description(service: StatusService) -> str | None:
    if service.state != "unknown":
        return service.description
    return " ".join(filter(None, [service.description, "No recent measurement."]))
