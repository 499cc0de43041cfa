"""The shapes of Statuspage v2 as its strictest readers check them."""

from datetime import date
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, HttpUrl, StringConstraints

Stamp = Annotated[
    str, StringConstraints(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
]
Name = Annotated[str, Field(min_length=1)]
ComponentStatus = Literal[
    "operational",
    "under_maintenance",
    "degraded_performance",
    "partial_outage",
    "major_outage",
]


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Page(Strict):
    id: Name
    name: Name
    url: HttpUrl
    time_zone: Literal["Etc/UTC"]
    updated_at: Stamp


class Status(Strict):
    indicator: Literal["none", "minor", "major", "critical", "maintenance"]
    description: Name


class Component(Strict):
    id: Name
    name: Name
    status: ComponentStatus
    created_at: Stamp
    updated_at: Stamp
    position: Annotated[int, Field(ge=1)]
    description: str | None
    showcase: bool
    start_date: date | None
    group_id: str | None
    page_id: Name
    group: Literal[False]
    only_show_if_degraded: bool


class Group(Component):
    group: Literal[True]  # type: ignore[assignment]
    group_id: None  # type: ignore[assignment]
    components: Annotated[list[str], Field(min_length=1)]


class Affected(Strict):
    code: Name
    name: Name
    old_status: ComponentStatus
    new_status: ComponentStatus


class Update(Strict):
    id: Name
    status: Literal[
        "investigating",
        "identified",
        "monitoring",
        "resolved",
        "scheduled",
        "in_progress",
        "completed",
    ]
    body: Name
    incident_id: Name
    created_at: Stamp
    updated_at: Stamp
    display_at: Stamp
    affected_components: list[Affected] | None
    deliver_notifications: bool
    custom_tweet: None
    tweet_id: None


class Incident(Strict):
    id: Name
    name: Name
    status: Literal["investigating", "identified", "monitoring", "resolved"]
    created_at: Stamp
    updated_at: Stamp
    monitoring_at: Stamp | None
    resolved_at: Stamp | None
    impact: Literal["none", "minor", "major", "critical"]
    shortlink: HttpUrl
    started_at: Stamp
    page_id: Name
    incident_updates: Annotated[list[Update], Field(min_length=1)]
    components: list[Component]


class Maintenance(Incident):
    status: Literal["scheduled", "in_progress", "completed"]  # type: ignore[assignment]
    impact: Literal["maintenance"]  # type: ignore[assignment]
    scheduled_for: Stamp
    scheduled_until: Stamp


class Components(Strict):
    page: Page
    components: list[Component | Group]


class Summary(Components):
    incidents: list[Incident]
    scheduled_maintenances: list[Maintenance]
    status: Status


class Whole(Strict):
    page: Page
    status: Status


class Incidents(Strict):
    page: Page
    incidents: list[Incident]


class Maintenances(Strict):
    page: Page
    scheduled_maintenances: list[Maintenance]


DOCUMENTS = {
    "summary": Summary,
    "status": Whole,
    "components": Components,
    "incidents": Incidents,
    "incidents/unresolved": Incidents,
    "scheduled-maintenances": Maintenances,
    "scheduled-maintenances/upcoming": Maintenances,
    "scheduled-maintenances/active": Maintenances,
}
