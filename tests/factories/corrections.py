"""Corrected, removed and templated incidents, added to existing ones."""

from models.status.incidents.corrections import (
    StatusRemoveIncidentUpdate,
    StatusUpdateIncidentUpdate,
    correct_update,
    remove_update,
)
from models.status.incidents.incidents import (
    IncidentRow,
    IncidentUpdateRow,
    StatusRemoveIncident,
    StatusUpdateIncident,
    remove_incident,
    update_incident,
)
from models.status.incidents.templates import AddIncidentTemplate, add_template
from models.status.maintenance.windows import (
    MaintenanceRow,
    StatusRemoveMaintenance,
    remove_maintenance,
)


def make_corrections(now):
    """
    Correct the oldest update and remove the one after it, in a transaction.

    The oldest incident gets another severity, the newest incident and the newest window
    are removed, and a template is added.
    """
    corrected, removed = (
        IncidentUpdateRow.select().order_by(IncidentUpdateRow.number).limit(2)
    )
    correction = StatusUpdateIncidentUpdate(id=corrected.id, body="Corrected.")
    correct_update(correction, now, now)
    remove_update(StatusRemoveIncidentUpdate(id=removed.id), now, now)
    severity = StatusUpdateIncident(id=corrected.incident_id, severity="degraded")
    update_incident(severity, now)
    incident = IncidentRow.select().order_by(IncidentRow.id.desc()).first()
    remove_incident(StatusRemoveIncident(id=incident.id), now)
    window = MaintenanceRow.select().order_by(MaintenanceRow.id.desc()).first()
    remove_maintenance(StatusRemoveMaintenance(id=window.id), now, now)
    template = {"name": "Slow", "title": "Slow mail", "severity": "degraded"}
    add_template(AddIncidentTemplate(**template, body="We are looking."), now)
