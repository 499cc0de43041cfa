"""A site with everything that a status page can show, and a site without content."""

from models.status.incidents.incidents import (
    StatusAddIncidentUpdate,
    add_incident_update,
)
from models.status.maintenance.windows import (
    StatusUpdateMaintenance,
    update_maintenance,
)
from models.storage.database import writing
from tests.browser.status_site import seconds

TABLE = "| Region | Errors |\n| --- | --- |\n| north | 3 % |\n"
BODY = f"Some **requests** fail, see [notes](https://example.com/).\n\n{TABLE}\n{TABLE}"
ARABIC = "تعطل خدمة البريد"
STATES = ("operational", "degraded", "partial", "down", "maintenance", "stale", "never")


def write_everything(world):
    """Create services in each state, with their events; return pages by kind."""
    for slug in STATES:
        group = "Core" if slug in STATES[:4] else None
        world.service(slug, group=group, description=f"What is {slug}. {ARABIC}")
    for slug in ("operational", "degraded", "partial", "maintenance"):
        world.sample(slug, at=-5000)
        world.sample(slug)
    world.sample("down", "down")
    world.sample("stale", at=-900)
    found = {
        "severity degraded": world.incident("degraded", body=BODY),
        "severity partial": world.incident("partial", severity="partial-outage"),
        "resolved": world.incident(
            "operational", "down", status="resolved", body=BODY, started=-40 * 86400
        ),
    }
    entry = {"status": "monitoring", "body": BODY}
    request = StatusAddIncidentUpdate(incident_id=found["severity degraded"], **entry)
    with writing():
        add_incident_update(request, seconds(0))
    windows = {
        "running": world.window("maintenance", starts=-60, ends=600, description=BODY),
        "coming": world.window("operational", starts=120, ends=600, description=BODY),
        "cancelled": world.window("operational", starts=300, ends=900),
        "over": world.window("operational", starts=-900, ends=-600),
    }
    cancelled = StatusUpdateMaintenance(id=windows["cancelled"], status="cancelled")
    with writing():
        update_maintenance(cancelled, seconds(0))
    world.build()
    return (
        {kind: f"/status/incidents/{id}/" for kind, id in found.items()}
        | {kind: f"/status/maintenance/{id}/" for kind, id in windows.items()}
        | {slug: f"/status/services/{slug}/" for slug in STATES}
        | {f"frame of {slug}": f"/status/embed/{slug}/" for slug in STATES}
        | {
            "overview": "/status/",
            "frame": "/status/embed/",
            "history": "/status/history/",
            "month": "/status/history/2026-03/",
            "month before": "/status/history/2026-01/",
            "how": "/status/how/",
            "badge": "/status/badge.svg",
        }
    )
