"""All incidents and windows that were not removed, newest first."""

from models.status.incidents.incidents import IncidentRow, incidents_with_ids
from models.status.maintenance.windows import MaintenanceRow, windows_with_ids


def all_incidents():
    return incidents_with_ids(row.id for row in IncidentRow.select())


def all_maintenance(now):
    return windows_with_ids((row.id for row in MaintenanceRow.select()), now)
