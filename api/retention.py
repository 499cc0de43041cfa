"""Delete what has expired, in all areas."""

from datetime import datetime

from models.idempotency import delete_expired_responses
from models.notifications.deliveries.retention import delete_expired_notifications
from models.notifications.subscriptions.readers import forget_unconfirmed
from models.platform.console_sessions import delete_expired_sessions
from models.projects.document_imports.imports import delete_expired_imports
from models.projects.files.contents import delete_unused_contents
from models.settings import Settings
from models.status.measurements.retention import compact_measurements
from models.status.measurements.rollups import roll_up
from models.storage.database import writing
from models.storage.write_locks import WriteLock


def delete_expired(settings: Settings, now: datetime) -> None:
    """
    Delete expired stored responses and measurements, after rolling up the latter.

    Imports that were not applied expire too, and subscriptions that were not confirmed
    or have ended, deliveries and their events.
    Of files, the contents go that no page shows any more.
    """
    with writing():
        delete_expired_responses(now)
        delete_expired_sessions(now)
    forget_unconfirmed(now)
    delete_expired_notifications(now)
    with writing(WriteLock.PROJECTS):
        delete_expired_imports(now)
        delete_unused_contents()
    roll_up(now)
    compact_measurements(now, settings.raw_retention)
